"""The frontend for plain NumPy functions and scripts."""

from daad.frontend.python.build import Built, build_program

__all__ = ["Built", "build_program"]
