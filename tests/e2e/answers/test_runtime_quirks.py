# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What runtimes and compilers send in another way than OpenMP says: the program ends, and its profile is right."""
import csv

import pytest

from conftest import assert_close, marks
from timed import check_times


def unmatched(loaded):
    return [note for note in loaded["run"]["notes"] if "without a matching begin" in note]


def test_league_of_one_team_comes_with_the_data_of_another_region(build_program, measure, runtime):
    line = marks("league_of_one.c")
    loaded = measure(build_program("league_of_one.c"), 10, runtime=runtime, threads=1)
    assert loaded.stdout == "sum 120\n"
    assert loaded.visits(line["region"], "parallel") == loaded.visits(line["league"], "teams") == 10
    inner = [entry for entry in loaded.all(line["league"], "parallel") if entry["visits"]]
    assert inner and all(any(a["kind"] == "teams" for a in loaded.ancestors(entry)) for entry in inner)
    assert not unmatched(loaded)


def test_loop_of_a_distribute_ends_as_a_distribute(build_program, measure, runtime):
    line = marks("distribute.c")
    loaded = measure(build_program("distribute.c"), runtime=runtime, threads=2)
    assert loaded.stdout == "sum 280\n"
    assert loaded.visits(line["league"], "teams") == 10
    assert sum(loaded.visits(line["loop"], kind) for kind in ("loop", "loop_static")) == 20
    assert not unmatched(loaded)


@pytest.mark.timed
def test_serialised_region_of_clang_is_not_taken_for_gccs(build_program, measure, runtime):
    line = marks("if_false.c")

    def measured():
        loaded = measure(build_program("if_false.c"), 10, runtime=runtime, threads=2)
        assert loaded.visits(line["region"], "parallel") == loaded.visits(line["single"], "single") == 10
        assert not unmatched(loaded)
        return loaded

    def check(loaded):
        busy = sum(entry["busy_s"] for entry in loaded.all(line["single"], "single"))
        assert_close(busy, loaded.spun[0], "busy in the single", scale=loaded.spun[0])

    check_times(measured, check)


def test_region_in_a_team_of_gcc_ends_with_the_data_of_the_one_around(build_program, measure_routines, runtime):
    line = marks("gcc_league.c")
    program = build_program("gcc_league.c", compiler="gcc")
    loaded = measure_routines(program, 10, gomp=True, runtime=runtime, threads=2, env={"KMP_WARNINGS": "0"})
    assert loaded.stdout == "done\n"
    assert loaded.visits(line["league"], "teams") == 10
    teams = loaded.visits(line["first"], "parallel")
    assert teams == loaded.visits(line["second"], "parallel") and 10 <= teams <= 20
    assert not unmatched(loaded)


def test_auto_loop_is_one_entry_whatever_schedule_is_chosen(build_program, measure, runtime):
    line = marks("auto_loop.c")
    loaded = measure(build_program("auto_loop.c"), runtime=runtime, threads=2)
    loops = [e for e in loaded.all(line["loop"]) if e["kind"].startswith("loop")]
    assert {(e["kind"], e["visits"]) for e in loops} == {("loop", 120)}


# What is said of the waits that may be in its numbers.
UNREPORTED = ("waits_unreported", "busy_at_most", "potential_gain_at_least", "levels_at_most")


def assert_only_doacross_is_marked(loaded, line):
    [region] = loaded.all(line["doacross region"], "parallel")
    assert all(region[mark] and loaded["program"][mark] for mark in UNREPORTED)
    [loop] = [entry for entry in loaded.all(line["doacross loop"]) if entry["kind"].startswith("loop")]
    assert all(loop[mark] for mark in UNREPORTED) and loop["potential_gain_unknown"] and not loop["incomplete"]
    for mark in ("plain region", "plain loop", "task region"):
        assert not any(entry[name] for entry in loaded.all(line[mark]) for name in (*UNREPORTED, "potential_gain_unknown"))
    assert sum("waits of doacross loops" in note for note in loaded["run"]["notes"]) == 1


def test_doacross_loop_says_that_its_waits_are_not_reported(build_program, profile, export, run_heddle, runtime, tmp_path):
    line = marks("doacross.c")
    path = profile(build_program("doacross.c"), runtime=runtime, threads=3, env={"HEDDLE_OVERHEAD": "off"})
    assert profile.result.stdout == "sum 5050 5050 10\n"
    assert_only_doacross_is_marked(export(path), line)
    rows = list(csv.DictReader(run_heddle("report", "--csv", path).stdout.splitlines()))
    marked = {int(row["line"]) for row in rows if row["waits_unreported"] == "true"}
    assert marked == {line["doacross region"], line["doacross loop"]}
    [loop] = [row for row in rows if row["line"] == str(line["doacross loop"])]
    assert loop["gain_unknown"] == "true"
    report = run_heddle("report", path).stdout
    assert "the runtime does not report the waits of doacross loops" in report and "--overhead off" not in report
    both = tmp_path / "both.heddle"
    run_heddle("merge", "-o", both, path, path)
    assert_only_doacross_is_marked(export(both), line)


def test_doacross_loop_of_gcc_does_so_too(build_program, measure_routines, runtime):
    line = marks("doacross.c")
    program = build_program("doacross.c", compiler="gcc")
    loaded = measure_routines(program, gomp=True, runtime=runtime, threads=3, env={"KMP_WARNINGS": "0"})
    assert loaded.stdout == "sum 5050 5050 10\n"
    marked = [entry for entry in loaded.profiles if entry["waits_unreported"] and entry["kind"] == "parallel"]
    assert [(entry["line"], entry["visits"]) for entry in marked] == [(line["doacross region"], 1)]
