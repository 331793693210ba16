"""Members on two workers of a cluster on this machine, which have caches of their own."""

from __future__ import annotations

import json
import logging
import os
import pickle
import signal
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

import daad
from daad.api.ensemble import by_value, dask_workers, lying_members
from daad.api.ensemble.shipment import Shipment, worker_limit
from daad.api.gradient import Gradient
from daad.api.subject.request import Request
from daad.cli import main
from daad.codegen.interpreted import Interpreted
from daad.errors import BadArgument, DaadError, Unsupported
from tests.api.ensemble.subjects import THETA, TIMES, VALUE_AND_GRADIENT, alone, equal, members

distributed = pytest.importorskip("distributed", reason="needs dask.distributed: pip install 'daad[dask]'")
dask = pytest.importorskip("dask")


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    folder = tmp_path_factory.mktemp("dask")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("DAAD_CACHE", str(folder / "client"))
        options = {"dashboard_address": ":0", "local_directory": str(folder), "silence_logs": logging.CRITICAL}
        cluster = distributed.LocalCluster(n_workers=2, threads_per_worker=1, **options)
        with cluster, distributed.Client(cluster) as found:
            apart(found, folder)
            yield found


def apart(client: Any, folder: Path) -> None:
    """Each worker gets a cache of its own, and the second one no compiler."""
    for number, worker in enumerate(sorted(client.scheduler_info()["workers"])):
        changes = {"DAAD_CACHE": str(folder / str(number)), **({"PATH": ""} if number else {})}
        client.submit(os.environ.update, changes, workers=[worker], pure=False).result()


def test_the_sum_has_the_bits_of_the_serial_one(client: Any) -> None:
    """Compiled by the first worker; the second one, which cannot, loads that code. Each cache holds it afterwards."""
    given = members(50)
    right = alone(VALUE_AND_GRADIENT, given)
    first = min(client.scheduler_info()["workers"])
    with dask.annotate(workers=[first]):
        daad.ensemble(VALUE_AND_GRADIENT, given[:1], client)
    assert equal(daad.ensemble(VALUE_AND_GRADIENT, given, client), right)
    assert equal(daad.ensemble(VALUE_AND_GRADIENT, (member for member in given), client), right)
    mean = daad.ensemble(VALUE_AND_GRADIENT, given, client, "mean")
    assert equal(mean, (right[0] / 50, right[1] / 50))
    entries = client.run(lambda: sorted(path.parent.name for path in Path(os.environ["DAAD_CACHE"]).glob("*/*.so")))
    assert len({*map(str, entries.values())}) == 1
    assert len(next(iter(entries.values()))) == 1


def test_results_come_in_order(client: Any) -> None:
    given = members(9)
    found = daad.ensemble(VALUE_AND_GRADIENT, given, client, reduce=None)
    assert all(equal(one, VALUE_AND_GRADIENT(*member)) for one, member in zip(found, given, strict=True))


def delayed(number: int) -> tuple[Any, ...]:
    return THETA, TIMES, np.full(4, 0.1 * number)


@pytest.mark.parametrize("count", [5, 50])
def test_members_may_lie_on_workers(client: Any, count: int) -> None:
    """One a task, and in batches."""
    given = members(count)
    right = alone(VALUE_AND_GRADIENT, given)
    theta = client.scatter(THETA, hash=False)
    forms = [
        client.map(delayed, range(count)),
        [dask.delayed(delayed)(number) for number in range(count)],
        [(theta, times, observed) for _, times, observed in given],
        [(dask.delayed(np.copy)(THETA), times, client.submit(np.copy, observed)) for _, times, observed in given],
    ]
    for form in forms:
        assert equal(daad.ensemble(VALUE_AND_GRADIENT, form, client), right)


def fails() -> None:
    raise ValueError


def test_what_lies_on_workers_is_brought_together_where_it_is_small(client: Any) -> None:
    small, large = (client.map(np.full, [length, length + 1], [0.5, 0.5]) for length in (4, 2**17))
    shared = client.scatter(np.zeros(2**17))
    enough = partial(lying_members.light_enough, client)
    assert enough([(shared, one) for one in small], None) > 100
    assert enough([(shared, one) for one in large], None) <= 1
    assert enough(small, None) > 100
    assert enough(small, [*small, *large]) <= 1
    assert enough(large, None) <= 1
    assert enough([client.submit(fails)], None) == 1
    assert enough([dask.delayed(fails)()], None) == 1


