"""What programs write to files is left out; the gradient is that of the program without it."""

from __future__ import annotations

import csv
import json
import os
import pickle
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pytest
from loguru import logger
from scipy.io import savemat

from tests.corpus.case import row
from tests.oracle import check_gradient
from tests.programs import interpreted


def logged(x, folder):
    log = open(os.path.join(folder, "log.txt"), "w")  # noqa: SIM115
    for step in range(300):
        x = x * 0.995
        print(step, x[0], file=log)
        if step % 100 == 0:
            with open(f"{folder}/state_{step}.txt", "a") as file:
                file.write(f"{step} {x[1]:.3f}\n")
            np.savez(f"{folder}/state_{step}", x=x, step=step)
    log.flush()
    log.close()
    return np.sum(x**2)


def in_all_ways(x, folder):
    path = Path(folder) / "all.txt"
    with path.open("w") as file, open(folder + "/table.csv", "w", newline="") as other:
        table = csv.writer(other, delimiter=",")
        table.writerow(["a", "b"])
        table.writerow([x[0], x[1] * 2.0])
        json.dump({"x": [float(v) for v in x]}, file, indent=2)
        file.writelines(f"{v}\n" for v in x)
        np.savetxt(file, x, fmt="%g")
    with open(folder + "/x.pickle", "wb") as file:
        pickle.dump(x, file)
    path.write_text(str(x[0]))
    np.save(folder + "/x.npy", x)
    (x * 2.0).tofile(folder + "/x.bin")
    savemat(folder + "/x.mat", {"x": x})
    with h5py.File(folder + "/x.h5", "w") as arrays:
        steps = arrays.create_dataset("steps", (2, 3))
        for k in range(2):
            x = x * 0.9
            steps[k] = x
        arrays.attrs["count"] = 2
    logger.info("written {}", x[0])
    return np.sum(x**3)


def changed_by_what_is_written(x, folder):
    kept = [x[0]]
    with open(folder + "/a.txt", "w") as file:
        file.write(str(kept.pop()))
        np.savetxt(file, [kept.append(v) or v for v in x])
    return np.sum(x) * len(kept)


def read_and_written(x, folder):
    factors = np.loadtxt(folder + "/in.txt")
    if not os.path.exists(folder + "/out.txt"):
        x = x * factors
    np.savetxt(folder + "/out.txt", x)
    return np.sum(x**2)


@pytest.mark.parametrize("program", [logged, in_all_ways, changed_by_what_is_written, read_and_written])
def test_gradient_is_that_without_files(program: Any, tmp_path: Path) -> None:
    folder = tmp_path / "of the gradient"
    folder.mkdir()
    np.savetxt(folder / "in.txt", [1.0, 2.0, 3.0])

    def of_numpy(x):
        for file in folder.glob("[!i]*"):
            file.unlink()
        return program(x, str(folder))

    def arguments() -> tuple[Any, ...]:
        return np.array([0.5, -1.2, 0.8]), str(folder)

    gradient = interpreted(row(program, arguments, "x"))(*arguments())
    assert [file.name for file in folder.iterdir()] == ["in.txt"]
    check_gradient(gradient, row(of_numpy, lambda: arguments()[:1], "x"))
