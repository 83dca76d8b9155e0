# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs with a planted flaw in each region, at 1 and 2 threads: `heddle scale` must name the cause of each.

What is asked is the name of the largest cause and that it is most of what is lost; every flaw loses at least a quarter of
its region's work, and a fault-free region loses less than any of them. Ticks must add up exactly in every row. Work is
sleep where it can be, which is the same on a busy machine; what slows work down itself needs two processors.
"""
import json
import os

import pytest

from conftest import libomp_folder, marks
from timed import check_times

pytestmark = pytest.mark.timed

# Work is short and often, so that most repeats are not disturbed; where threads sleep there is little to disturb.
UNITS = {"sleep": 50000, "work": 20000}  # of about 1 us
REPEATS = {"sleep": 3, "work": 5}
CAUSES = {"serial", "imbalance", "barrier_explicit", "locks", "tasks", "runtime", "scheduling", "task_creation", "mpi", "other",
          "work_inflation"}

FLAWS = {"single": "serial", "imbalance": "imbalance", "critical": "locks", "sharing": "work_inflation",
         "tiny": "runtime"}
SHAPES = {"master": "serial", "first": "serial", "more": "imbalance", "uneven": "barrier_explicit",
          "sections": "imbalance", "reduction": "imbalance", "lock": "locks", "ordered": "locks", "tasks": "tasks",
          "taskloop": "tasks", "taskwait": "tasks", "atomic": "work_inflation"}
# GCC's code does not tell of a master, nor an explicit barrier from the end of a static loop.
GCC_SHAPES = {**SHAPES, "master": "imbalance", "first": "imbalance", "uneven": "imbalance"}

NEEDS_PROCESSORS = {"sharing", "atomic"}

each_policy = pytest.mark.parametrize("policy", ["active", "passive"])


@pytest.fixture
def scaled(run_heddle, tmp_path):
    """scaled(program, how, runtime=, policy=, gomp=, threads=) -> the comparison's dictionary, in which all sums hold."""
    count = 0

    def run(program, how, runtime=19, policy="active", gomp=False, threads="1,2"):
        nonlocal count
        count += 1
        libomp = libomp_folder(runtime)
        env = {"OMP_WAIT_POLICY": policy, "LD_LIBRARY_PATH": "" if gomp else str(libomp)}
        options = ["--gomp", "--libomp", libomp / "libomp.so.5"] if gomp else []
        done = run_heddle("scale", "-q", "-t", threads, "-r", REPEATS[how], "-o", tmp_path / f"scan{count}", "--json",
                          *options, "--", program, UNITS[how], how, env=env, cwd=tmp_path)
        assert done.returncode == 0, done.stderr
        [comparison] = json.loads(done.stdout)["comparisons"]
        assert_sums(comparison)
        return comparison

    return run


def assert_sums(comparison):
    """To the tick: capacity is busy time and losses; the causes add up to p * T(p) - p0 * T(p0)."""
    points, runs = comparison["points"], comparison["runs"]
    assert points[0]["threads"] == 1 and points[-1]["threads"] > 1
    for row in comparison["rows"]:
        base = row["at"][0]
        for at in filter(None, row["at"]):
            assert set(at["not_busy_ticks"]) == set(at["lost_ticks"] or CAUSES) == CAUSES
            assert at["capacity_ticks"] == at["busy_ticks"] + sum(at["not_busy_ticks"].values())
            if row["kind"] in ("program", "region"):
                assert at["capacity_ticks"] == runs[at["run"]]["threads"] * at["time_ticks"]
            if at["matched"]:
                assert sum(at["lost_ticks"].values()) == at["lost_total_ticks"]
                assert at["lost_total_ticks"] == at["capacity_ticks"] - base["capacity_ticks"]


def region(comparison, program, mark):
    """The row of the region at a mark, or in a function of that name, at the last thread count. (GCC gives a region the
    line of a loop around it.)"""
    line = marks(program)[mark]
    regions = [row for row in comparison["rows"] if row["construct"] == "parallel"]
    found = [row for row in regions if row["line"] == line] or [row for row in regions if row["name"] == mark]
    assert len(found) == 1, (mark, [(row["text"], row["line"]) for row in comparison["rows"]])
    return found[0]["at"][-1]


