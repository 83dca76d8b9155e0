# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""omp_control_tool: what it returns, with Heddle and without, and what the profile leaves out."""
import re
import time

import pytest

from conftest import INSTRUMENTED, assert_close, load_checked, marks, run_plain
from timed import check_times

START, PAUSE, FLUSH, END = 1, 2, 3, 4
SUCCESS, IGNORED, NO_TOOL = 0, 1, -2  # omp.h: omp_control_tool_success, _ignored, _notool
UNIT_MS = 100
START_S = 0.01  # when a process began is known in hundredths of a second
LINE = marks("control.c")
DID = r"^did (\w+) (\d+) (\d+) (\d+)$"


@pytest.fixture
def program(build_program):
    return build_program("control.c", "clang", INSTRUMENTED)


def returned(stdout):
    return [int(value) for value in re.findall(r"^returned \d+ (-?\d+)$", stdout, re.M)]


def actions(stdout):
    """(what, begin, end, time that threads worked in it) of each thing that the program did, in seconds."""
    return [(what, *(int(ns) / 1e9 for ns in times)) for what, *times in re.findall(DID, stdout, re.M)]


def did(stdout, *what):
    """How long these took, by the clock."""
    return sum(end - begin for name, begin, end, _ in actions(stdout) if name in what)


def spun(stdout, *what):
    return sum(worked for name, _, _, worked in actions(stdout) if name in what)


def assert_paused(loaded):
    """A pause begins and ends somewhere inside of the commands; the last one may end with the program."""
    least = most = 0
    since = None
    for name, begin, end, _ in actions(loaded.stdout):
        if name == str(PAUSE) and not since:
            since = (begin, end)
        elif name == str(START) and since:
            least, most, since = least + begin - since[1], most + end - since[0], None
    if since:
        last = actions(loaded.stdout)[-1][2]
        least, most = least + last - since[1], most + last - since[0] + 0.02
    assert least <= loaded["program"]["paused_s"] <= most


def busy(loaded, name):
    return sum(entry["busy_s"] for entry in loaded.all(LINE[name], "parallel"))


# ---- return values ----


@pytest.mark.parametrize("env", [{}, {"OMP_TOOL": "disabled"}], ids=["no tool", "disabled"])
def test_without_a_tool_nothing_is_there_to_control(program, runtime, env):
    stdout = run_plain(program, 1, START, PAUSE, FLUSH, END, 64, runtime=runtime, env=env).stdout
    assert returned(stdout) == [NO_TOOL] * 5


@pytest.mark.parametrize("commands, values", [
    ((START, PAUSE, PAUSE, START, START, FLUSH), (SUCCESS,) * 6),
    ((PAUSE, FLUSH, START), (SUCCESS,) * 3),
    ((END, START, PAUSE, FLUSH, END), (SUCCESS, IGNORED, IGNORED, IGNORED, IGNORED)),
    ((64, 1000, START), (IGNORED, IGNORED, SUCCESS)),
], ids=["known", "flush in a pause", "after the end", "unknown"])
def test_return_values(profile, program, runtime, commands, values):
    profile(program, 1, *commands, runtime=runtime, threads=2)
    assert tuple(returned(profile.result.stdout)) == values, profile.result.stderr
    assert profile.result.returncode == 0 and profile.result.stderr == ""


# ---- pauses ----


@pytest.mark.timed
@pytest.mark.parametrize("how", ["heddle run", "tool"])
def test_pause_leaves_time_out(measure, measure_routines, program, runtime, how):
    actions = ("a", PAUSE, "b", "r", START, "a", "r")

    def once():
        if how == "tool":
            return measure(program, UNIT_MS, *actions, runtime=runtime, threads=2, env={"OMP_WAIT_POLICY": "passive"})
        return measure_routines(program, UNIT_MS, *actions, runtime=runtime, threads=2)

    def check(loaded):
        unit = UNIT_MS / 1e3
        assert loaded["program"]["pauses"] == 1
        assert_paused(loaded)
        region = loaded.one(LINE["a"], "parallel")
        assert region["visits"] == 2
        assert_close(region["elapsed_s"], did(loaded.stdout, "a"), "elapsed")
        assert busy(loaded, "b") == 0
        assert_close(busy(loaded, "a"), spun(loaded.stdout, "a"), "busy")
        if how == "heddle run":
            own = sum(entry["busy_s"] for entry in loaded.routines("work_alone"))
            assert_close(own, unit, "work_alone")
        whole = did(loaded.stdout, "a") + unit
        assert whole <= loaded["program"]["elapsed_s"] < whole + unit

    check_times(once, check)


