"""Branches, loops and exceptions, where data decide and where they do not."""
