"""Nests and loops are fused, split, tiled and skewed."""
