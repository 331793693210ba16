"""Methods of lists and dicts: those that compare items which data decide, where what they find is taken for what it is
in the call; those that classes ask for which add to them, `super().__setitem__(k, v)`, `dict.update(d, …)`."""

from __future__ import annotations

import ast
import inspect
import types
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from daad.frontend.numpy.calling.call_arguments import static
from daad.frontend.python.calls.sequences import in_order
from daad.frontend.python.calls.static_calls import COMPARING
from daad.frontend.python.reading.reader import Reader
from daad.frontend.python.targets import assign_item, delete_item, item_at, static_key
from daad.frontend.python.values.object_keys import key_in
from daad.frontend.python.values.ordering import equal, says_how
from daad.frontend.staging.container_items import CONTAINERS
from daad.frontend.staging.speculation import decided
from daad.frontend.staging.values import is_staged


def with_key(reader: Reader, node: ast.Call, method: Any, args: list[Any]) -> list[Any]:
    """The arguments of a method of a dict or set, with a key that data decide as what it is in the call."""
    owner = getattr(method, "__self__", None)
    if not isinstance(owner, dict | set) or getattr(method, "__name__", "") not in KEYED or not args:
        return args
    key = static_key(reader.stage, args[0]) if is_staged(args[:1]) else args[0]
    return [key_in(reader, node, owner, key), *args[1:]]


def compares_data(reader: Reader, method: Any, args: Sequence[Any], keywords: Mapping[str, Any]) -> bool:
    """Whether it is such a method, and it is speculated on; or it sorts by what a function gives."""
    owner, name = getattr(method, "__self__", None), getattr(method, "__name__", "")
    if not isinstance(owner, list | deque | tuple) or name not in COMPARING:
        return False
    if name == "sort" and keywords.get("key") is not None:
        return True
    if not is_staged((owner, args)) and not any(map(says_how, (*owner, *args))):
        return False
    return reader.stage.speculation.asked()


def list_method(reader: Reader, node: ast.Call, method: Any, args: list[Any], keywords: dict[str, Any]) -> Any:
    """What the method gives, or does to its list."""
    return _fitting(reader, METHODS[method.__name__], (reader, node, method.__self__, *args), keywords)


def _fitting(reader: Reader, method: Callable[..., Any], args: Sequence[Any], keywords: Mapping[str, Any]) -> Any:
    """What it gives, if there are as many arguments as there have to be."""
    try:
        inspect.signature(method).bind(*args, **keywords)
    except TypeError as error:
        reader.stage.refuse("This call fails: the arguments do not fit.", "Check how many there are.", error)
    return method(*args, **keywords)


def _sort(reader: Reader, node: ast.Call, owner: list[Any], **options: Any) -> None:
    for number, item in enumerate(in_order(reader, node, list(owner), **options)):
        reader.assign(owner, number, item, "item")


def _count(reader: Reader, node: ast.Call, owner: Sequence[Any], wanted: Any) -> int:
    return sum(_equals(reader, node, item, wanted) for item in owner)


def _index(reader: Reader, node: ast.Call, owner: Sequence[Any], wanted: Any, *bounds: Any) -> int:
    places = range(*slice(*_both(reader, bounds)).indices(len(owner)))
    found = next((place for place in places if _equals(reader, node, owner[place], wanted)), None)
    if found is None:
        reader.stage.refuse("The value is not in the list.", "Ask with 'in' first.", ValueError("not in list"))
    return found


def _both(reader: Reader, bounds: Sequence[Any]) -> list[Any]:
    known: list[Any] = [static(reader.stage, bound) for bound in bounds]
    return [*known, None, None][:2]


def _remove(reader: Reader, node: ast.Call, owner: list[Any], wanted: Any) -> None:
    del owner[_index(reader, node, owner, wanted)]


def _equals(reader: Reader, node: ast.Call, item: Any, wanted: Any) -> bool:
    same = equal(reader, item, wanted, node)
    return same if isinstance(same, bool) else decided(reader.stage, same)


KEYED = ("get", "pop", "setdefault", "add", "discard", "remove")
METHODS: dict[str, Callable[..., Any]] = {"sort": _sort, "count": _count, "index": _index, "remove": _remove}


def _item(reader: Reader, holder: Any, key: Any) -> Any:
    found = item_at(reader.stage, holder, static_key(reader.stage, key))
    return reader.usable(reader.from_outside(found) if id(holder) in reader.outside else found)


OF_CLASS = (types.MethodDescriptorType, types.WrapperDescriptorType)
OF_OBJECT = (types.MethodWrapperType, types.BuiltinMethodType)
ITEMS: dict[str, Callable[..., Any]] = {
    "__getitem__": _item,
    "__setitem__": assign_item,
    "__delitem__": delete_item,
}


def bound(function: Any, args: list[Any]) -> tuple[Any, list[Any]] | None:
    """`dict.update(d, …)` as `d.update(…)`: the method and its arguments; None for all else."""
    if not isinstance(function, OF_CLASS) or not issubclass(function.__objclass__, CONTAINERS) or not args:
        return None
    is_one = isinstance(args[0], function.__objclass__)
    return (function.__get__(args[0]), args[1:]) if is_one else None


def called(reader: Reader, function: Any, args: list[Any]) -> Any:
    """What reads or writes an item goes through variables as `holder[key]` does; NotImplemented for other methods."""
    owner = getattr(function, "__self__", None)
    if not isinstance(function, OF_OBJECT) or not isinstance(owner, CONTAINERS):
        return NotImplemented
    item = ITEMS.get(function.__name__)
    return NotImplemented if item is None else _fitting(reader, item, (reader, owner, *args), {})
