# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`heddle run --trace-when`: a trace of the time in which a phase or a region is open. That it has then what a whole trace has
is the unit tests' concern (test_trace_when.c): here are real runtimes, and all that shows a trace."""
import csv
import io
import json
import re

import pytest

from conftest import SOURCE
from trace_programs import run_phased

# Three threads, three times: a region outside the phase, one in it, one outside.
WORK = r"""
#include <omp.h>

#include "heddle.h"

static int sum;

static void region(void) {
#pragma omp parallel num_threads(3) // other
#pragma omp critical
  sum++;
}

int main(void) {
  for (int i = 0; i < 3; i++) {
    region();
    heddle_phase_begin("solve");
#pragma omp parallel num_threads(3) // solver
#pragma omp critical
    sum++;
    heddle_phase_end("solve");
    region();
  }
  return sum != 27;
}
"""
SOLVER = next(number for number, line in enumerate(WORK.splitlines(), start=1) if "// solver" in line)
CONDITIONS = ["phase solve", f"region program.c:{SOLVER}"]


def build(build_program, compiler="clang"):
    return build_program(WORK, compiler=compiler, flags=(f"-I{SOURCE}/include",))


@pytest.fixture(scope="module")
def record(build_program, run_heddle, tmp_path_factory):
    """record(condition, other options...) -> a profile"""

    def run(condition, *options, compiler="clang", env=None):
        path = tmp_path_factory.mktemp("when") / "run.heddle"
        result = run_heddle("run", "-q", *(options or ["--trace"]), "--trace-when", condition, "-o", path, "--",
                            build(build_program, compiler), env={"OMP_WAIT_POLICY": "passive", **(env or {})})
        assert result.returncode == 0 and result.stderr == ""
        return path

    return run


def rows(text):
    return list(csv.DictReader(io.StringIO(text)))


def printed(run_heddle, path, *options):
    result = run_heddle("trace", *(options or ["--print"]), "--csv", path)
    assert result.returncode == 0, result.stderr
    return rows(result.stdout)


def check_stretches(run_heddle, export, path):
    """Three, with a region each, and nothing outside; every thread says where it begins and ends."""
    stretches = export(path)["program"]["trace"]["stretches_s"]
    assert len(stretches) == 3 and sum(stretches, []) == sorted(sum(stretches, []))
    found = printed(run_heddle, path)
    for begin, end in stretches:
        events = [row for row in found if begin - 2e-9 <= float(row["time_s"]) <= end + 2e-9]
        assert [sum(row["event"] == name for row in events) for name in ("region_begin", "region_end", "team_join")] == [1, 1, 1]
        begun = {row["thread"] for row in events if row["event"] in ("trace_begin", "thread_begin")}
        assert begun == {row["thread"] for row in events} == {row["thread"] for row in events if row["event"] == "trace_end"}
        assert sum(row["event"] == "lock_acquired" for row in events) == 3
        found = [row for row in found if row not in events]
    assert found == []
    return stretches


@pytest.mark.parametrize("condition", CONDITIONS)
def test_only_the_stretches_are_traced(record, run_heddle, export, condition):
    path = record(condition)
    check_stretches(run_heddle, export, path)


@pytest.mark.parametrize("compiler", ["gcc", "clang-19"])
def test_regions_of_other_compilers(record, run_heddle, export, compiler):
    options = ["--trace"] + (["--gomp"] if compiler == "gcc" else [])
    check_stretches(run_heddle, export, record(CONDITIONS[1], *options, compiler=compiler))


@pytest.mark.parametrize("condition", CONDITIONS)
def test_all_runtimes(build_program, run_heddle, export, runtime, tmp_path, condition):
    from conftest import environment_for
    path = tmp_path / "run.heddle"
    result = run_heddle("run", "-q", "--trace", "--trace-when", condition, "-o", path, "--", build(build_program),
                        env=environment_for(runtime, env={"OMP_WAIT_POLICY": "passive"}))
    assert result.returncode == 0, result.stderr
    check_stretches(run_heddle, export, path)


def test_the_end_of_a_run(record, run_heddle, export):
    path = record(CONDITIONS[0], "--trace-last", "1M")
    check_stretches(run_heddle, export, path)


def test_concurrency(record, run_heddle, export):
    """Where the trace begins and ends nobody becomes busy."""
    path = record(CONDITIONS[0], "--trace=concurrency")
    stretches = export(path)["program"]["trace"]["stretches_s"]
    found = printed(run_heddle, path, "--concurrency")
    assert [row["change"] for row in found].count("trace_begin") >= 3
    for row in found:
        assert any(begin - 2e-9 <= float(row["time_s"]) <= end + 2e-9 for begin, end in stretches)


def test_a_condition_that_never_holds(record, run_heddle, export):
    path = record("phase other")
    assert export(path)["program"]["trace"]["stretches_s"] == []
    assert printed(run_heddle, path) == []
    assert "the trace has 0 stretches" in re.sub(r"\s+", " ", run_heddle("trace", path).stdout)


def test_all_that_shows_it_says_so(record, run_heddle, tmp_path):
    path = record(CONDITIONS[0])
    text = re.sub(r"\s+", " ", run_heddle("trace", path).stdout)
    said = re.search(r"has 3 stretches, [\d.]+ .?s of [\d.]+ m?s, in which the condition of --trace-when held: ([\d.]+ s to "
                     r"[\d.]+ s, [\d.]+ s to [\d.]+ s, [\d.]+ s to [\d.]+ s)", text)
    assert said and " 3 " in text and "No region began" not in text
    check = run_heddle("trace", "--check", path)
    assert check.returncode == 1 and "has 3 stretches" in check.stdout
    assert "it cannot add up to the profile" in re.sub(r"\s+", " ", check.stdout)
    part = run_heddle("report", "--from", "0.001", path)
    assert part.returncode == 1 and said[1] in part.stderr and part.stdout == ""
    page = tmp_path / "page.html"
    assert run_heddle("html", "-o", page, path).returncode == 0
    assert "The trace has 3 stretches" in page.read_text()
    for options in (["paraver", "-o", tmp_path / "run.prv"], ["chrome", "-o", tmp_path / "run.json"]):
        result = run_heddle("export", "-f", *options, path)
        assert result.returncode == 0, result.stderr
        assert ("the trace has 3 stretches" in result.stderr) == (options[0] == "paraver")


