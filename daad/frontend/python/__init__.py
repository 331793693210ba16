"""The frontend for plain NumPy functions and scripts."""

from daad.frontend.python.function_to_program import build_program
from daad.frontend.python.read import Asked, Read

__all__ = ["Asked", "Read", "build_program"]
