"""Clusters for the plugins that later releases removed (v1.22): what they read beside today's objects; one file a subject."""
