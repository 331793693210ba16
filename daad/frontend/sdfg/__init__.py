"""The second door: `@dace.program` functions and SDFGs, parsed by DaCe and lifted to a Program."""

from daad.frontend.sdfg.arguments import Parameter
from daad.frontend.sdfg.lift import Lifted, lift

__all__ = ["Lifted", "Parameter", "lift"]
