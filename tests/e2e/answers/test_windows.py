# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Windows: what is switched off is observed for moments, and estimated from these.

tests/unit/limits/test_resolve.c shows without a machine that estimates are right on average and intervals hold. Here
programs keep books of how long their threads wait; what was observed keeps its sums, estimates have the same sums and lie
within what is possible.
"""
import re

import pytest

from conftest import assert_identities, marks
from timed import check_longer_times

FLOODS = {"critical": "mutex", "locks": "mutex", "barriers": "sync", "turns": "sync", "singles": "work", "loops": "work"}
BUDGETS = ("2%", "0.5%", "0.1%", "0.02%")  # a thread that hardly gets a processor pays little


def play(profile, export, program, *arguments, threads=2):
    """The first run that was estimated, with books if the program keeps them."""
    for budget in BUDGETS:
        path = profile(program, *arguments, runtime=19, threads=threads, env={"HEDDLE_OVERHEAD": budget})
        assert profile.result.returncode == 0 and profile.result.stderr == ""
        loaded = export(path)
        assert_identities(loaded)
        if loaded["program"]["estimated"]:
            break
    loaded.waited = sum(float(ns) * 1e-9 for ns in re.findall(r"^waited \d+ (\d+)$", profile.result.stdout, re.MULTILINE))
    return path, loaded


def total(times):
    wait = times["wait_s"]
    return times["busy_s"] + (sum(wait.values()) if isinstance(wait, dict) else wait) + times["runtime_s"]


def check_estimates(loaded):
    program = loaded["program"]
    assert program["estimated"] and 0 < program["unresolved_s"]
    assert total(program["estimate_s"]) == pytest.approx(total(program), rel=1e-9)
    low, high = program["interval_s"]["potential_gain_s"]
    assert 0 <= low <= program["estimate_s"]["potential_gain_s"] + 1e-9 <= high + 2e-9
    for entry in loaded.profiles:
        if entry["estimated"]:
            low, high = entry["interval_s"]["busy_inclusive_s"]
            assert low - 1e-9 <= entry["estimate_s"]["busy_inclusive_s"] <= high + 1e-9
        else:
            assert entry["estimate_s"] is None and entry["interval_s"] is None


@pytest.mark.needs("two-processors")
@pytest.mark.parametrize("what", FLOODS)
def test_floods_are_switched_off_and_estimated(profile, export, build_program, run_heddle, what):
    path, loaded = play(profile, export, build_program("floods.c"), what, 0.5)
    check_estimates(loaded)
    assert FLOODS[what] in {entry["class"] for entry in loaded["run"]["switched_off"]}
    text = " ".join(run_heddle("report", "--verbose", path).stdout.split())
    shares = re.findall(r"([\d.]+) % of the busy time", text)  # in the heading, and in a note if it is much
    assert 1 <= len(shares) <= 2 and len(set(shares)) == 1, shares


# A thread that loses its processor for once waits longer than all windows together. The books count as waiting what the
# runtime and Heddle do just before it: 7 points of a hundred in `singles` with 2 us of work and everything observed, 2
# with 8 us (a 2-core VM). So the work is longer here.
@pytest.mark.timed
@pytest.mark.needs("two-processors")
@pytest.mark.parametrize("what", FLOODS)
def test_estimates_are_what_the_program_waits(profile, export, build_program, what):
    def check(loaded):
        region = loaded.one(marks("floods.c")["region"], "parallel")
        low, high = region["interval_s"]["busy_inclusive_s"]
        waits, busy = sum(region["estimate_s"]["wait_inclusive_s"].values()), region["estimate_s"]["busy_inclusive_s"]
        points = 0.05 * 2 * region["elapsed_s"]
        assert loaded.waited - points - (busy - low) < waits < loaded.waited + points + (high - busy)

    check_longer_times(lambda longer: play(profile, export, build_program("floods.c"), what, 0.5, 4 * longer)[1], check)


def test_tasks_are_estimated(profile, export, build_program):
    _, loaded = play(profile, export, build_program("budget.c"), "fib", 1)
    check_estimates(loaded)
    assert "task" in {entry["class"] for entry in loaded["run"]["switched_off"]}


def test_a_sum_of_runs_is_estimated_like_each(profile, export, build_program, run_heddle, tmp_path):
    paths, runs = zip(*(play(profile, export, build_program("floods.c"), "critical", 0.3) for _ in range(2)))
    merged = tmp_path / "sum.heddle"
    assert run_heddle("merge", "-o", merged, *paths).returncode == 0
    loaded = export(merged)
    check_estimates(loaded)
    expected = sum(run["program"]["unresolved_s"] for run in runs)
    assert loaded["program"]["unresolved_s"] == pytest.approx(expected, rel=1e-6)


def test_reports_say_about_and_from_to(profile, export, build_program, run_heddle):
    path = profile(build_program("floods.c"), "critical", 0.5, runtime=19, threads=2, env={"HEDDLE_ONLY": "region"})
    text = run_heddle("report", path).stdout
    gain = next(line for line in text.splitlines() if line.startswith("gain "))
    assert gain.startswith("gain      about ") and "(from " in gain and " % " in gain
    assert "How many threads were busy at the same time is not known" in text and "threads busy " not in text
    raw = run_heddle("report", "--no-estimates", path).stdout
    assert "is not known where" not in raw and "threads busy " in raw
    assert "about " not in next(line for line in raw.splitlines() if line.startswith("gain "))
