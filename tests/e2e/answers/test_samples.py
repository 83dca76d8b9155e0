# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What threads execute, by samples. They go by processor time, so shares do not depend on what else the machine does;
but there are few, so a share is compared with the interval in which chance leaves it (four deviations)."""
import csv
import errno
import io
import math
import os
import re
import subprocess

import pytest

from conftest import HEDDLE, TIMEOUT_S, environment_for, load_checked, marks, source_of

SOURCE = "hot_functions.c"
LOOPS = ("loop", "loop_static")
sampled = pytest.mark.needs("user-perf")


@pytest.fixture
def take(export, tmp_path):
    """take(the words before, options of `heddle run`, program, arguments...) -> Profile."""
    paths = []

    def run(before, options, program, *arguments, runtime=19, threads=2):
        path = tmp_path / f"samples-{len(paths)}.heddle"
        paths.append(path)
        result = subprocess.run([*before, HEDDLE, "run", "-q", *map(str, options), "-o", path, "--", program,
                                 *map(str, arguments)], env=environment_for(runtime, threads),
                                capture_output=True, text=True, timeout=TIMEOUT_S, cwd=tmp_path)
        assert result.returncode == 0, result.stderr
        return load_checked(export, path, result.stdout)

    return run


def work_of(entries, state="busy"):
    """{the function that `work` was inlined into: samples}."""
    found = {}
    for sample in (sample for entry in entries for sample in entry["samples"]):
        if sample["state"] == state and sample["function"] == "work":
            found[sample["inlined_into"]] = found.get(sample["inlined_into"], 0) + sample["count"]
    return found


def assert_three_to_one(entries, deviations=4):
    found = work_of(entries)
    whole = found["three"] + found["one"]
    assert whole >= 100, found
    assert abs(found["three"] - 0.75 * whole) <= deviations * math.sqrt(whole * 0.75 * 0.25), found


def in_loops(loaded):
    return [entry for entry in loaded.profiles if entry["kind"] in LOOPS]


def outside(loaded):
    return [entry for entry in loaded.profiles if entry["kind"] == "program"]


@sampled
def test_functions_have_the_shares_of_their_work(take, build_program, runtime):
    loaded = take([], ["--samples", 1000], build_program(SOURCE, flags=["-O1"]), 60, runtime=runtime)
    assert loaded["program"]["samples_hz"] == 1000
    assert_three_to_one(outside(loaded))
    assert_three_to_one(in_loops(loaded))
    assert loaded["program"]["samples"] == sum(s["count"] for entry in loaded.profiles for s in entry["samples"])
    lines = {s["line"] for entry in loaded.profiles for s in entry["samples"] if s["function"] == "work"}
    assert lines <= {marks(SOURCE)["work"] + offset for offset in (-2, -1, 0, 1)}, lines


@sampled
def test_samples_are_taken_unless_they_are_switched_off(take, build_program):
    program = build_program(SOURCE, flags=["-O1"])
    loaded = take([], ["--samples", 250], program, 60)
    assert loaded["program"]["samples_hz"] == 250 and sum(work_of(in_loops(loaded)).values()) > 20
    loaded = take([], ["--samples", "off"], program, 1)
    assert loaded["program"]["samples_hz"] is None and "samples" not in loaded.profiles[0]


@sampled
def test_thread_that_sends_no_event_is_seen_for_all_its_time(take, build_program):
    """At this rate the first ring has room for 68 ms, the second for 2 s; the program computes for some 200 ms, or a few
    times that if the processor is slow, without an event."""
    loaded = take([], ["--samples", 10000], build_program(SOURCE, flags=["-O1"]), 60)
    assert_three_to_one(outside(loaded), deviations=4 * math.sqrt(32))
    assert loaded["program"]["samples_lost"] == 0


@sampled
def test_child_is_sampled_for_itself_from_its_first_construct_on(take, build_program, export):
    parent = take([], ["--samples", 1000], build_program(SOURCE, flags=["-O1"]), 60, "fork")
    assert len(parent["run"]["children"]) == 1 and work_of(outside(parent)) == {}
    child = export(parent["run"]["children"][0]["profile"])
    assert work_of(outside(child)) == {}
    assert_three_to_one(in_loops(child))


@sampled
def test_stripped_program_has_exported_names_or_offsets(take, build_program, tmp_path):
    program = build_program(SOURCE, flags=["-O1"])
    stripped = tmp_path / "stripped"
    subprocess.run(["strip", "-o", stripped, program], check=True)
    samples = [s for entry in outside(take([], ["--samples", 1000], stripped, 60)) for s in entry["samples"]]
    assert {s["function"] for s in samples if s["module"] == "stripped"} == {None}
    assert all(int(s["offset"], 16) for s in samples if s["function"] is None)
    exporting = tmp_path / "exporting"
    subprocess.run(["strip", "-o", exporting, build_program(SOURCE, flags=["-O1", "-rdynamic"])], check=True)
    samples = [s for entry in outside(take([], ["--samples", 1000], exporting, 60)) for s in entry["samples"]]
    assert {"three", "one"} <= {s["function"] for s in samples}


@sampled
def test_report_shows_functions_and_lines_by_callpath(take, build_program, run_heddle):
    path = take([], ["--samples", 1000], build_program(SOURCE, flags=["-O1"]), 60).path
    line = marks(SOURCE)
    text = run_heddle("report", "--hot", path).stdout
    assert re.search(r" busy .* work hot_functions.c:\d+ \(inlined into three\) < outside regions$", text, re.M), text
    assert re.search(rf" busy .* work hot_functions.c:\d+ \(inlined into three\) < loop\b.*:{line['loop']}\b", text), text
    assert re.search(r"^code +hot_functions \d+\.\d %", text, re.M), text
    rows = list(csv.DictReader(io.StringIO(run_heddle("report", "--hot", "--lines", "-n", 0, "--csv", path).stdout)))
    hot = {int(row["hot_line"]) for row in rows if row["hot_function"] == "work"}
    assert hot and hot <= {line["work"] - 1, line["work"]}, hot  # the loop, and what it does
    assert sum(float(row["sampled_share"]) for row in rows) == pytest.approx(1)
    for row in rows:
        assert float(row["sampled_share_low"]) <= float(row["sampled_share"]) <= float(row["sampled_share_high"])
    assert run_heddle("report", "--lines", path).returncode == 2


@sampled
def test_report_without_samples_says_how_to_get_them(take, build_program, run_heddle):
    path = take([], ["--samples", "off"], build_program(SOURCE, flags=["-O1"]), 1).path
    assert "'heddle run --samples 100' takes them" in run_heddle("report", "--hot", path).stdout


@pytest.fixture(scope="module")
def forbid(tmp_path_factory):
    program = tmp_path_factory.mktemp("forbid") / "forbid_perf"
    subprocess.run(["cc", "-o", program, source_of("forbid_perf.c")], check=True)
    return [program, str(errno.EPERM)]


@pytest.mark.parametrize("options, says", (([], "filter of system calls"),
                                           (["--samples", 250], "perf_event_open is forbidden")))
def test_all_else_is_measured_where_samples_are_forbidden(take, build_program, forbid, options, says):
    before = (["setpriv", "--inh-caps=-all", "--bounding-set=-all"] if os.geteuid() == 0 else []) + forbid
    loaded = take(before, options, build_program(SOURCE, flags=["-O1"]), 2)
    assert loaded["program"]["samples_hz"] is None
    assert any(says in note for note in loaded["run"]["notes"]), loaded["run"]["notes"]
    assert loaded.visits(marks(SOURCE)["loop"]) == 2


def test_doctor_says_why_there_are_no_samples(forbid, run_heddle):
    found = subprocess.run([*forbid, HEDDLE, "doctor", "--", "/bin/true"], capture_output=True, text=True,
                           timeout=TIMEOUT_S)
    assert "samples" in found.stdout and "forbidden here" in found.stdout, found.stdout


@sampled
def test_two_hundred_threads(take, build_program):
    """As many as the kernel lets a user have rings for are sampled; the others are counted. All of them work for longer
    than the millisecond between two samples of a thread."""
    text = """#include <omp.h>
    int main(void) {
    #pragma omp parallel num_threads(200)
      for (volatile int i = 0; i < 5000000; i++);
      return 0;
    }"""
    loaded = take([], ["--samples", 1000], build_program(text), threads=None)
    assert len(loaded.threads) >= 200 and loaded["program"]["samples"] > 0
