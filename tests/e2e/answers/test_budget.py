# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The overhead budget: what costs too much is switched off and on again in real programs, and the profile says so.

How much there is of it depends on the machine; that all numbers still fit together does not, nor does how often regions ran.
"""
import re

import pytest

from conftest import LIBRARY, assert_identities, marks

CLASSES = {"fib": "task", "critical": "mutex", "locks": "mutex", "regions": "mutex", "loops": "work",
           "barriers": "sync", "calls": "call"}
TIGHT = {"HEDDLE_OVERHEAD": "0.05%"}  # where threads wait for each other, or for a processor
OFF = {"HEDDLE_OVERHEAD": "off"}
PASSIVE = {"OMP_WAIT_POLICY": "passive"}  # other programs may need the processors


def said(result, word):
    return float(re.search(rf"^{word} (\S+)$", result.stdout, re.MULTILINE)[1])


@pytest.fixture
def run(profile, export, build_program):
    """run(what, seconds, ...) -> the profile, with `.did` and `.regions` from the program."""

    def play(what, seconds, runtime=19, threads=2, env=None):
        program = build_program("budget.c", flags=["-finstrument-functions"] if what == "calls" else [])
        preload = {"LD_PRELOAD": str(LIBRARY)} if what == "calls" else {}
        path = profile(program, what, seconds, runtime=runtime, threads=threads, env={**PASSIVE, **preload, **(env or {})})
        assert profile.result.returncode == 0 and profile.result.stderr == ""
        loaded = export(path)
        assert_identities(loaded)
        loaded.did, loaded.regions = said(profile.result, "did"), said(profile.result, "regions")
        return loaded

    return play


def classes(loaded):
    return {entry["class"] for entry in loaded["run"]["switched_off"]}


def observed(loaded, what):
    lines = marks("budget.c")
    if what == "fib":
        return sum(loaded.visits(lines[mark], "task") for mark in ("first", "second"))
    if what == "calls":
        return loaded.calls("call")
    kinds = {"critical": "critical", "regions": "critical", "barriers": "barrier"}
    return sum(e["visits"] for e in loaded.profiles if e["kind"].startswith(kinds.get(what, what[:-1])))


@pytest.mark.parametrize("what", CLASSES)
def test_a_flood_is_switched_off(run, runtime, what):
    loaded = run(what, 2, runtime=runtime, env={} if what in ("locks", "calls") else TIGHT)
    found = [entry for entry in loaded["run"]["switched_off"] if entry["class"] == CLASSES[what]]
    assert found, loaded["run"]["switched_off"]
    assert all(entry["cost_percent"] > 0.005 and 0 < entry["seconds"] <= loaded["program"]["elapsed_s"] for entry in found)
    assert 0 < observed(loaded, what) < 0.9 * loaded.did
    assert any("HEDDLE_OVERHEAD" in note for note in loaded["run"]["notes"])
    assert loaded["program"]["unresolved_s"] > 0


@pytest.mark.parametrize("what", CLASSES)
def test_without_a_budget_nothing_is(run, what):
    loaded = run(what, 0.5, env=OFF)
    assert loaded["run"]["switched_off"] == []
    assert not any("HEDDLE_OVERHEAD" in note for note in loaded["run"]["notes"])
    assert loaded["program"]["unresolved_s"] == 0
    own = loaded.did / 1000 if what == "barriers" else 0  # the program's, once for each thousand
    assert observed(loaded, what) == loaded.did + own


def test_a_calm_program_is_observed_whole(run, runtime):
    loaded = run("calm", 1.5, runtime=runtime)
    assert "mutex" not in classes(loaded)
    assert loaded.visits(marks("budget.c")["calm critical"], "critical") == loaded.did


def test_regions_are_counted_whatever_is_off(run, runtime):
    """Many outermost regions: the runtime is told to send no criticals at all, and later to send them again."""
    loaded = run("regions", 3, runtime=runtime, threads=4, env=TIGHT)
    region = loaded.one(marks("budget.c")["region"], "parallel")
    assert region["visits"] == loaded.regions >= region["instances"]  # on a busy machine regions may go off, too
    assert "mutex" in classes(loaded)


@pytest.mark.timed  # with half of the processors' time a flood is not one
def test_on_again_when_it_is_cheap_again(run):
    """Two seconds of a flood, then one section every millisecond: they are seen once the class has been tried again."""
    loaded = run("both", 8, env={"HEDDLE_OVERHEAD": "5%"})  # off for half a second, one, two
    seen = loaded.visits(marks("budget.c")["calm critical"], "critical")
    assert "mutex" in classes(loaded) and seen > 0


def test_what_is_off_is_in_what_is_around_it(run):
    """The region's threads are busy in it all the time but for barriers, and nearly all of that is its own."""
    loaded = run("locks", 2)
    [region] = loaded.all(marks("budget.c")["region"], "parallel")
    waits = sum(region["wait_inclusive_s"].values())
    assert region["busy_inclusive_s"] + waits == pytest.approx(2 * region["elapsed_s"], rel=0.01)
    assert region["busy_s"] > 0.9 * region["busy_inclusive_s"] and region["elapsed_s"] > 1.9
    assert "mutex" in classes(loaded) and observed(loaded, "locks") < 0.9 * loaded.did


@pytest.mark.needs("two-processors")
def test_tasks_that_are_off_do_not_look_like_waiting(run):
    """All threads work all the time, in tasks that nobody sees."""
    loaded = run("fib", 3, env=TIGHT)
    assert "task" in classes(loaded)
    at = loaded["program"]["time_at_k_s"]
    assert at[0] < 0.5 * sum(at)


def test_what_one_region_costs_hides_nothing_in_the_next(profile, export, build_program, run_heddle, runtime):
    """The barriers of one region are switched off; those that close the next one's `single`s are not, and say nothing of it.
    Tried again: where threads lose their processors during events, the next region's events may be too dear as well."""
    program, lines = build_program("blind.c"), marks("blind.c")
    exact = ("incomplete", "busy_at_most", "own_busy_at_most", "levels_at_most", "potential_gain_at_least",
             "potential_gain_unknown")
    for _ in range(5):
        path = profile(program, runtime=runtime, threads=2, env={**PASSIVE, **TIGHT})
        loaded = export(path)
        assert_identities(loaded)
        storm, uneven = (loaded.one(lines[mark], "parallel") for mark in ("storm", "uneven"))
        [single] = loaded.all(lines["single"], "single")
        if not any(row[mark] for row in (uneven, single) for mark in exact):
            break
    assert not [(row["kind"], mark) for row in (uneven, single) for mark in exact if row[mark]]
    assert "sync" in classes(loaded)
    assert storm["busy_at_most"] and storm["levels_at_most"] and storm["potential_gain_at_least"]
    assert loaded["program"]["busy_at_most"] and loaded["program"]["potential_gain_at_least"]
    assert single["visits"] == 2 * 40 and sum(single["wait_s"].values()) > 0.02
    text = run_heddle("report", path).stdout
    assert re.search(r"^gain +(at least|about|unknown \(at least) ", text, re.MULTILINE), text


def test_a_share_that_cannot_be_read_is_said(profile, build_program):
    program = build_program("budget.c")
    profile(program, "calm", 0.1, runtime=19, threads=1, env={"HEDDLE_OVERHEAD": "little"})
    assert profile.result.returncode == 0
    assert "HEDDLE_OVERHEAD expects percent, from 0.0001 to 100, or off, not little; ignored" in profile.result.stderr
