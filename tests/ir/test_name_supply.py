"""Names that are not taken, found without trying again what was tried before."""

from __future__ import annotations

from daad.ir.name_supply import NameSupply
from daad.ir.parser import parse

PROGRAM = parse("program f(i: float64[3], n)\n  loop t = 0 .. n:\n    for j in 0 .. 3:  i[j] = 0.0\n")


class Counting(NameSupply):
    """Counts how often it is asked for a name."""

    asked = 0

    def __contains__(self, name: str) -> bool:
        self.asked += 1
        return super().__contains__(name)


def test_names_of_a_program_are_taken() -> None:
    names = NameSupply.of(PROGRAM)
    assert [names.free(name) for name in ("i", "n", "t", "j", "x")] == ["i_1", "n_1", "t_1", "j_1", "x"]


def test_new_names_are_taken_free_ones_are_not() -> None:
    names = NameSupply(("x_1",))
    assert [names.free("x"), names.free("x"), names.new("x"), names.new("x"), names.free("x")] == [
        "x", "x", "x", "x_2", "x_3",
    ]  # fmt: skip


def test_what_a_part_takes_is_free_beside_it() -> None:
    names = NameSupply.of(PROGRAM)
    inner = names.within(("x",))
    assert (inner.new("x"), inner.new("i"), names.new("x"), names.new("i")) == ("x_1", "i_1", "x", "i_1")


def test_axes() -> None:
    assert NameSupply(("j",)).axes(8) == ["i", "j_1", "k", "l", "m", "n", "i_1", "j_2"]


def test_each_name_is_found_where_the_last_search_ended() -> None:
    names = Counting()
    made = [names.new("x") for _ in range(100)]
    assert made[-1] == "x_99"
    assert names.asked <= 2 * len(made)
