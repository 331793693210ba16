"""Heaps in lists, as `heapq` keeps them: J. W. J. Williams, Algorithm 232: Heapsort, 1964."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

Array = Any  # staged while the program is read


def heappush(heap: list[Any], item: Array, /) -> None:
    heap.append(item)
    _rise(heap, 0, len(heap) - 1)


def heappop(heap: list[Any], /) -> Array:
    last = heap.pop()
    if not heap:
        return last
    least = heap[0]
    heap[0] = last
    _sink(heap, 0)
    return least


def heapreplace(heap: list[Any], item: Array, /) -> Array:
    least = heap[0]
    heap[0] = item
    _sink(heap, 0)
    return least


def heappushpop(heap: list[Any], item: Array, /) -> Array:
    if heap and heap[0] < item:
        item = heapreplace(heap, item)
    return item


def heapify(heap: list[Any], /) -> None:
    for place in range(len(heap) // 2 - 1, -1, -1):
        _sink(heap, place)


def nsmallest(n: int, iterable: Any, key: Any = None) -> list[Any]:
    return sorted(iterable, key=key)[:n]


def nlargest(n: int, iterable: Any, key: Any = None) -> list[Any]:
    return sorted(iterable, key=key, reverse=True)[:n]


def _rise(heap: list[Any], first: int, place: int) -> None:
    """The item goes up to where its parent is no larger."""
    item = heap[place]
    while place > first:
        above = (place - 1) // 2
        if not item < heap[above]:
            break
        heap[place] = heap[above]
        place = above
    heap[place] = item


def _sink(heap: list[Any], place: int) -> None:
    """The item goes down to a leaf, always to where the smaller child was, and up again from there, as `heapq` does
    it: most items end near the leaves."""
    item, first = heap[place], place
    child = 2 * place + 1
    while child < len(heap):
        if child + 1 < len(heap) and not heap[child] < heap[child + 1]:
            child += 1
        heap[place] = heap[child]
        place, child = child, 2 * child + 1
    heap[place] = item
    _rise(heap, first, place)


HEAPQ: dict[str, Callable[..., Any]] = {
    "heappush": heappush,
    "heappop": heappop,
    "heapreplace": heapreplace,
    "heappushpop": heappushpop,
    "heapify": heapify,
    "nsmallest": nsmallest,
    "nlargest": nlargest,
}
