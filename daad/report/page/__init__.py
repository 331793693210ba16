"""One self-contained page about a gradient, without network."""
