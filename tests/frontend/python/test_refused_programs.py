"""Programs that users write and daad refuses: each block of golden/refused.txt is a program and the error that it gets.

`pytest --update-golden` writes the errors; the difference is read in review. What begins with "This fails without daad,
too" is NumPy's or Python's own sentence.
"""

from __future__ import annotations

import linecache
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

from daad.api.gradient import Gradient
from daad.api.subject.request import Request
from daad.codegen.interpreted import Interpreted
from daad.errors import DaadError, InternalError

GOLDEN = Path(__file__).parent / "golden" / "refused.txt"
HEADER = """\
import contextlib, copy, functools, itertools, logging, random
import numpy as np
from scipy import integrate, sparse, special
RNG = np.random.default_rng(0)
class Thing: value = 1.0
THING = Thing()
"""


@dataclass(frozen=True)
class Block:
    """The body of a function of five floats `x`, and how the refusal prints."""

    name: str
    body: str
    error: str

    def refused(self) -> DaadError:
        """The error of the program."""
        lines = "".join(f"    {line}\n" for line in self.body.splitlines())
        text = f"{HEADER}def f(x):\n{lines}"
        file = f"{self.name.replace(' ', '_')}.py"
        linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
        namespace: dict[str, object] = {}
        exec(compile(text, file, "exec"), namespace)
        with pytest.raises(DaadError) as caught:
            Gradient(namespace["f"], Request(), compiler=Interpreted)(np.array([0.3, 1.2, 0.7, 2.1, 1.6]))  # type: ignore[arg-type]
        return caught.value


def blocks() -> list[Block]:
    """What the file holds: '== name', the body, the error from the line with its class on."""
    found = []
    for part in GOLDEN.read_text().split("\n== ")[1:]:
        name, _, rest = part.partition("\n")
        body, _, error = rest.partition("\ndaad.")
        found.append(Block(name, body.strip("\n"), f"daad.{error.strip()}"))
    return found


@pytest.mark.parametrize("block", blocks(), ids=lambda block: block.name)
def test_refusal_prints_line_carets_sentence_and_hint(block: Block, request: pytest.FixtureRequest) -> None:
    error = block.refused()
    assert not isinstance(error, InternalError), str(error)
    assert error.at is not None
    assert error.hint
    if not request.config.getoption("--update-golden"):
        assert error.render() == block.error


def test_golden_file_is_written_from_the_errors(request: pytest.FixtureRequest) -> None:
    if not request.config.getoption("--update-golden"):
        pytest.skip("only with --update-golden")
    parts = [f"== {block.name}\n{block.body}\n\n{block.refused().render()}\n" for block in blocks()]
    GOLDEN.write_text(GOLDEN.read_text().split("\n== ")[0] + "\n" + "\n".join(parts))


def test_there_are_many_refusals() -> None:
    assert len(blocks()) >= 100
