# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Windows: what is switched off is observed for moments, and estimated from these.

How good an estimate is depends on the machine, and tests/unit/limits/test_resolve.c shows it without one. What holds on any: what
was observed keeps its sums, estimates have the same sums and lie within what is possible.
"""
import pytest

from conftest import assert_identities

PASSIVE = {"OMP_WAIT_POLICY": "passive"}
FLOODS = {"fib": "task", "critical": "mutex"}
BUDGETS = ("2%", "0.5%", "0.2%")  # a thread that hardly gets a processor pays little


@pytest.fixture(params=FLOODS)
def flood(request, profile, export, build_program):
    program = build_program("budget.c")
    for budget in BUDGETS:
        path = profile(program, request.param, 3, runtime=19, threads=2, env={**PASSIVE, "HEDDLE_OVERHEAD": budget})
        assert profile.result.returncode == 0 and profile.result.stderr == ""
        loaded = export(path)
        if loaded["program"]["estimated"]:
            break
    assert FLOODS[request.param] in {entry["class"] for entry in loaded["run"]["switched_off"]}
    return path, loaded


def total(times):
    wait = times["wait_s"]
    return times["busy_s"] + (sum(wait.values()) if isinstance(wait, dict) else wait) + times["runtime_s"]


def test_estimates_add_up_and_are_possible(flood):
    _, loaded = flood
    program = loaded["program"]
    assert_identities(loaded)
    assert program["estimated"] and 0 < program["unresolved_s"]
    assert total(program["estimate_s"]) == pytest.approx(total(program), rel=1e-9)
    low, high = program["interval_s"]["potential_gain_s"]
    assert 0 <= low <= program["estimate_s"]["potential_gain_s"] + 1e-9 <= high + 2e-9
    for entry in loaded.profiles:
        if entry["estimated"]:
            low, high = entry["interval_s"]["busy_inclusive_s"]
            assert low - 1e-9 <= entry["busy_inclusive_s"] <= high + 1e-9
            assert low - 1e-9 <= entry["estimate_s"]["busy_inclusive_s"] <= high + 1e-9
        else:
            assert entry["estimate_s"] is None and entry["interval_s"] is None


def test_reports_say_about_and_from_to(flood, run_heddle):
    path, _ = flood
    text = run_heddle("report", path).stdout
    gain = next(line for line in text.splitlines() if line.startswith("gain "))
    assert gain.startswith("gain      about ") and "(from " in gain and " % " in gain
    raw = run_heddle("report", "--no-estimates", path).stdout
    assert "about " not in next(line for line in raw.splitlines() if line.startswith("gain "))
