"""What `daad doctor` tells of GPUs: which ones there are, what compiles for them, and what is wrong with that."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from daad.errors import DaadError
from daad.messages.sizes import readable
from daad.runtime.gpu import nvcc
from daad.runtime.gpu.cards import cards, current_card
from daad.runtime.gpu.device_driver import driver

Facts = dict[str, Any]


def gpu_facts() -> Facts:
    """`problem`: why programs cannot run on a GPU here, in words."""
    found: Facts = {"cards": [], "driver": None, "nvcc": None, "problem": None}
    problems = [_problem(fill, found) for fill in (_cards, _compiler, _match)]
    return {**found, "problem": next((problem for problem in problems if problem), None)}


def _problem(fill: Callable[[Facts], None], found: Facts) -> str | None:
    try:
        fill(found)
    except DaadError as error:
        return str(error)
    return None


def _cards(found: Facts) -> None:
    found["driver"] = ".".join(map(str, divmod(driver().version // 10, 100)))
    found["cards"] = [
        {"name": card.name, "architecture": f"sm_{card.architecture}", "memory": int(card.memory)} for card in cards()
    ]
    current_card()


def _compiler(found: Facts) -> None:
    made = nvcc.nvcc()
    library = made.cublas()
    found["nvcc"] = {
        "path": str(made.path),
        "version": ".".join(map(str, made.version)),
        "cublas": str(library) if library else None,
    }


def _match(found: Facts) -> None:
    if found["cards"] and found["nvcc"]:
        nvcc.require_match()


def gpu_rows(found: Facts) -> list[tuple[str, str]]:
    """The same as lines; the problem is one where there is a GPU, otherwise what most machines are like."""
    rows = [
        (
            "gpu",
            f"{card['name']}, {card['architecture']}, {readable(card['memory'])}, driver for CUDA {found['driver']}",
        )
        for card in found["cards"]
    ]
    compiler, sentence = found["nvcc"], (found["problem"] or "").partition("\n")[0]
    if compiler:
        products = "with cuBLAS" if compiler["cublas"] else "without cuBLAS"
        rows.append(("nvcc", f"{compiler['path']}: CUDA {compiler['version']}, {products}"))
    return [*rows, ("no gpu", sentence)] if sentence else rows
