"""A benchmark kernel: the program in NumPy and in JAX, its arguments at each preset, and what is differentiated."""

from __future__ import annotations

import ast
import importlib
import importlib.util
import inspect
import pkgutil
import textwrap
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from types import ModuleType
from typing import Any

import numpy as np

from npbench_runs import kernels

PRESETS = ("tiny", "S", "M", "L", "paper")
JAX = "npbench_runs.kernels.in_jax"


@dataclass(frozen=True, kw_only=True)
class Kernel:
    """A program and the point at which it is differentiated.

    The loss is the sum over `output` (an argument that `function` writes, by name; None, what it returns; or a
    position in the returned tuple), each element weighted with `seed`. `initialise(**sizes)` gives fresh arguments in
    the order of the parameters, the same ones each time. `in_jax` is the name of the module whose function `kernel`
    takes the same arguments and returns the output; `other_jax` gives another such function.
    """

    name: str
    function: Callable[..., Any]
    initialise: Callable[..., tuple[Any, ...]]
    sizes: Mapping[str, Mapping[str, Any]]
    output: str | int | None
    in_jax: str
    other_jax: Callable[[], Callable[..., Any]] | None = None
    origin: str = "npbench_runs"

    @property
    def parameters(self) -> tuple[str, ...]:
        """The names of the arguments."""
        return tuple(inspect.signature(self.function).parameters)

    def arguments(self, preset: str) -> tuple[Any, ...]:
        """Fresh arguments at a preset."""
        return self.initialise(**self.sizes[preset])

    def wrt(self, arguments: tuple[Any, ...]) -> tuple[str, ...]:
        """The arguments that the benchmark differentiates with respect to: all float arrays."""
        return tuple(n for n, value in zip(self.parameters, arguments, strict=True) if is_float_array(value))

    def seed(self, output: np.ndarray) -> float | np.ndarray:
        """One, for the plain sum; random numbers where the rows of the output sum to one whatever the input is."""
        sums = output.sum(axis=-1) if output.ndim > 1 else np.zeros(1)
        return weights(output) if np.allclose(sums, 1.0, rtol=1e-5) else 1.0

    def select(self, result: Any, arguments: tuple[Any, ...]) -> np.ndarray:
        """The output, from what the NumPy function returned and its arguments after the call."""
        if isinstance(self.output, str):
            return arguments[self.parameters.index(self.output)]
        return np.asarray(result if self.output is None else result[self.output])

    @property
    def has_loops(self) -> bool:
        """Whether the NumPy program has sequential loops."""
        return any(isinstance(node, (ast.For, ast.While)) for tree in trees(self.function) for node in ast.walk(tree))

    @property
    def numpy_lines(self) -> int:
        """Lines of code of the NumPy program."""
        return sum(map(code_lines, trees(self.function)))

    @property
    def jax_lines(self) -> int:
        """Lines of code of the JAX program."""
        return sum(map(code_lines, trees(self.jax_function())))

    def jax_function(self) -> Callable[..., Any]:
        """The program in JAX; imports JAX."""
        return self.other_jax() if self.other_jax else importlib.import_module(self.in_jax).kernel


def weights(output: np.ndarray) -> np.ndarray:
    """Random numbers between 0 and 1 in the shape and the precision of the output, the same ones each time."""
    return np.random.default_rng(3).random(output.shape).astype(output.dtype)


def is_float_array(value: Any) -> bool:
    """float32 or float64, with at least one dimension."""
    return isinstance(value, np.ndarray) and value.dtype in (np.float32, np.float64)


def names() -> tuple[str, ...]:
    """The names of all kernels of the suite, sorted."""
    found = (module.name for module in pkgutil.iter_modules(kernels.__path__) if not module.ispkg)
    return tuple(sorted(name for name in found if not name.startswith("_")))


def load(name: str) -> Kernel:
    """A kernel of the suite."""
    module = importlib.import_module(f"{kernels.__name__}.{name}")
    return Kernel(
        name=name,
        function=module.kernel,
        initialise=module.initialise,
        sizes=module.SIZES,
        output=module.OUTPUT,
        in_jax=f"{JAX}.{name}",
    )


def trees(function: Callable[..., Any]) -> Iterator[ast.FunctionDef]:
    """The syntax trees of a function and of those that it calls, as far as they are written beside it."""
    todo, seen = [inspect.unwrap(function)], set()
    while todo:
        one = todo.pop()
        if one in seen:
            continue
        seen.add(one)
        tree = ast.parse(textwrap.dedent(inspect.getsource(one))).body[0]
        assert isinstance(tree, ast.FunctionDef), f"'{one}' is no function"
        yield tree
        names = sorted({node.id for node in ast.walk(tree) if isinstance(node, ast.Name)})
        called = (inspect.unwrap(one.__globals__[n]) for n in names if callable(one.__globals__.get(n)))
        todo += [f for f in called if inspect.isfunction(f) and is_beside(f, one)]


def is_beside(function: Callable[..., Any], other: Callable[..., Any]) -> bool:
    """Whether two functions come from one folder."""
    one, two = (inspect.getsourcefile(f) or "" for f in (function, other))
    return one.rpartition("/")[0] == two.rpartition("/")[0]


def code_lines(tree: ast.FunctionDef) -> int:
    """Lines of a function that hold code: no comments, docstrings, empty lines."""
    body = tree.body[1:] if ast.get_docstring(tree, clean=False) is not None else tree.body
    lines = {n for node in body for n in range(node.lineno, (node.end_lineno or node.lineno) + 1)}
    header = range(tree.lineno, tree.body[0].lineno)
    return len({*lines, *header})


def module_of(path: Any, name: str) -> ModuleType:
    """The Python file at `path`, imported as `name`."""
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None, f"no module at '{path}'"
    assert spec.loader is not None, f"no loader for '{path}'"
    loaded = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(loaded)
    return loaded
