"""The critical computation subgraph: which statements and arrays matter, and which values the adjoint reads."""

from daad.ccs.graph import CCS, find_ccs

__all__ = ["CCS", "find_ccs"]