def test_trees_of_several_levels_have_the_same_bits(client: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """As for large results: sums of four, four times."""
    monkeypatch.setattr(dask_workers, "LARGE", 0)
    monkeypatch.setattr(dask_workers, "_size", lambda *_: 1)
    given = members(70)
    assert equal(daad.ensemble(VALUE_AND_GRADIENT, given, client), alone(VALUE_AND_GRADIENT, given))


def test_a_cluster_may_be_restarted_between_calls(client: Any) -> None:
    given = members(20)
    right = daad.ensemble(VALUE_AND_GRADIENT, given, client)
    client.restart()
    assert equal(daad.ensemble(VALUE_AND_GRADIENT, given, client), right)


class Growing:
    """A cluster that gets another worker whenever somebody counts them."""

    def __init__(self) -> None:
        self.workers = 1

    def nthreads(self) -> dict[str, int]:
        self.workers += 1
        return {str(number): 2 for number in range(self.workers)}


def test_workers_that_come_later_get_work(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dask_workers, "OFTEN", 0.01)
    cluster = Growing()
    ensemble = dask_workers.Ensemble(cluster, "f", None, True, dask_workers.Fold(5, 1), 2)
    for _ in range(20):
        ensemble._await_room()
    assert cluster.workers >= 3
    assert ensemble.threads == 2 * cluster.workers


def test_the_command_line_asks_a_scheduler(client: Any, tmp_path: Path) -> None:
    (tmp_path / "fit.py").write_text(
        "import numpy as np\ndef f(x, y):\n    return np.sum(x * y)\nf(np.ones(2), np.ones(2))"
    )
    np.savez(tmp_path / "members.npz", y=np.arange(6.0).reshape(3, 2))
    command = ["grad", str(tmp_path / "fit.py"), "-f", "f", "--wrt", "x", "--members", str(tmp_path / "members.npz")]
    found = CliRunner().invoke(main, [*command, "--scheduler", client.scheduler.address, "--json"])
    assert found.exit_code == 0, found.output
    assert json.loads(found.stdout)["value"] == 15.0


def test_a_worker_that_is_killed_changes_no_bit(client: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dask_workers, "_size", lambda *_: 4)
    given = members(400)
    right = alone(VALUE_AND_GRADIENT, given)
    before = client.run(os.getpid)

    def coming() -> Iterator[Any]:
        for number, member in enumerate(given):
            if number == 300:
                os.kill(before[max(before)], signal.SIGKILL)
            yield member

    assert equal(daad.ensemble(VALUE_AND_GRADIENT, coming(), client), right)
    client.wait_for_workers(2)
    assert len({*client.run(os.getpid).values()} - {*before.values()}) == 1


REFUSED: list[tuple[str, Any, type[DaadError], str]] = [
    ("no members", [], BadArgument, "There are no members."),
    ("no tuple", [1], BadArgument, "Member 0 is of type 'int' and no tuple of arguments."),
    ("a later one", [*members(9), TIMES], BadArgument, "Member 9 is of type 'ndarray' and no tuple of arguments."),
    (
        "too few arguments",
        [*members(9), (THETA, TIMES)],
        BadArgument,
        "Member 9: The call does not fit 'misfit(theta, times, observed)': missing a required argument: 'observed'.",
    ),
    (
        "shapes that do not fit",
        [*members(9), (THETA, TIMES, np.ones(3))],
        Unsupported,
        "Member 9: This fails without daad, too: operands could not be broadcast together with shapes (4,) (3,).",
    ),
]


@pytest.mark.parametrize(("given", "error", "sentence"), [row[1:] for row in REFUSED], ids=[row[0] for row in REFUSED])
def test_members_are_named_in_errors(client: Any, given: Any, error: type[DaadError], sentence: str) -> None:
    with pytest.raises(error) as caught:
        daad.ensemble(VALUE_AND_GRADIENT, given, client)
    assert caught.value.message == sentence


def test_a_function_of_the_script_is_sent_with_its_text(client: Any) -> None:
    power = 2
    gradient = Gradient(lambda x: np.sum(x**power), Request(value=True), compiler=Interpreted)  # type: ignore[arg-type]
    value, found = daad.ensemble(gradient, [(np.ones(3),), (np.ones(3) * 2,)], client)
    assert value == 15.0
    assert found.tolist() == [6.0, 6.0, 6.0]


def test_code_that_is_sent_by_value_knows_its_file() -> None:
    again = pickle.loads(by_value.dumps(lambda x: x))
    assert again.__code__.co_filename == __file__


def test_a_worker_takes_its_own_memory_limit(client: Any) -> None:
    limits = [
        client.submit(worker_limit, workers=[worker], pure=False).result()
        for worker in client.scheduler_info()["workers"]
    ]
    assert all(limit and limit > 2**20 for limit in limits)
    shipment = Shipment.of(VALUE_AND_GRADIENT)
    assert shipment.opened(2**20)._asked.request.memory_limit == 2**20
    assert shipment.opened(None)._asked.request.memory_limit is None
    bounded = Shipment.of(VALUE_AND_GRADIENT._with(memory_limit=2**16))
    assert bounded.opened(2**20)._asked.request.memory_limit == 2**16
