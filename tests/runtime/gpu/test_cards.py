"""What a driver tells of its GPUs, and what is wrong with one that cannot be used: one sentence each."""

from __future__ import annotations

import ctypes
import re
from collections.abc import Iterator

import pytest

from daad.errors import DeviceError
from daad.runtime.gpu import cards, device_driver
from tests.runtime.gpu import stand_in
from tests.runtime.gpu.stand_in import StandIn


@pytest.fixture
def nothing_known() -> Iterator[None]:
    stand_in.forget()
    yield
    stand_in.forget()


def test_what_a_card_is(gpu: StandIn) -> None:
    gpu.reset(devices=2, architecture=103, memory=1 << 34)
    known = cards.cards()
    assert [card.ordinal for card in known] == [0, 1]
    assert (known[0].name, known[0].architecture, known[0].memory) == ("Stand-in", 103, 1 << 34)
    assert known[0].free_memory() == (1 << 34) - gpu.bytes


def test_the_card_that_another_library_has_chosen(gpu: StandIn) -> None:
    gpu.reset(devices=2)
    assert cards.current_card().ordinal == 0
    with cards.card(1).current():
        assert cards.current_card().ordinal == 1
    assert gpu.contexts == 0


PROBLEMS = {
    "no GPU": (dict(devices=0), "There is no NVIDIA GPU that can be used."),
    "none that is shown": (dict(init=100), "There is no NVIDIA GPU that can be used."),
    "a library for building": (dict(init=34), "stands for a driver at build time only"),
    "two drivers": (dict(init=803), "The driver of the GPU in the kernel is another one than its library."),
    "a fork": (dict(init=3), "forked from one which had used it"),
    "an old card": (dict(architecture=61), "The GPU 'Stand-in' is too old: sm_61, and programs need sm_75."),
}


@pytest.mark.parametrize("problem", PROBLEMS)
def test_what_is_wrong_in_one_sentence(problem: str, gpu: StandIn) -> None:
    settings, sentence = PROBLEMS[problem]
    gpu.reset(**settings)
    with pytest.raises(DeviceError, match=re.escape(sentence)) as caught:
        cards.current_card()
    assert caught.value.hint is not None and caught.value.hint.endswith(".")


def test_no_driver(nothing_known: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(device_driver, "NAME", "libno-such-driver.so.1")
    with pytest.raises(DeviceError, match=r"^There is no driver for NVIDIA GPUs: 'libno-such-driver\.so\.1' cannot be"):
        cards.current_card()


def test_an_old_driver(nothing_known: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(device_driver, "NAME", ctypes.CDLL(None)._name)  # a library without these functions
    with pytest.raises(DeviceError, match=r"^The driver of the GPU is too old: it has no 'cu\w+'"):
        cards.current_card()


def test_a_program_larger_than_the_memory(gpu: StandIn) -> None:
    gpu.reset(memory=2**20)
    cards.current_card().require_memory(2**20)
    with pytest.raises(DeviceError, match=r"^A call holds 2 MiB, and the memory of the GPU 'Stand-in' is 1 MiB"):
        cards.current_card().require_memory(2**21)


def test_memory_that_is_not_left(gpu: StandIn) -> None:
    gpu.reset(memory=2**20)
    address = ctypes.c_ulonglong()
    with cards.current_card().current() as found, pytest.raises(DeviceError, match=r"not enough memory left for 4 MiB"):
        found("cuMemAlloc_v2", ctypes.byref(address), 2**22, wanted=2**22)


def test_what_none_can_foresee_is_a_defect(gpu: StandIn) -> None:
    with pytest.raises(
        RuntimeError, match=r"'cuDeviceGet' of the GPU's driver failed: a fault of the stand-in \(error"
    ):
        device_driver.driver().number("cuDeviceGet", 5)