def test_a_stretch_has_a_profile(record, run_heddle, export):
    """Of one, or a part of it: with one instance of the region; of several there is none."""
    path = record(CONDITIONS[0])
    stretches = export(path)["program"]["trace"]["stretches_s"]
    for begin, end in stretches:
        made = export(path, "--from", f"{begin:.9f}", "--to", f"{end:.9f}")
        region, = (entry for entry in made["profiles"] if entry["kind"] == "parallel" and entry["visits"])
        assert region["instances"] == 1 and region["team_size"] == {"min": 3, "max": 3} and region["line"] == SOLVER
        assert made["program"]["elapsed_s"] == pytest.approx(end - begin, abs=1e-8)
        for thread in made["threads"]:
            lived = thread["busy_s"] + thread["wait_s"] + thread["runtime_s"] + thread["idle_s"]
            assert lived == pytest.approx(end - begin, abs=1e-7)
        assert any("the trace has 3 stretches" in note for note in made["run"]["notes"])
    result = run_heddle("report", "--from", f"{stretches[0][0]:.9f}", "--to", f"{stretches[1][1]:.9f}", path)
    assert result.returncode == 1 and "its trace has 2 stretches of that part ('--trace-when')" in result.stderr
    gap = (stretches[0][1] + stretches[1][0]) / 2
    result = run_heddle("report", "--from", f"{gap:.9f}", "--to", f"{gap + 1e-7:.9f}", path)
    assert result.returncode == 1 and "nothing lies between" in result.stderr
    never = record("phase other")
    result = run_heddle("report", "--to", "1", never)
    assert result.returncode == 1 and "the condition of --trace-when never held" in result.stderr


def test_no_slice_spans_a_gap(build_program, run_heddle, export, tmp_path):
    """Slices, counts and arrows of the chrome format: all that begins in a stretch ends in it."""
    path = run_phased(build_program, run_heddle, SOURCE, tmp_path / "phased.heddle")
    stretches = export(path)["program"]["trace"]["stretches_s"]
    events = json.loads(run_heddle("export", "-f", "chrome", path).stdout)
    events = events["traceEvents"] if isinstance(events, dict) else events
    timed = [event for event in events if event["ph"] in "BECsf"]
    acquired = [float(row["time_s"]) for row in printed(run_heddle, path) if row["event"] == "lock_acquired"]
    assert len(stretches) == 12 and {event["ph"] for event in timed} == set("BECsf")
    for begin, end in stretches:
        depths, count, arrows = {}, None, set()
        first = min((at for at in acquired if begin - 2e-9 <= at <= end), default=-1)
        here = [event for event in timed if begin - 2e-9 <= event["ts"] / 1e6 <= end + 2e-9]
        timed = [event for event in timed if event not in here]
        for event in here:
            if event["ph"] == "C":
                count = event["args"]["threads"]
            elif event["ph"] == "s":
                arrows.add((event["cat"], event["id"]))
            elif event["ph"] == "f":
                arrows.remove((event["cat"], event["id"]))
                assert event["cat"] != "lock" or abs(event["ts"] / 1e6 - first) > 2e-9  # from whom is not known
            else:
                depths[event["tid"]] = depths.get(event["tid"], 0) + (1 if event["ph"] == "B" else -1)
                assert depths[event["tid"]] >= 0
        assert depths and not any(depths.values()) and count == 0
        assert "task" not in {kind for kind, _ in arrows}
    assert [event["args"]["threads"] for event in timed] == [1, 0]  # before the tool was loaded, and from then on


@pytest.mark.parametrize("options, status, said", [
    (["--trace", "--trace-when", "phase "], 2, "expects 'phase NAME', 'region FILE:LINE' or 'busy<=K for TIME'"),
    (["--trace", "--trace-when", "region heat.c"], 2, "expects 'phase NAME', 'region FILE:LINE' or 'busy<=K for TIME'"),
    (["--trace-when", "phase solve"], 2, "--trace-when belongs to --trace and --trace-last"),
    (["--trace", "--trace-when", "region heat.c:3"], 125, "has no code of line 3 of heat.c"),
])
def test_what_cannot_be_a_condition(build_program, run_heddle, options, status, said):
    result = run_heddle("run", *options, "--", build(build_program))
    assert result.returncode == status and said in result.stderr


def test_without_heddle_run(build_program, profile, export, run_heddle):
    env = {"HEDDLE_TRACE": "1M", "OMP_WAIT_POLICY": "passive"}
    program = build(build_program)
    made = profile(program, env={**env, "HEDDLE_TRACE_WHEN": "nothing"})
    assert "HEDDLE_TRACE_WHEN=nothing is neither" in profile.result.stderr
    assert export(made)["program"]["trace"]["stretches_s"] is None
    made = profile(program, env={**env, "HEDDLE_TRACE_WHEN": f"region {program.name}+0-ffffffff"})
    assert profile.result.stderr == "" and len(export(made)["program"]["trace"]["stretches_s"]) == 9
    assert len(printed(run_heddle, made)) > 100
