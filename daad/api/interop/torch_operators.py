"""Operators of torch that run compiled programs; each takes data as a list of tensors and a program by its number.

What is asked of a program are places among its data. The shapes of all results are known: `register_fake` says them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import torch

from daad.api.interop.specialisations import LAST
from daad.api.interop.torch_programs import Tensors, program_of


def _primal(data: Tensors, program: int) -> list[torch.Tensor]:
    return program_of(program).primal(data)


def _value_and_gradients(data: Tensors, program: int, asked: Sequence[int]) -> list[torch.Tensor]:
    return program_of(program).value_and_gradients(data, tuple(asked))


def _pulled(data: Tensors, program: int, asked: Sequence[int], seeds: Tensors) -> list[torch.Tensor]:
    return program_of(program).pulled(data, seeds, tuple(asked))


def _pushed(data: Tensors, program: int, asked: Sequence[int], tangents: Tensors) -> list[torch.Tensor]:
    return program_of(program).pushed(data, tangents, tuple(asked))


def _hessian_product(data: Tensors, program: int, asked: Sequence[int], tangents: Tensors) -> list[torch.Tensor]:
    return program_of(program).hessian_product(data, tangents, tuple(asked))


def _curved(data: Tensors, program: int, asked: Sequence[int], further: Tensors) -> list[torch.Tensor]:
    return program_of(program).curved(data, further, tuple(asked))


def _operator(run: Callable[..., list[torch.Tensor]], further: str = "") -> Any:
    schema = f"(Tensor[] data, int program{further}) -> Tensor[]"
    return torch.library.custom_op(f"daad::{run.__name__[1:]}", run, mutates_args=(), schema=schema)


primal = _operator(_primal)
value_and_gradients = _operator(_value_and_gradients, ", int[] asked")
pulled = _operator(_pulled, ", int[] asked, Tensor[] seeds")
pushed = _operator(_pushed, ", int[] asked, Tensor[] tangents")
hessian_product = _operator(_hessian_product, ", int[] asked, Tensor[] tangents")
curved = _operator(_curved, ", int[] asked, Tensor[] further")
RUNS: dict[Any, Callable[..., list[torch.Tensor]]] = {
    primal: _primal,
    value_and_gradients: _value_and_gradients,
    pulled: _pulled,
    pushed: _pushed,
    hessian_product: _hessian_product,
    curved: _curved,
}
"""What each operator does with plain tensors."""


def _outputs(data: Tensors, program: int, names: str) -> list[torch.Tensor]:
    of = program_of(program).of
    arrays = [of.arrays[name] for name in getattr(of, names)]
    return [data[0].new_empty(array.shape, dtype=getattr(torch, array.dtype)) for array in arrays]


def _like_data(data: Tensors, asked: Sequence[int]) -> list[torch.Tensor]:
    return [torch.empty_like(data[k], memory_format=torch.contiguous_format) for k in asked]


primal.register_fake(lambda data, program: _outputs(data, program, "outputs"))
value_and_gradients.register_fake(
    lambda data, program, asked: [*_outputs(data, program, "outputs"), *_like_data(data, asked)]
)
pulled.register_fake(lambda data, program, asked, seeds: _like_data(data, asked))
pushed.register_fake(lambda data, program, asked, tangents: _outputs(data, program, "float_outputs"))
hessian_product.register_fake(lambda data, program, asked, tangents: _like_data(data, asked))
curved.register_fake(lambda data, program, asked, further: _like_data(data, asked))


def _keep(ctx: Any, inputs: tuple[Any, ...], output: Tensors) -> None:
    """The data for a derivative, and what is asked."""
    data, ctx.program, *_ = inputs
    ctx.save_for_backward(*data)
    ctx.dtypes = [tensor.dtype for tensor in output]
    ctx.set_materialize_grads(False)


def _keep_seeds(ctx: Any, inputs: tuple[Any, ...], output: Tensors) -> None:
    """The data and the seeds."""
    data, ctx.program, asked, seeds = inputs
    ctx.count, ctx.asked = len(data), tuple(asked)
    ctx.save_for_backward(*data, *seeds)
    ctx.set_materialize_grads(False)


def _keep_gradients(ctx: Any, inputs: tuple[Any, ...], output: Tensors) -> None:
    """The gradients, too, which are results of the operator."""
    data, ctx.program, asked, *_ = inputs
    ctx.count, ctx.asked = len(data), tuple(asked)
    ctx.save_for_backward(*data, *output)
    ctx.set_materialize_grads(False)


def _asked(program: int, needed: Sequence[bool]) -> tuple[int, ...]:
    """The places of the data that a derivative is needed for."""
    known = program_of(program)
    count = len(known.call.places)
    asked = tuple([k for k, is_needed in enumerate(needed[:count]) if is_needed])
    if not known.of.active.keys() >= set(asked):
        known.call.require_active(asked, known.of.active)
    return asked


def _spread(count: int, asked: Sequence[int], found: Sequence[Any]) -> list[Any]:
    """A gradient for each of the data; None where none is needed."""
    places = dict(zip(asked, found, strict=True))
    return [places.get(k) for k in range(count)]


def _back_of_primal(ctx: Any, needed: Sequence[bool], seeds: Sequence[torch.Tensor | None]) -> list[Any]:
    data, asked = list(ctx.saved_tensors), _asked(ctx.program, needed)
    of = program_of(ctx.program).of
    arrays = [of.arrays[name] for name in of.outputs]
    whole = [
        data[0].new_zeros(array.shape, dtype=dtype) if seed is None else seed
        for array, dtype, seed in zip(arrays, ctx.dtypes, seeds, strict=True)
    ]
    return _spread(len(data), asked, call(pulled, data, ctx.program, list(asked), whole))


def _back_of_gradients(ctx: Any, needed: Sequence[bool], seeds: Sequence[torch.Tensor | None]) -> list[Any]:
    """The value's seed times the gradients, and the seeds of the gradients times the Hessian."""
    saved, count = ctx.saved_tensors, ctx.count
    asked, known, of_value = _asked(ctx.program, needed), ctx.asked, seeds[0]
    found: list[Any] = [None] * len(asked)
    if of_value is not None:
        gradients = saved[count + 1 :]
        if asked != known and not set(asked) <= set(known):
            known, gradients = asked, call(value_and_gradients, list(saved[:count]), ctx.program, list(asked))[1:]
        first = dict(zip(known, gradients, strict=True))
        weight = of_value.reshape(()) if of_value.ndim else of_value
        found = [weight * first[k] for k in asked]
    if any(seed is not None for seed in seeds[1:]):
        second = _of_hessian(list(saved[:count]), ctx, asked, seeds[1:])
        found = [second[k] if each is None else each + second[k] for k, each in zip(asked, found, strict=True)]
    return _spread(count, asked, found)


