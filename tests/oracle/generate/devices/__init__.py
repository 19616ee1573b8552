"""Clusters with devices, for DynamicResources."""