@pytest.mark.timed
def test_pause_that_lasts_to_the_end(measure_routines, program, runtime):
    def check(loaded):
        assert_paused(loaded)
        assert busy(loaded, "b") == 0
        assert loaded["run"]["complete"] is True
        assert_close(busy(loaded, "a"), spun(loaded.stdout, "a"), "busy")

    check_times(lambda: measure_routines(program, UNIT_MS, "a", PAUSE, "b", "b", runtime=runtime, threads=2), check)


@pytest.mark.timed
def test_pauses_again_and_again(measure_routines, program, runtime):
    actions = ["a", PAUSE, "b", START] * 5 + [PAUSE, PAUSE, "b", START, START]

    def check(loaded):
        assert loaded["program"]["pauses"] == 6
        assert_paused(loaded)
        assert loaded.one(LINE["a"], "parallel")["visits"] == 5
        assert_close(busy(loaded, "a"), spun(loaded.stdout, "a"), "busy")
        assert busy(loaded, "b") == 0

    check_times(lambda: measure_routines(program, 20, *actions, runtime=runtime, threads=2), check)


@pytest.mark.timed
def test_pause_inside_a_region(measure_routines, program, runtime):
    """Thread times in the region: 2 of its 4 units, on each thread."""

    def check(loaded):
        unit = UNIT_MS / 1e3
        region = loaded.one(LINE["inside"], "parallel")
        outside = did(loaded.stdout, "inside") - loaded["program"]["paused_s"]
        assert loaded["program"]["paused_s"] >= 2 * unit and outside >= 2 * unit
        assert_close(region["busy_s"], spun(loaded.stdout, "inside"), "busy")
        assert_close(region["elapsed_s"], outside, "elapsed")

    check_times(lambda: measure_routines(program, UNIT_MS, "inside", runtime=runtime, threads=2), check)


# ---- the end ----


@pytest.mark.timed
def test_nothing_is_measured_after_the_end(measure_routines, program, runtime):
    def check(loaded):
        assert_close(busy(loaded, "a"), spun(loaded.stdout, "a"), "busy")
        assert loaded.all(LINE["b"]) == [] and loaded.routines("work_alone") == []
        whole = did(loaded.stdout, "a")
        assert whole <= loaded["program"]["elapsed_s"] < whole + UNIT_MS / 1e3
        assert loaded["run"]["complete"] is True

    check_times(lambda: measure_routines(program, UNIT_MS, "a", END, "b", "r", START, "b", runtime=runtime, threads=2),
                check)


@pytest.mark.parametrize("last", ["kill", "b"])
def test_profile_is_there_after_the_end(profile, export, program, runtime, last):
    """However the program ends; without `heddle run` to pick it up."""
    began = time.monotonic()
    path = profile(program, UNIT_MS, "a", END, "b", last, runtime=runtime, threads=2)
    took = time.monotonic() - began
    assert profile.result.returncode == (-9 if last == "kill" else 0)
    loaded = load_checked(export, path, profile.result.stdout)
    assert loaded["run"]["complete"] is True
    assert loaded.one(LINE["a"], "parallel")["visits"] == 1
    assert loaded.all(LINE["b"]) == []
    assert loaded["program"]["elapsed_s"] < took - did(loaded.stdout, "b") + START_S


def test_killed_after_the_end_under_heddle_run(run_routines, export, program, runtime):
    began = time.monotonic()
    path = run_routines(program, UNIT_MS, "a", END, "b", "kill", runtime=runtime, threads=2)
    took = time.monotonic() - began
    assert run_routines.result.returncode == 137 and path
    loaded = load_checked(export, path, run_routines.result.stdout)
    assert loaded["program"]["elapsed_s"] < took - did(loaded.stdout, "b") + START_S
    assert loaded.all(LINE["b"]) == []


def test_flushed_profile_survives_a_kill(run_routines, export, program, runtime):
    path = run_routines(program, UNIT_MS, "a", FLUSH, "b", "kill", runtime=runtime, threads=2)
    loaded = load_checked(export, path, run_routines.result.stdout)
    assert loaded.one(LINE["a"], "parallel")["visits"] == loaded.one(LINE["b"], "parallel")["visits"] == 1
    assert loaded["run"]["complete"] is False
