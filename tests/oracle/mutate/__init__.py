"""Changes the rules one small step at a time, to see whether the comparison with upstream notices; see __main__.py."""