def assert_cause(at, cause, what):
    lost = at["lost_ticks"]
    assert at["main_cause"] == cause, f"{what}: {at['main_cause']}, not {cause}: {at['lost_s']}"
    assert lost[cause] > at["lost_total_ticks"] / 2, f"{what}: {at['lost_s']}"


def assert_flaws(comparison, program, flaws, how):
    for mark, cause in flaws.items():
        if how == "work" or mark not in NEEDS_PROCESSORS:
            assert_cause(region(comparison, program, mark), cause, mark)


def check_flaws(comparison, how):
    outside = next(row for row in comparison["rows"] if row["kind"] == "outside")["at"][-1]
    assert_cause(outside, "serial", "outside")
    assert_flaws(comparison, "compare_flaws.c", FLAWS, how)
    flawed = [region(comparison, "compare_flaws.c", mark)["lost_total_s"] for mark in ("single", "imbalance", "critical")]
    fine = region(comparison, "compare_flaws.c", "fine")
    assert fine["lost_total_s"] < min(flawed) / 2, (fine["lost_s"], flawed)
    assert fine["speedup"] > 1.5, fine


def check_shapes(comparison, how):
    assert_flaws(comparison, "compare_shapes.c", {**SHAPES, "small": "serial"}, how)
    assert region(comparison, "compare_shapes.c", "nested")["speedup"] > 1.5


def check_gcc_shapes(comparison, how):
    assert_flaws(comparison, "compare_shapes.c", GCC_SHAPES, how)


each_how = pytest.mark.parametrize("how", ["sleep", "work"])


@each_how
@each_policy
def test_each_flaw_is_told_apart(scaled, build_program, runtime, policy, how):
    program = build_program("compare_flaws.c")
    check_times(lambda: scaled(program, how, runtime, policy), lambda comparison: check_flaws(comparison, how))


@each_policy
def test_flaws_in_other_shapes(scaled, build_program, runtime, policy):
    program = build_program("compare_shapes.c")
    check_times(lambda: scaled(program, "sleep", runtime, policy), lambda comparison: check_shapes(comparison, "sleep"))


def test_flaws_in_other_shapes_of_threads_that_work(scaled, build_program):
    program = build_program("compare_shapes.c")
    check_times(lambda: scaled(program, "work"), lambda comparison: check_shapes(comparison, "work"))


@each_how
def test_flaws_of_a_program_built_by_gcc(scaled, build_program, how):
    program = build_program("compare_flaws.c", "gcc")
    check_times(lambda: scaled(program, how, gomp=True), lambda comparison: check_flaws(comparison, how))


def test_flaws_in_other_shapes_built_by_gcc(scaled, build_program):
    program = build_program("compare_shapes.c", "gcc")
    check_times(lambda: scaled(program, "sleep", gomp=True), lambda comparison: check_gcc_shapes(comparison, "sleep"))


TWO_OF_FOUR = """
#include "compare_work.h"
/* Half of the threads that are asked for; each region's work is the same. */
int main(int argc, char **argv) {
  const long units = compare_units(argc, argv, 100000);
#pragma omp parallel num_threads(omp_get_max_threads() < 2 ? 1 : 2)
#pragma omp for schedule(static)
  for (int part = 0; part < 2; part++)
    work_units(units / 2);
  return 0;
}
"""


def test_teams_smaller_than_asked_for(scaled, build_program, runtime):
    """Two of four: half of the capacity had no work, whatever the machine does."""
    program = build_program("#include <omp.h>" + TWO_OF_FOUR)

    def check(comparison):
        [row] = [row for row in comparison["rows"] if row["construct"] == "parallel"]
        at = row["at"][-1]
        assert comparison["points"][-1]["threads"] == 4
        assert at["not_busy_ticks"]["serial"] >= 2 * at["time_ticks"]
        assert_cause(at, "serial", "half of the threads")

    check_times(lambda: scaled(program, "sleep", runtime, threads="1,4"), check)


def test_compare_of_a_scans_directory_is_what_scale_printed(scaled, build_program, run_heddle, tmp_path):
    comparison = scaled(build_program("compare_flaws.c"), "sleep")
    [scan] = [entry for entry in os.listdir(tmp_path) if entry.startswith("scan")]
    done = run_heddle("compare", "--json", tmp_path / scan)
    assert done.returncode == 0, done.stderr
    [again] = json.loads(done.stdout)["comparisons"]
    assert again["rows"] == comparison["rows"] and again["points"] == comparison["points"]
