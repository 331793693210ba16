#!/usr/bin/env python3
"""What a pause costs a loop that two threads share, as Markdown: by OpenMP and by the team of daad.

A loop of a millisecond for one thread runs again and again, with pauses in between; medians and the ninth of ten, in
milliseconds. OpenMP's threads sleep after a few microseconds, as the team's do (GOMP_SPINCOUNT).
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from daad.codegen.cpp.thread_team import TEAM  # noqa: E402

PAUSES = (0, 1, 10, 50)  # milliseconds
CODE = """
#include <stdint.h>
#include <stddef.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
%(team)s
static volatile double sums[2000];
static void piece(int64_t i) {
    double x = i;
    for (int k = 0; k < 500; ++k) x = x * 0.999 + 1.0;
    sums[i] = x;
}
static void alone() { for (int64_t i = 0; i < 2000; ++i) piece(i); }
static void by_openmp() {
    #pragma omp parallel for
    for (int64_t i = 0; i < 2000; ++i) piece(i);
}
static void by_team() {
    daad::share(2000, 0, 2, [](int64_t first, int64_t last, int) { for (int64_t i = first; i < last; ++i) piece(i); });
}
static int order(const void* a, const void* b) {
    return *(const double*)a < *(const double*)b ? -1 : 1;
}
int main() {
    daad_threads = 2;
    omp_set_num_threads(2);
    void (*const ways[])() = {alone, by_openmp, by_team};
    const int pauses[] = {%(pauses)s};
    for (int pause : pauses) {
        printf("| %%d ms |", pause);
        for (auto way : ways) {
            double taken[%(repeats)d];
            for (double& time : taken) {
                usleep(1000 * pause);
                const double start = omp_get_wtime();
                way();
                time = 1e3 * (omp_get_wtime() - start);
            }
            qsort(taken, %(repeats)d, sizeof(double), order);
            printf(" %%.2f | %%.2f |", taken[%(repeats)d / 2], taken[%(repeats)d * 9 / 10]);
        }
        printf("\\n");
    }
}
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeats", type=int, default=100)
    values = {"team": TEAM, "pauses": ", ".join(map(str, PAUSES)), "repeats": parser.parse_args().repeats}
    with tempfile.TemporaryDirectory() as folder:
        source, program = Path(folder) / "team.cpp", Path(folder) / "team"
        source.write_text(CODE % values)
        subprocess.run(["c++", "-std=c++20", "-O2", "-fopenmp", "-pthread", source, "-o", program], check=True)
        print("| pause | one thread | | OpenMP | | team | |\n|---|--:|--:|--:|--:|--:|--:|", flush=True)
        subprocess.run([program], check=True, env={**os.environ, "GOMP_SPINCOUNT": "500"})


if __name__ == "__main__":
    main()
