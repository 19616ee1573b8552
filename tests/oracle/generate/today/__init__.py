"""Clusters for today's plugins (v1.37): what their objects have other than the classic rules'; one file a subject."""
