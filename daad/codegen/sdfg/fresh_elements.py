"""Access nodes and memlets as copies of ones that DaCe has initialised: its checks of each of their properties take
longer than everything else that is done for a statement."""

from __future__ import annotations

from copy import deepcopy
from typing import Any

from dace import Memlet, nodes, subsets

ACCESS, MEMLET = nodes.AccessNode("array"), Memlet(data="array", volume=1)


def access(state: Any, array: str) -> Any:
    """An access node, which the state gets."""
    node = deepcopy(ACCESS)
    node.data, node.debuginfo = array, state._default_lineinfo
    state.add_node(node)
    return node


def memlet_of(array: str, subset: subsets.Range) -> Memlet:
    """A memlet of all elements of a subset."""
    made = deepcopy(MEMLET)
    made.data, made.subset, made.volume = array, subset, subset.num_elements()
    return made
