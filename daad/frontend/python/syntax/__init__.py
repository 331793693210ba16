"""The user's source, before anything of it is read."""
