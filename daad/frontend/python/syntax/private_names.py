"""Names such as `__x` in a class `Model` are `_Model__x`: Python renames them when it compiles the class."""

from __future__ import annotations

import ast

FIELDS = {
    ast.Name: "id",
    ast.Attribute: "attr",
    ast.arg: "arg",
    ast.FunctionDef: "name",
    ast.ClassDef: "name",
}


def mangle(tree: ast.Module) -> None:
    """Renames the private names in the classes of a module."""
    _rename(tree, "")


def _rename(node: ast.AST, owner: str) -> None:
    for child in ast.iter_child_nodes(node):
        _rename(child, child.name if isinstance(child, ast.ClassDef) else owner)
        field = FIELDS.get(type(child))
        if field is not None and owner:
            setattr(child, field, mangled(getattr(child, field), owner))
        elif isinstance(child, ast.Global | ast.Nonlocal) and owner:
            child.names = [mangled(name, owner) for name in child.names]


def mangled(name: str, owner: str) -> str:
    """What Python makes of a name in a class."""
    is_private = name.startswith("__") and not name.endswith("__")
    return f"_{owner.lstrip('_')}{name}" if is_private and owner.strip("_") else name
