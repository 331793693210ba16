"""The frontend for plain NumPy functions and scripts."""

from daad.frontend.python.function_to_program import Built, build_program

__all__ = ["Built", "build_program"]
