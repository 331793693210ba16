"""Indices and what they run over: domains, maps of indices, what is outside."""
