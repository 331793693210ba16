"""`daad jacobian`, `hessian`, `jvp`, `vjp` and `hvp`: what else there is to ask of a script's derivatives."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import click
import numpy as np

import daad
from daad.api.subject import arguments as calls
from daad.cli.exit_codes import CHECK_FAILED, exit_codes
from daad.cli.files import require_writable, save
from daad.cli.measure import primal_seconds, run_check, shortest, timed
from daad.cli.options import Asking, Question, asks
from daad.cli.output import Outcome, print_json, print_table
from daad.cli.script_subject import Subject, subject
from daad.errors import BadArgument
from daad.frontend import structures

Call = Callable[..., Any]
TANGENT = "An .npz file with the tangent of each name of --wrt; without it, all of them are ones."


@dataclass(frozen=True, kw_only=True)
class Kind:
    """A command: what it makes of the program, what a call gives, and which product of `daad.check` it is."""

    help: str
    make: Callable[..., Any]
    checked: str
    options: tuple[str, ...] = ()
    takes_tangent: bool = False
    value: bool = False


KINDS = {
    "jacobian": Kind(
        help="Compute the Jacobian of a function or variable of SCRIPT.",
        make=daad.jacobian,
        checked="jacobian",
        options=("mode", "sparse"),
    ),
    "hessian": Kind(
        help="Compute the Hessian of a scalar function or variable of SCRIPT.",
        make=daad.hessian,
        checked="hvp",
        options=("sparse",),
    ),
    "jvp": Kind(
        help="Multiply the Jacobian of SCRIPT's program by a tangent, by forward mode.",
        make=daad.jvp,
        checked="jvp",
        takes_tangent=True,
        value=True,
    ),
    "vjp": Kind(
        help="Multiply a seed by the Jacobian of SCRIPT's program, by reverse mode.", make=daad.vjp, checked="vjp"
    ),
    "hvp": Kind(
        help="Multiply the Hessian of SCRIPT's program by a tangent.", make=daad.hvp, checked="hvp", takes_tangent=True
    ),
}
OPTIONS = {
    "mode": click.option("--mode", type=click.Choice(["auto", "forward", "reverse"]), default="auto", help="By shape."),
    "sparse": click.option("--sparse", is_flag=True, help="As a sparse matrix, by one product for each colour."),
}


def command_of(name: str) -> click.Command:
    """The command of this name."""
    kind = KINDS[name]

    def command(question: Question, check: bool, saved: str | None, tangent: str | None = None, **own: Any) -> None:
        with exit_codes():
            passed = run(name, question, check, saved, tangent, own)
        sys.exit(0 if passed else CHECK_FAILED)

    command.__doc__ = kind.help
    made: Any = asks(command)
    made = click.option("--check", is_flag=True, help="Compare with finite differences; exit code 1 if wrong.")(made)
    made = click.option("--save", "saved", metavar="FILE.npz", help="Write the results, each under its name.")(made)
    if kind.takes_tangent:
        made = click.option("--tangent", metavar="FILE.npz", help=TANGENT)(made)
    for option in kind.options:
        made = OPTIONS[option](made)
    return click.command(name, cls=Asking)(made)


def run(
    name: str, question: Question, check: bool, saved: str | None, tangent: str | None, own: Mapping[str, Any]
) -> bool:
    """Everything the command does; False when the check failed."""
    require_writable(saved)
    with subject(question) as found:
        options = {key: value for key, value in question.options.items() if key != "seed" or name not in ("jvp", "vjp")}
        made = KINDS[name].make(found.function, wrt=found.wrt, of=found.of, **options, **own)
        call = _call(name, made, found, question, tangent)
        report = run_check(found, options, product=KINDS[name].checked) if check else None
        outcome = _outcome(name, made, call, found, report)
    if saved:
        save(saved, _plain(outcome.gradients))
    (print_json if question.json else print_table)(outcome)
    return outcome.check is None or bool(outcome.check)


def _call(name: str, made: Any, found: Subject, question: Question, tangent: str | None) -> Call:
    """One call of the product, as a function of the program's arguments."""
    if KINDS[name].takes_tangent:
        return lambda *args, **kwargs: made(*args, **kwargs, tangent=_tangent(made, found, tangent))
    if name != "vjp":
        return made

    def pulled(*args: Any, **kwargs: Any) -> Any:
        value, pull = made(*args, **kwargs)
        return value, pull(_filled(value, 1.0 if question.seed is None else question.seed))

    return pulled


def _filled(like: Any, number: float) -> Any:
    """The number everywhere in a structure where there is a float."""
    if structures.parts(like) is not None:
        return structures.rebuilt(like, lambda _, item: _filled(item, number))
    return np.full(np.shape(like), number, np.asarray(like).dtype)[()] if calls.is_float(like) else None


def _tangent(made: Any, found: Subject, file: str | None) -> tuple[Any, ...]:
    """What is given for each name of --wrt, or ones."""
    args, kwargs = found.fresh()
    chosen = made._chosen(made._bound(args, kwargs))
    if file is None:
        return tuple(_filled(value, 1.0) for value in chosen.values())
    try:
        given = dict(np.load(file))
    except (OSError, ValueError) as error:
        raise BadArgument(f"'{file}' cannot be read: {error}.", hint="Write it with np.savez.") from None
    missing = next((name for name in chosen if name not in given), None)
    if missing is not None:
        hint = "Save it with np.savez under that name."
        raise BadArgument(f"'{file}' holds no tangent of '{missing}'.", hint=hint)
    return tuple(given[name] for name in chosen)


def _outcome(name: str, made: Any, call: Call, found: Subject, check: Any) -> Outcome:
    first_call, returned = timed(call, found)
    has_value = name in ("jvp", "vjp")
    value, result = returned if has_value else (None, returned)
    return Outcome(
        what=name,
        program=f"{found.name} ({found.script})",
        value=value,
        gradients=_named(name, result, found),
        primal_seconds=primal_seconds(found),
        gradient_seconds=shortest(call, found),
        first_call_seconds=first_call,
        peak_bytes=None,
        check=check,
    )


def _named(name: str, result: Any, found: Subject) -> dict[str, Any]:
    """Results by the names of what they belong to: outputs, or what is differentiated with respect to, or both."""
    if name == "jvp":
        whole = structures.leaves("result", result)
        return {way: leaf for way, leaf in whole if leaf is not None}
    if name in ("vjp", "hvp"):
        pairs = zip(found.wrt, result, strict=True)
        return dict(leaf for own, part in pairs for leaf in calls.gradients(own, part))
    leaves = [leaf for _, leaf in structures.leaves("", result) if leaf is not None]
    each = max(1, len(found.wrt))
    outputs = len(leaves) // each
    shown = [f"result[{k // each}], " if outputs > 1 else "" for k in range(len(leaves))]
    names = [found.wrt[k % each] if len(leaves) % each == 0 else f"[{k}]" for k in range(len(leaves))]
    return {first + own: leaf for first, own, leaf in zip(shown, names, leaves, strict=True)}


def _plain(found: Mapping[str, Any]) -> dict[str, Any]:
    """Arrays to be written: of a sparse matrix its three arrays and its shape."""
    out: dict[str, Any] = {}
    for name, value in found.items():
        if hasattr(value, "indptr"):
            parts = {"data": value.data, "indices": value.indices, "indptr": value.indptr, "shape": value.shape}
            out |= {f"{name}.{part}": np.asarray(array) for part, array in parts.items()}
        else:
            out[name] = value
    return out
