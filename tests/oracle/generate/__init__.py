"""Makes the clusters of the comparison; __main__.py is the command, one file a subject."""
