"""The critical computation subgraph: which statements and arrays matter for the gradient, and what the adjoint reads."""

from daad.ccs.graph import CCS, find_ccs

__all__ = ["CCS", "find_ccs"]
