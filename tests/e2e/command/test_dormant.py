# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`heddle run --dormant`: nothing is measured until somebody asks for it, in the midst of whatever the program does; from
then on the sums are whole."""
import os
import random
import time

import pytest

from conftest import (LIBRARY, SOURCE, TIMEOUT_S, assert_entries, assert_identities, assert_states_sum_to_lifetimes,
                      environment_for, marks)
from steered_program import Steered

INCLUDE = f"-I{SOURCE / 'include'}"
BEFORE = "begun before the measurement"
REGIONS = 50  # of midst.c, after the long one
AFTER = 30    # of woken.c


@pytest.fixture
def start(build_program, heddle, run_heddle, tmp_path):
    """start(runtime=, threads=, under_run=) -> Steered midst.c. All are killed at the end."""
    started = []

    def begin(runtime=19, threads=3, under_run=False):
        store = tmp_path / f"store{len(started)}"
        store.mkdir()
        output = tmp_path / f"out{len(started)}.heddle"
        tool = {} if under_run else {"OMP_TOOL_LIBRARIES": str(LIBRARY), "HEDDLE_OUTPUT": str(output),
                                     "HEDDLE_DORMANT": "1"}
        env = environment_for(runtime, threads, {"HEDDLE_STORE_DIR": str(store), "OMP_WAIT_POLICY": "passive",
                                                 "OMP_MAX_ACTIVE_LEVELS": "2", "HEDDLE_OVERHEAD": "off", **tool})
        command = [heddle, "run", "-q", "--dormant", "-o", output, "--"] if under_run else []
        started.append(Steered([*command, build_program("midst.c")], env, store, output, run_heddle))
        return started[-1]

    yield begin
    for program in started:
        program.kill()


def check_whole(loaded):
    assert_states_sum_to_lifetimes(loaded)
    assert_identities(loaded)
    assert_entries(loaded)


def before_node(loaded):
    entry, = (entry for entry in loaded.profiles if entry["kind"] == "before")
    return entry


def check_woken(loaded):
    """Whole from then on, by what is known of all programs; and what ran then has an honest name."""
    check_whole(loaded)
    notes = " ".join(loaded["run"]["notes"])
    assert "Heddle was dormant" in notes and "unmatched" not in notes and "begin" not in notes.replace(BEFORE, "")
    before = before_node(loaded)
    assert before["parent"] == 0 and before["busy_inclusive_s"] > 0 and before["elapsed_s"] is None
    lifetimes = sum(thread["lifetime_s"] for thread in loaded["threads"])
    late = sum(float(note.split("until then, ")[1].split(" s")[0]) for note in loaded["run"]["notes"] if "until then" in note)
    program = loaded["program"]
    whole = program["elapsed_s"] * len(loaded["threads"])
    assert program["busy_s"] > 0 and lifetimes + late <= whole + 0.002
    return before


def test_heddle_run_has_an_option_for_it(start, export):
    program = start(under_run=True)
    program.do("on")
    assert program.end()[0] == "equal\n"
    check_woken(export(program.output))


def test_the_measurement_begins_in_the_midst_of_a_region(runtime, start, export, run_heddle):
    program = start(runtime)
    status = program.status()
    assert status["dormant"] and status["paused"] and status["acts"] == 0
    assert "dormant" in program.do("status")
    assert "Changed   nothing: the measurement is dormant" in program.do("off", "mutex")
    said = program.do("on")
    assert "Now       dormant: nothing is measured\n" in said and "Predicted not known: nothing has been measured yet" in said
    assert "after it was asked for" in said and "Observed  all: " in said
    limit = time.monotonic() + TIMEOUT_S
    while not (status := program.status())["all"]["events_per_second"]:
        assert time.monotonic() < limit
    assert not status["dormant"] and not status["paused"] and status["acts"] == 1
    assert "Changed   nothing: the clock runs" in program.do("on")
    assert program.end()[0] == "equal\n"
    loaded = export(program.output)
    before = check_woken(loaded)
    below = {entry["kind"] for entry in loaded.profiles if entry["parent"] == before["id"]}
    assert {"critical", "parallel"} <= below and ("loop_dynamic" in below or "loop" in below)
    last = loaded.one(marks("midst.c")["last"], "parallel")
    assert last["visits"] == REGIONS and last["elapsed_s"] > 0 and last["busy_inclusive_s"] > 0
    assert loaded["program"]["measured_from_s"] > 0
    report = run_heddle("report", program.output).stdout
    assert "measured from" in report and BEFORE in run_heddle("report", "--tree", program.output).stdout


CLASSES = ("entry", "mutex", "task", "call", "work", "sync")
SOAK_S = float(os.environ.get("HEDDLE_SOAK_SECONDS", "3"))


@pytest.mark.parametrize("threads", [1, 2, 3, 8])
def test_anything_at_random_from_dormant_on(start, export, runtime, threads):
    """HEDDLE_SOAK_SECONDS: for how long each, default 3."""
    program = start(runtime, threads)
    chance = random.Random(100 * runtime + threads)
    limit = time.monotonic() + SOAK_S
    program.do("on")
    count = 0
    while time.monotonic() < limit or count < 8:
        command = chance.choice([("on", chance.choice(CLASSES)), ("off", chance.choice(CLASSES)), ("off",), ("on",),
                                 ("budget", chance.choice(["off", "0.1", "2"])), ("snapshot", "-o", program.store / "snap")])
        program.do(*command)
        count += 1
    assert program.end()[0] == "equal\n"
    loaded = export(program.output)
    check_whole(loaded)
    assert loaded["program"]["measured_from_s"] > 0
    for snapshot in program.store.glob("snap*"):
        assert export(snapshot)["program"]["elapsed_s"] >= 0


def test_only_what_comes_after_the_begin_is_there(measure, build_program, runtime):
    loaded = measure(build_program("woken.c", "clang", (INCLUDE,)), runtime=runtime, threads=2, env={"HEDDLE_DORMANT": "1"})
    assert loaded.stdout == "done\n"
    assert [entry["kind"] for entry in loaded.profiles if entry["kind"] == "before"] == []
    region, = (entry for entry in loaded.profiles if entry["kind"] == "parallel")
    assert region["visits"] == AFTER and region["line"] == marks("woken.c")["after"]
    assert loaded["program"]["pauses"] == 0 and loaded["program"]["paused_s"] == 0
    lifetimes = [thread["lifetime_s"] for thread in loaded["threads"]]
    assert len(lifetimes) == 2 and all(0 < life < loaded["program"]["elapsed_s"] + 1e-8 for life in lifetimes)
    assert not any("first event only after" in note for note in loaded["run"]["notes"])


def test_a_thread_in_a_region_begins_the_measurement(measure, build_program, runtime):
    loaded = measure(build_program("woken.c", "clang", (INCLUDE,)), "loops", runtime=runtime, threads=2,
                     env={"HEDDLE_DORMANT": "1", "HEDDLE_OVERHEAD": "off"})
    before = before_node(loaded)
    loops = [entry for entry in loaded.profiles if entry["line"] == marks("woken.c")["loop"]]
    assert loops and all(entry["parent"] == before["id"] for entry in loops)
    assert sum(entry["visits"] for entry in loops) == 2 * AFTER or runtime < 17 and loops
    assert not any("unmatched" in note or "without" in note for note in loaded["run"]["notes"])


def test_nobody_asks(profile, export, build_program, run_heddle):
    path = profile(build_program("steered.c"), threads=2, env={"HEDDLE_DORMANT": "1"})
    loaded = export(path)
    assert profile.result.stdout == "s\nequal\n" and loaded["program"]["elapsed_s"] == 0 and loaded["program"]["measured_from_s"] is None
    assert loaded["threads"] == []
    assert any("nothing was measured: Heddle was dormant" in note for note in loaded["run"]["notes"])
    for command in ("report", "explain"):
        result = run_heddle(command, path)
        assert result.returncode == 0 and "dormant" in result.stdout, result.stderr


def test_the_critical_path_needs_the_whole_run(run_heddle):
    result = run_heddle("run", "--dormant", "--critical-path", "true")
    assert result.returncode == 2 and "does not go with --dormant" in result.stderr
