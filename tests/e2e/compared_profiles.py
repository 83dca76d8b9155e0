# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Profiles to compare, and what holds in every comparison: for tests of `heddle compare`."""
import json
import shutil
import subprocess

import pytest

from conftest import HEDDLE, TIMEOUT_S, environment_for


# A balanced loop, one whose last iterations cost most, a critical section; one region is opened more often with more
# threads and one at 2 threads only. Argument 1: how much work; argument 2: "fail", "die", "twice" (balanced() from a
# second place).
WORK = r"""
#include <omp.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
static volatile double sink;
static long count;
static void work(long n) { double x = 0; for (long i = 0; i < n; i++) x += (double)i * 0.5; sink = x; }
__attribute__((noinline)) static void balanced(long n) {
#pragma omp parallel for
  for (int i = 0; i < 100; i++) work(n);
}
__attribute__((noinline)) static void uneven(long n) {
#pragma omp parallel
  {
#pragma omp for
    for (int i = 0; i < 100; i++) work(n * i / 50);
#pragma omp critical
    count++;
  }
}
__attribute__((noinline)) static void often(long n) {
#pragma omp parallel
  work(n);
}
__attribute__((noinline)) static void seldom(long n) {
#pragma omp parallel
  work(n);
}
__attribute__((noinline)) static void second(long n) { balanced(n); count--; }
int main(int argc, char **argv) {
  const long n = argc > 1 ? atol(argv[1]) : 1000;
  const char *what = argc > 2 ? argv[2] : "";
  work(20 * n);
  balanced(n);
  uneven(n);
  for (int i = 0; i < omp_get_max_threads(); i++) often(n);
  if (omp_get_max_threads() == 2) seldom(5 * n);
  if (!strcmp(what, "twice")) second(n);
  if (!strcmp(what, "die")) raise(SIGKILL);
  return !strcmp(what, "fail");
}
"""
EDITED = WORK.replace("static long count;", "static long count;\n\n\n").replace("count++", "count += 2")
CAUSES = ("serial", "imbalance", "barrier_explicit", "locks", "tasks", "runtime", "scheduling", "task_creation", "mpi", "other",
          "work_inflation")
N = 20000


@pytest.fixture(scope="module")
def record(build_program):
    """record(file, threads, n, ..., source=, events=) runs the program under `heddle run`."""

    def run(file, threads, *arguments, source=WORK, events=None, status=0):
        file.parent.mkdir(parents=True, exist_ok=True)
        program = build_program(source, flags=("-fno-inline",))
        asked = ["-e", events] if events else []
        env = environment_for(19, threads, {"OMP_WAIT_POLICY": "passive"})
        result = subprocess.run([HEDDLE, "run", "-q", *asked, "-o", file, "--", program, *map(str, arguments or (N,))],
                                env=env, capture_output=True, timeout=TIMEOUT_S)
        assert result.returncode == status, result.stderr
        return file

    return run


@pytest.fixture(scope="module")
def scanned(record, tmp_path_factory):
    """Three repeats at 1 and 2 threads."""
    folder = tmp_path_factory.mktemp("compare") / "scan"
    for repeat in (1, 2, 3):
        for threads in (1, 2):
            record(folder / f"t{threads}.r{repeat}.heddle", threads)
    (folder / "scan.json").write_text("{}")
    (folder / "t1.r1.out").write_text("what the program printed\n")
    return folder


@pytest.fixture(scope="module")
def edited(record, tmp_path_factory):
    """Three runs of another build with 2 threads."""
    folder = tmp_path_factory.mktemp("compare") / "edited"
    for repeat in (1, 2, 3):
        record(folder / f"{repeat}.heddle", 2, source=EDITED)
    return folder


@pytest.fixture
def twos(scanned, tmp_path):
    folder = tmp_path / "twos"
    folder.mkdir()
    for file in scanned.glob("t2*.heddle"):
        shutil.copy(file, folder)
    return folder


@pytest.fixture
def compare(run_heddle):
    def run(*arguments, status=0):
        result = run_heddle("compare", *arguments)
        assert result.returncode == status, (result.returncode, result.stdout[-500:], result.stderr)
        run.stderr = result.stderr
        return result.stdout

    return run


@pytest.fixture
def load(compare):
    """The comparisons in the JSON, each seen to add up."""

    def run(*arguments):
        loaded = json.loads(compare("--json", *arguments))
        assert loaded["heddle_compare"] == 1
        for comparison in loaded["comparisons"]:
            assert_adds_up(comparison)
        return loaded["comparisons"]

    return run


def assert_adds_up(comparison):
    """To the tick, in every row and at every point."""
    seen = 0
    for row in comparison["rows"]:
        base = row["at"][0]
        for at in filter(None, row["at"]):
            threads = comparison["runs"][at["run"]]["threads"]
            where = (row["text"], comparison["points"][at["point"]]["label"])
            assert at["capacity_ticks"] == at["busy_ticks"] + sum(at["not_busy_ticks"].values()), where
            assert at["matched"] == (base is not None)
            assert len(at["seconds"]) == at["runs"] and min(at["seconds"]) <= at["time_s"] <= max(at["seconds"])
            if row["kind"] in ("program", "region"):
                assert at["capacity_ticks"] == threads * at["time_ticks"], where
            if not at["matched"]:
                assert at["lost_ticks"] is None and at["speedup"] is None
                continue
            lost = at["lost_ticks"]
            assert tuple(lost) == CAUSES
            assert sum(lost.values()) == at["lost_total_ticks"] == at["capacity_ticks"] - base["capacity_ticks"], where
            assert lost["work_inflation"] == at["busy_ticks"] - base["busy_ticks"], where
            for cause in CAUSES:
                assert close(at["lost_s"][cause] * threads, lost[cause] * comparison["seconds_per_tick"]), where
            assert close(at["lost_total_s"], sum(at["lost_s"].values())), where
            seen += 1
    assert seen >= 2 * len(comparison["points"])


def close(a, b):
    return abs(a - b) <= 1e-9 * (1 + abs(a) + abs(b))


def flat(text):
    """Without the ends of lines."""
    return " ".join(text.split())


def row_of(comparison, text):
    found = [row for row in comparison["rows"] if text in row["text"]]
    assert len(found) == 1, (text, [row["text"] for row in comparison["rows"]])
    return found[0]
