# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Routines that tell of their entries and exits (-finstrument-functions): cprof's cases, one program each.

A case is "CALLER-OWN": was the program sequential (S) or concurrent (C) when the caller was entered, and when the routine
itself was? Each program says when it worked where (programs/books.h): counts must be exact, times agree within 1 %.
"""
import re

import pytest

from concurrency_books import Books
from conftest import CASES, INSTRUMENTED, assert_close, case_elapsed, case_visits
from levels import at
from timed import check_times

pytestmark = pytest.mark.timed

UNIT_MS = 100
each_compiler = pytest.mark.parametrize("compiler", ["clang", "clang-O0", "gcc"])


@pytest.fixture
def run_case(measure_routines, build_program):
    """run_case(source, compiler, check, ...): check(loaded, books) must hold as check_times says."""

    def run(source, compiler, check, runtime=19, threads=2, how="spin", env=None):
        flags = INSTRUMENTED + (("-O0",) if compiler.endswith("-O0") else ())
        program = build_program(source, compiler.split("-")[0], flags)

        def once():
            return measure_routines(program, UNIT_MS, how, runtime=runtime, threads=threads,
                                    gomp=compiler == "gcc", env=env)

        check_times(once, lambda loaded: check(loaded, Books(loaded.stdout)))

    return run


def assert_cases(entry, expected):
    """expected: {"S-S": visits}; the others are 0. Without entries there is no time."""
    assert dict(zip(CASES, case_visits(entry), strict=True)) == {case: expected.get(case, 0) for case in CASES}, entry["name"]
    for case, elapsed in zip(CASES, case_elapsed(entry), strict=True):
        assert (elapsed > 0) == (case in expected), (entry["name"], case, elapsed)


def assert_time(loaded, actual, expected, what):
    assert_close(actual, expected, what, scale=loaded["program"]["elapsed_s"])


def assert_elapsed(loaded, entry, books, *where):
    """From entry to exit, summed over threads: the books' windows of that name."""
    expected = sum(sum(books.elapsed_at[one]) for one in where or [entry["name"]])
    assert_time(loaded, entry["elapsed_s"], expected, f"{entry['name']}: elapsed")


def assert_own_time(loaded, entry, books, *where):
    """The routine's own time, split by the state of the program."""
    where = where or [entry["name"]]
    sequential = sum(at(books.thread_time_at[one], 1) for one in where)
    concurrent = sum(sum(books.thread_time_at[one][2:]) for one in where)
    assert_time(loaded, entry["busy_sequential_s"], sequential, f"{entry['name']}: sequential")
    assert_time(loaded, entry["busy_concurrent_s"], concurrent, f"{entry['name']}: concurrent")


def by_thread(entry):
    """The threads' entries, the one with the smallest number first."""
    return sorted((row for row in entry["threads"] if row["visits"]), key=lambda row: row["thread"])


def assert_caller(loaded, entry, name):
    routines = [a["name"] for a in loaded.ancestors(entry) if a["kind"] == "routine"]
    assert routines[:1] == [name], (entry["name"], routines)


# ---- the cases ----


@each_compiler
def test_sequential_routine_calls_a_sequential_one(run_case, compiler):
    def check(loaded, books):
        outer, inner = loaded.routine("outer"), loaded.routine("inner")
        assert_cases(loaded.routine("main"), {"S-S": 1})
        assert_cases(outer, {"S-S": 3})
        assert_cases(inner, {"S-S": 6})
        assert_caller(loaded, outer, "main")
        assert_caller(loaded, inner, "outer")
        for entry in (outer, inner):
            assert_elapsed(loaded, entry, books)
            assert_own_time(loaded, entry, books)
            assert_time(loaded, entry["busy_concurrent_s"], 0, "concurrent")
            assert len(by_thread(entry)) == 1
        assert_time(loaded, outer["busy_inclusive_s"], outer["elapsed_s"], "inclusive")

    run_case("routine_s_s.c", compiler, check)


@each_compiler
def test_sequential_routine_opens_a_region_that_calls(run_case, runtime, compiler):
    def check(loaded, books):
        step, stage = loaded.routine("step"), loaded.routine("stage")
        assert_cases(step, {"S-S": 2})
        assert_cases(stage, {"S-C": 4})
        assert_caller(loaded, stage, "step")
        assert_elapsed(loaded, step, books)
        assert_elapsed(loaded, stage, books, "stage 0", "stage 1")
        assert_own_time(loaded, stage, books, "stage 0", "stage 1")
        assert_time(loaded, stage["busy_sequential_s"], 0, "sequential")
        rows = by_thread(stage)
        assert [row["visits"] for row in rows] == [2, 2]
        for number, row in enumerate(rows):
            expected = sum(books.elapsed_at[f"stage {number}"])
            assert row["entries"]["S-C"]["visits"] == 2
            assert_time(loaded, row["entries"]["S-C"]["elapsed_s"], expected, f"thread {number}: S-C")

    run_case("routine_s_c.c", compiler, check, runtime)


@each_compiler
def test_program_turns_concurrent_inside_of_a_routine(run_case, runtime, compiler):
    def check(loaded, books):
        upper, lower = loaded.routine("upper"), loaded.routine("lower")
        assert_cases(upper, {"S-S": 1})
        assert_cases(lower, {"S-C": 1})
        assert_caller(loaded, lower, "upper")
        for entry in (upper, lower):
            assert_elapsed(loaded, entry, books)
            assert_own_time(loaded, entry, books)
        assert_time(loaded, lower["busy_sequential_s"], 0, "sequential")

    run_case("routine_s_c_lock.c", compiler, check, runtime)


