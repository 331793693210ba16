"""The libraries that programs are functions of are optional."""

from __future__ import annotations

from importlib.util import find_spec

from daad.errors import BadArgument


def require_installed(name: str, method: str, extra: str = "") -> None:
    """Raises BadArgument where a library is missing."""
    if find_spec(name) is None:
        raise BadArgument(
            f"'{method}' needs the package '{name}'.", hint=f"Install it: pip install 'daad[{extra or name}]'."
        )
