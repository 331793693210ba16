"""The options that all commands share, and what they ask."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import click


@dataclass(frozen=True, kw_only=True)
class Question:
    """One command line: which program, at which point, with which options of `daad.grad`."""

    script: str
    arguments: tuple[str, ...]
    function: str | None
    wrt: tuple[str, ...]
    of: tuple[str, ...]
    seed: float | None
    memory_limit: str | None
    allow_undo: bool
    device: str
    json: bool
    quiet: bool

    @property
    def options(self) -> dict[str, Any]:
        """The options that were given, by the names that `daad.grad` knows them by."""
        given = {"seed": self.seed, "memory_limit": self.memory_limit}
        given |= {"allow_undo": True} if self.allow_undo else {}
        given |= {"device": self.device} if self.device != "cpu" else {}
        return {name: value for name, value in given.items() if value is not None}


def _names(_ctx: click.Context, _parameter: click.Parameter, value: str | None) -> tuple[str, ...]:
    return tuple(name.strip() for name in (value or "").split(",") if name.strip())


_SHARED = [
    click.argument("script"),
    click.argument("arguments", nargs=-1, type=click.UNPROCESSED, metavar="[-- SCRIPT ARGUMENTS]"),
    click.option(
        "-f",
        "function",
        metavar="FUNCTION",
        help="Differentiate this at its first call: 'f', 'module.f' or 'Class.method'.",
    ),
    click.option(
        "--wrt",
        callback=_names,
        metavar="A,B",
        help="Parameters or variables of FUNCTION, or variables of the script, to derive for.",
    ),
    click.option(
        "--of",
        callback=_names,
        metavar="C",
        help="What to differentiate: variables, or positions of a returned tuple; default: the returned value.",
    ),
    click.option("--seed", type=float, help="Weight of every element of a non-scalar result; 1.0 means its sum."),
    click.option("--memory-limit", metavar="SIZE", help="Such as 64MiB: the peak of all that a call holds."),
    click.option("--allow-undo", is_flag=True, help="To save memory, take updates back in place, up to rounding."),
    click.option("--device", type=click.Choice(["cpu", "gpu"]), default="cpu", help="Where the gradient runs."),
    click.option("--quiet", is_flag=True, help="No line on a terminal that says what takes long."),
    click.option("--json", is_flag=True, help="Print for machines; what the script prints goes to stderr."),
]


class Asking(click.Command):
    """A command whose script has arguments of its own, all of them after '--'."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        at = args.index("--") if "--" in args else len(args)
        own, scripts = args[:at], args[at + 1 :]
        known = {name for parameter in self.get_params(ctx) for name in parameter.opts}
        for word in own:
            self._refuse_one_dash(ctx, word, known)
        rest = super().parse_args(ctx, own)
        if extra := ctx.params["arguments"]:
            raise click.UsageError(
                f"Got unexpected argument '{extra[0]}'. The script's own arguments come after '--'.", ctx
            )
        ctx.params["arguments"] = tuple(scripts)
        return rest

    def _refuse_one_dash(self, ctx: click.Context, word: str, known: set[str]) -> None:
        """'-of' would be read as '-o f'."""
        name = f"-{word.partition('=')[0]}"
        if name.startswith("--") and name in known:
            raise click.NoSuchOption(name[1:], possibilities=[name], ctx=ctx)


# What belongs to the question; any other option is the command's own.
_FIELDS = tuple(Question.__dataclass_fields__)


def asks(command: Callable[..., None]) -> Callable[..., None]:
    """Decorate a command so that it gets a `Question` first, then its own options."""

    def with_question(**values: Any) -> None:
        question = Question(**{name: values.pop(name) for name in _FIELDS})
        command(question, **values)

    with_question.__doc__ = command.__doc__
    with_question.__click_params__ = getattr(command, "__click_params__", [])  # type: ignore[attr-defined]
    decorated: Callable[..., None] = with_question
    for option in reversed(_SHARED):
        decorated = option(decorated)
    return decorated
