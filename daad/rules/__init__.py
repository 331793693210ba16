"""Derivatives of scalar operations: a table, and the pullback of whole expressions."""
