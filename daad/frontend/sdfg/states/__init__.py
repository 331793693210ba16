"""States and control flow of an SDFG, as statements of a Program."""