def _of_hessian(data: list[Any], ctx: Any, asked: Sequence[int], seeds: Sequence[Any]) -> dict[int, Any]:
    """Seeds of the gradients times the Hessian, by the places of the data."""
    everything = sorted({*asked, *ctx.asked})
    given = dict(zip(ctx.asked, seeds, strict=True))
    tangents = [torch.zeros_like(data[k]) if given.get(k) is None else given[k] for k in everything]
    return dict(zip(everything, call(hessian_product, data, ctx.program, everything, tangents), strict=True))


def _back_of_pulled(ctx: Any, needed: Sequence[bool], tangents: Sequence[torch.Tensor | None]) -> list[Any]:
    """By data, and by seeds, in which it is linear."""
    saved, count, of = ctx.saved_tensors, ctx.count, program_of(ctx.program).of
    data, seeds = list(saved[:count]), saved[count:]
    given = {
        k: torch.zeros_like(data[k]) if tangent is None else tangent
        for k, tangent in zip(ctx.asked, tangents, strict=True)
    }
    asked, found, of_seeds = _asked(ctx.program, needed[:count]), [], dict[str, Any]()
    if asked:
        everything = sorted({*asked, *ctx.asked})
        moved = [given[k] if k in given else torch.zeros_like(data[k]) for k in everything]
        floats = [seed for name, seed in zip(of.outputs, seeds, strict=True) if name in of.float_outputs]
        second = dict(zip(everything, call(curved, data, ctx.program, everything, [*floats, *moved]), strict=True))
        found = [second[k] for k in asked]
    if any(needed[count:]):
        dots = call(pushed, data, ctx.program, list(ctx.asked), [*given.values()])
        of_seeds = dict(zip(of.float_outputs, dots, strict=True))
    return [*_spread(count, asked, found), *(of_seeds.get(name) for name in of.outputs)]


def _refuse(ctx: Any, needed: Sequence[bool], seeds: Sequence[torch.Tensor | None]) -> list[Any]:
    raise LAST


RULES = {
    primal: (_keep, _back_of_primal),
    value_and_gradients: (_keep_gradients, _back_of_gradients),
    pulled: (_keep_seeds, _back_of_pulled),
    pushed: (_keep, _refuse),
    hessian_product: (_keep, _refuse),
    curved: (_keep, _refuse),
}
"""What each operator keeps, and its derivative with respect to the data and, if it has any, to further tensors."""


def _item(argument: Any, axis: Any, number: int) -> Any:
    if isinstance(axis, list | tuple):
        return [_item(each, own, number) for each, own in zip(argument, axis, strict=True)]
    return argument if axis is None else argument.select(axis, number)


