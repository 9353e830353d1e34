"""Two modules with a tool of one name."""
