"""Passes from Program to Program that change how things are computed, never what: `phases` has their order."""

from daad.passes.phases import finish, improve, improve_apart, merge, prepare, schedule

__all__ = ["finish", "improve", "improve_apart", "merge", "prepare", "schedule"]
