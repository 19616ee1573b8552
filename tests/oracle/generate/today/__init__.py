"""Clusters for today's plugins (v1.37): the subjects in which their objects differ from the classic rules'; one file a subject."""
