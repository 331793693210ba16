"""The critical computation subgraph: which statements and arrays matter, and which values the adjoint reads."""
