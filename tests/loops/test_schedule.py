"""Schedules of loops that are run again: complete, within their slots, and with the fewest steps."""

from __future__ import annotations

from math import comb

import pytest

from daad.loops.schedule import NO_SLOT, Schedule, binomial, fewest_advances, last_kept

COUNTS = [(trips, slots) for trips in (1, 2, 3, 7, 10, 35, 64, 100) for slots in range(1, trips + 1, 1 + trips // 9)]


def reversed_order(schedule: Schedule) -> list[int]:
    """Carries out the actions on iteration numbers in place of states."""
    held = {slot: at for at, slot in schedule.kept}
    order = []
    for action in schedule.actions:
        at = held[action.restore]
        for part in action.advances:
            assert part.start == at < part.stop
            at = part.stop
            if part.keep != NO_SLOT:
                assert part.keep < schedule.slots
                held[part.keep] = at
        assert at == action.reverse
        order.append(at)
    return order


@pytest.mark.parametrize(("trips", "slots"), COUNTS)
def test_every_iteration_is_reversed_from_its_own_state(trips: int, slots: int) -> None:
    assert reversed_order(binomial(trips, slots)) == list(range(trips - 1, -1, -1))


def fewest_by_search(trips: int, slots: int, known: dict[tuple[int, int], int]) -> int:
    """The best over all places to keep the next state, by the recursion itself."""
    if trips <= 1:
        return 0
    if slots == 1:
        return trips * (trips - 1) // 2
    if (trips, slots) not in known:
        known[trips, slots] = min(
            at + fewest_by_search(trips - at, slots - 1, known) + fewest_by_search(at, slots, known)
            for at in range(1, trips)
        )
    return known[trips, slots]


@pytest.mark.parametrize(("trips", "slots"), COUNTS)
def test_no_schedule_needs_fewer_steps(trips: int, slots: int) -> None:
    schedule = binomial(trips, slots)
    advances = schedule.steps - trips + last_kept(trips, slots)
    assert advances == fewest_advances(trips, slots) == fewest_by_search(trips, slots, {})


def test_thousand_iterations_with_ten_slots() -> None:
    assert comb(14, 10) >= 1000
    assert (1000 + fewest_advances(1000, 10)) / 1000 == pytest.approx(4.636)


def test_more_slots_than_iterations() -> None:
    assert binomial(3, 10).slots == 3
    assert binomial(0, 5).actions == ()


def test_many_iterations() -> None:
    assert len(binomial(20_000, 15_000).actions) == 20_000