@each_compiler
def test_program_turns_sequential_inside_of_a_routine(run_case, runtime, compiler):
    def check(loaded, books):
        upper, lower = loaded.routine("upper"), loaded.routine("lower")
        assert_cases(upper, {"S-C": 1})
        assert_cases(lower, {"C-S": 1})
        assert_caller(loaded, lower, "upper")
        for entry in (upper, lower):
            assert_elapsed(loaded, entry, books)
            assert_own_time(loaded, entry, books)
        assert_time(loaded, lower["busy_concurrent_s"], 0, "concurrent")

    run_case("routine_c_s.c", compiler, check, runtime)


@each_compiler
def test_nested_regions_call_concurrent_from_concurrent(run_case, runtime, compiler):
    def check(loaded, books):
        assert_cases(loaded.routine("outer"), {"S-C": 2})
        for name in ("inner", "leaf"):
            entry = loaded.routine(name)
            assert_cases(entry, {"C-C": 4})
            assert [row["visits"] for row in by_thread(entry)] == [1, 1, 1, 1]
            assert_elapsed(loaded, entry, books)
            assert_own_time(loaded, entry, books)
        assert_caller(loaded, loaded.routine("inner"), "outer")
        assert_caller(loaded, loaded.routine("leaf"), "inner")

    run_case("routine_c_c.c", compiler, check, runtime, how="sleep")  # four threads, perhaps on two cores


@each_compiler
def test_task_is_a_caller(run_case, runtime, compiler):
    def check(loaded, books):
        upper = loaded.routines("upper")
        tasks = [entry for entry in loaded.profiles if entry["kind"] == "task"]
        assert sum(entry["visits"] for entry in tasks) == 2
        in_tasks = loaded.routines("lower", below="upper")
        alone = [entry for entry in loaded.routines("lower") if entry not in in_tasks]
        assert len(alone) == 1
        assert_cases(alone[0], {"S-S": 1})
        sums = [sum(counts) for counts in zip(*map(case_visits, upper), strict=True)]
        concurrent = sum(entry["visits_concurrent"] for entry in tasks)
        assert 1 <= concurrent <= 2
        assert sums == [0, 2 - concurrent, 0, concurrent]
        for entry in in_tasks:
            assert_cases(entry, {"C-C": entry["visits"]})
        assert sum(entry["visits"] for entry in in_tasks) == 2
        everywhere = [*in_tasks, *alone]
        assert_time(loaded, sum(entry["elapsed_s"] for entry in everywhere), sum(books.elapsed_at["lower"]), "elapsed")
        concurrent_s = sum(books.thread_time_at["lower"][2:])
        assert_time(loaded, sum(entry["busy_concurrent_s"] for entry in everywhere), concurrent_s, "concurrent")

    run_case("routine_tasks.c", compiler, check, runtime)


@each_compiler
def test_elapsed_time_holds_waits_and_processor_time_does_not(run_case, compiler):
    def check(loaded, books):
        stage, doze = loaded.routine("stage"), loaded.routine("doze")
        assert [row["visits"] for row in by_thread(stage)] == [1, 1]
        assert_elapsed(loaded, stage, books, "stage 0", "stage 1")
        assert_own_time(loaded, stage, books, "stage 0", "stage 1")
        assert_own_time(loaded, doze, books, "doze 0", "doze 1")
        waits = [e for e in loaded.profiles if e["kind"].startswith("barrier") and stage in loaded.ancestors(e)]
        waited = sum(sum(entry["wait_s"].values()) for entry in waits)  # GCC's barriers do not tell which they are
        expected = sum(sum(books.elapsed_at[name]) for name in ("stage 0", "stage 1"))
        expected -= sum(sum(books.thread_time_at[name]) for name in ("stage 0", "stage 1", "doze 0", "doze 1"))
        assert_time(loaded, waited, expected, "waited")
        used = [int(ns) / 1e9 for ns in re.findall(r"^used \d (\d+)$", loaded.stdout, re.M)]
        for row, expected in zip(by_thread(stage), used, strict=True):
            assert_time(loaded, row["cpu_s"], expected, f"processor time of thread {row['thread']}")
        assert_time(loaded, stage["cpu_s"], sum(used), "processor time")
        assert_time(loaded, doze["cpu_s"], 0, "processor time asleep")
        main = loaded.routine("main")
        assert main["cpu_inclusive_s"] >= stage["cpu_s"] + doze["cpu_s"] + main["cpu_s"] - 1e-6

    run_case("routine_waits.c", compiler, check, env={"HEDDLE_CPU_TIME": "1"})


def test_processor_time_is_null_when_it_was_not_asked_for(run_case):
    def check(loaded, books):
        assert {entry["cpu_s"] for entry in loaded.profiles if entry["kind"] == "routine"} == {None}

    run_case("routine_s_s.c", "clang", check)


def test_arcs_are_those_of_the_program(run_case):
    def check(loaded, books):
        assert loaded.arcs() == {(None, "main"): 1, ("main", "outer"): 3, ("outer", "inner"): 6}

    run_case("routine_s_s.c", "gcc", check)
