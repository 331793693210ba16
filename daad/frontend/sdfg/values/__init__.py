"""Values within an SDFG: code, symbols, containers, ranges."""
