"""The second door: `@dace.program` functions and SDFGs, parsed by DaCe and lifted to a Program."""

from daad.frontend.sdfg.lift import Lifted, lift
from daad.frontend.sdfg.sdfg_arguments import Parameter

__all__ = ["Lifted", "Parameter", "lift"]