def _one_by_one(run: Callable[..., Sequence[torch.Tensor]]) -> Callable[..., Any]:
    """For `torch.func.vmap`: a call for each of the batch."""

    def batched(info: Any, axes: tuple[Any, ...], *arguments: Any) -> tuple[tuple[torch.Tensor, ...], tuple[int, ...]]:
        found = [
            run(*(_item(argument, axis, k) for argument, axis in zip(arguments, axes, strict=True)))
            for k in range(info.batch_size)
        ]
        stacked = tuple(torch.stack(each) for each in zip(*found, strict=True))
        return stacked, (0,) * len(stacked)

    return batched


def _registered(operation: Any, keep: Any, back: Any) -> None:
    """The rule for programs that are compiled or exported, and for all but `torch.func`."""

    def backward(ctx: Any, seeds: Any) -> tuple[Any, ...]:
        lists = [list(each) if isinstance(each, list | tuple) else None for each in ctx.needs_input_grad]
        first, last = lists[0] or [], lists[-1] if len(lists) > 3 and lists[-1] else []
        found = back(ctx, [*first, *last], tuple(seeds))
        count = len(first)
        further = (found[count:] or [None] * len(last),) if len(lists) > 3 else ()
        asked = ([None] * len(ctx.needs_input_grad[2]) if lists[2] is not None else None,) if len(lists) > 2 else ()
        return (found[:count], None, *asked, *further)

    operation.register_autograd(backward, setup_context=keep)
    batched = _one_by_one(operation)

    def of_lists(*arguments: Any) -> tuple[list[torch.Tensor], list[int]]:
        found, axes = batched(*arguments)
        return [*found], [*axes]

    operation.register_vmap(of_lists)


def _functions(operation: Any, keep: Any, back: Any) -> tuple[Any, Any]:
    """The same as functions that no operator costs: of the program, what is asked, how many data there are, then these
    and all further tensors. The second one is for `torch.func`, which asks for more of a function than others wait for.
    """

    class Function(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, program: int, asked: Any, count: int, *tensors: torch.Tensor) -> tuple[torch.Tensor, ...]:
            arguments = _arguments(program, asked, count, tensors)
            found = tuple(_run(operation, tensors, arguments))
            keep(ctx, arguments, found)
            ctx.data_count, ctx.tensor_count = count, len(tensors)
            return found

        @staticmethod
        def backward(ctx: Any, *seeds: Any) -> tuple[Any, ...]:
            found = back(ctx, ctx.needs_input_grad[3:], seeds)
            return (None, None, None, *found, *[None] * (ctx.tensor_count - len(found)))

    class Transformed(torch.autograd.Function):
        @staticmethod
        def forward(program: int, asked: Any, count: int, *tensors: torch.Tensor) -> tuple[torch.Tensor, ...]:
            return tuple(_run(operation, tensors, _arguments(program, asked, count, tensors)))

        @staticmethod
        def setup_context(ctx: Any, inputs: tuple[Any, ...], output: Any) -> None:
            program, asked, count, *tensors = inputs
            keep(ctx, _arguments(program, asked, count, tensors), output)
            ctx.data_count, ctx.tensor_count = count, len(tensors)

        backward = staticmethod(Function.backward)

        @staticmethod
        def vmap(info: Any, axes: tuple[Any, ...], *inputs: Any) -> Any:
            return _one_by_one(Transformed.apply)(info, axes, *inputs)

    return Function, Transformed


def _arguments(program: int, asked: Any, count: int, tensors: Tensors) -> tuple[Any, ...]:
    """Those of an operator."""
    data, further = list(tensors[:count]), list(tensors[count:])
    return (data, program, *(() if asked is None else (list(asked),)), *((further,) if further else ()))


def _run(operation: Any, tensors: Tensors, arguments: tuple[Any, ...]) -> Any:
    """By torch's dispatcher only where somebody may look at operators."""
    is_plain = not torch._C._len_torch_dispatch_stack() and all(type(tensor) in PLAIN for tensor in tensors)
    return (RUNS[operation] if is_plain else operation)(*arguments)


PLAIN = (torch.Tensor, torch.nn.Parameter)
for _operation, _rule in RULES.items():
    _registered(_operation, *_rule)
FUNCTIONS = {operation: _functions(operation, *rule) for operation, rule in RULES.items()}


def call(operation: Any, data: list[torch.Tensor], program: int, asked: Any = None, further: Any = ()) -> Any:
    """An operator for who compiles or exports, and its function for all others."""
    tensors = (*data, *further)
    is_transformed = torch._C._are_functorch_transforms_active()
    if torch.compiler.is_compiling() or (torch._C._len_torch_dispatch_stack() and not is_transformed):
        return operation(*_arguments(program, asked, len(data), tensors))
    if not is_transformed and not (torch.is_grad_enabled() and any(t.requires_grad for t in tensors)):
        return _run(operation, tensors, _arguments(program, asked, len(data), tensors))
    return FUNCTIONS[operation][is_transformed].apply(program, asked, len(data), *tensors)
