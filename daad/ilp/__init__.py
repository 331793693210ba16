"""Decides what is kept for the adjoint, and where."""

from daad.ilp.plan import Decision, Kept, Plan, make_plan

__all__ = ["Decision", "Kept", "Plan", "make_plan"]
