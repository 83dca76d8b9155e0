# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Recursive routines: exact counts, and time from entry to exit that is counted once for each outermost entry and thread.

cprof's situations (Malony 1987): a recursive call made and left sequentially; made while concurrent, on the same thread; by
way of another routine; entered on one thread and gone on on others, through a region or a task, which is outermost there.
"""
import re
import resource

import pytest

from concurrency_books import Books
from conftest import INSTRUMENTED, assert_close, case_elapsed, case_visits
from timed import check_times

pytestmark = pytest.mark.timed

UNIT_MS = 100
FIB_CALLS = {20: 21891, 18: 8361, 15: 1973, 25: 242785}  # 2 * F(n + 1) - 1
each_compiler = pytest.mark.parametrize("compiler", ["clang", "gcc"])


@pytest.fixture
def run_case(measure_routines, build_program):
    """run_case(source, compiler, *arguments, check=check, ...): check(loaded, books), as in test_routines.py."""

    def run(source, compiler, *arguments, check, threads=2, how="spin", **options):
        program = build_program(source, compiler, INSTRUMENTED)

        def once():
            return measure_routines(program, UNIT_MS, how, *arguments, threads=threads, gomp=compiler == "gcc",
                                    **options)

        check_times(once, lambda loaded: check(loaded, Books(loaded.stdout)))

    return run


def cases(loaded, name):
    """Summed over all callpaths of a routine."""
    return [sum(visits) for visits in zip(*map(case_visits, loaded.routines(name)), strict=True)]


def outermost(loaded, name):
    """The routine's callpaths that have none of the same routine above them."""
    return [entry for entry in loaded.routines(name)
            if not any(a["kind"] == "routine" and a["name"] == name for a in loaded.ancestors(entry))]


def elapsed(loaded, name):
    return sum(entry["elapsed_s"] for entry in outermost(loaded, name))


def assert_elapsed(loaded, books, name, *windows):
    expected = sum(sum(books.elapsed_at[where]) for where in windows or [name])
    assert_close(elapsed(loaded, name), expected, f"{name}: elapsed", scale=loaded["program"]["elapsed_s"])


def elapsed_by_thread(loaded, name):
    found = {}
    for entry in outermost(loaded, name):
        for row in entry["threads"]:
            if row.get("entries"):
                found[row["thread"]] = found.get(row["thread"], 0.0) + sum(case_elapsed(row))
    return [time for _, time in sorted(found.items()) if time > 0]


def assert_own_time(loaded, books, name):
    own = sum(entry["busy_s"] for entry in loaded.routines(name))
    expected = sum(books.thread_time_at[f"own {name}"])
    assert_close(own, expected, f"{name}: own time", scale=loaded["program"]["elapsed_s"])


def inclusive(loaded, name):
    return sum(entry["busy_inclusive_s"] for entry in outermost(loaded, name))


# ---- on the same thread ----


@each_compiler
@pytest.mark.parametrize("n", [15, 20])
def test_direct_recursion_alone(run_case, compiler, n):
    def check(loaded, books):
        assert loaded.calls("fib") == 2 * FIB_CALLS[n]
        assert cases(loaded, "fib") == [2 * FIB_CALLS[n], 0, 0, 0]
        assert loaded.arcs() == {(None, "main"): 1, ("main", "fib"): 2, ("fib", "fib"): 2 * FIB_CALLS[n] - 2}
        assert_elapsed(loaded, books, "fib", "fib 0")
        assert elapsed(loaded, "fib") <= loaded["program"]["elapsed_s"]

    run_case("recursion_direct.c", compiler, "alone", n, check=check)


@each_compiler
def test_direct_recursion_on_each_thread_of_a_team(run_case, compiler, runtime):
    def check(loaded, books):
        assert loaded.calls("fib") == 2 * FIB_CALLS[20]
        assert cases(loaded, "fib") == [0, 2, 0, 2 * FIB_CALLS[20] - 2]
        assert_elapsed(loaded, books, "fib", "fib 0", "fib 1")
        times = elapsed_by_thread(loaded, "fib")
        assert len(times) == 2
        for thread, time in enumerate(times):
            expected = sum(books.elapsed_at[f"fib {thread}"])
            assert_close(time, expected, f"thread {thread}", scale=loaded["program"]["elapsed_s"])
        for entry in loaded.routines("fib"):  # both did the same
            visits = [row["visits"] for row in entry["threads"] if row["visits"]]
            assert len(visits) == 2 and visits[0] == visits[1]

    run_case("recursion_direct.c", compiler, "team", 20, check=check, runtime=runtime)


@each_compiler
def test_mutual_recursion(run_case, compiler):
    def check(loaded, books):
        assert loaded.arcs() == {(None, "main"): 1, ("main", "even"): 2, ("main", "odd"): 1, ("even", "odd"): 5,
                                 ("odd", "even"): 6}
        assert cases(loaded, "even") == [8, 0, 0, 0] and cases(loaded, "odd") == [6, 0, 0, 0]
        for name in ("even", "odd"):
            assert_elapsed(loaded, books, name)
            assert_own_time(loaded, books, name)
        assert elapsed(loaded, "even") <= loaded["program"]["elapsed_s"]

    run_case("recursion_mutual.c", compiler, check=check)


# ---- on other threads ----


@each_compiler
def test_recursion_through_regions(run_case, compiler, runtime):
    """Each thread has the time from its own outermost entry to its exit."""

    def check(loaded, books):
        assert loaded.calls("descend") == 7
        assert cases(loaded, "descend") == [1, 2, 0, 4]
        assert_elapsed(loaded, books, "descend")
        assert_own_time(loaded, books, "descend")
        times = sorted(elapsed_by_thread(loaded, "descend"))
        assert len(times) == 4
        assert_close(times[-1], max_window(loaded.stdout, "descend"), "the first thread")

    run_case("recursion_teams.c", compiler, how="sleep", check=check, runtime=runtime,
             env={"OMP_MAX_ACTIVE_LEVELS": "2"})


def max_window(stdout, where):
    windows = re.findall(rf"^window {where} (\d+) (\d+)$", stdout, re.M)
    return max(int(end) - int(begin) for begin, end in windows) / 1e9


@each_compiler
def test_routine_that_is_entered_again_on_other_threads(run_case, compiler, runtime):
    def check(loaded, books):
        assert loaded.calls("top") == 3 and loaded.calls("down") == 8
        assert cases(loaded, "top") == [1, 0, 0, 2]
        assert cases(loaded, "down") == [0, 2, 0, 6]
        for name in ("top", "down"):
            assert_elapsed(loaded, books, name)
            assert_own_time(loaded, books, name)
        assert len(elapsed_by_thread(loaded, "top")) == len(elapsed_by_thread(loaded, "down")) == 2
        worked = sum(sum(books.thread_time_at[where]) for where in ("own top", "own down", "region"))
        assert_close(inclusive(loaded, "top"), worked, "top: inclusive")

    run_case("recursion_threads.c", compiler, check=check, runtime=runtime)


@each_compiler
@pytest.mark.parametrize("mode", ["tied", "untied"])
@pytest.mark.parametrize("threads", [1, 2, 4])
def test_recursion_through_tasks(run_case, compiler, mode, threads):
    def check(loaded, books):
        assert "sum 2584\n" in loaded.stdout
        assert loaded.calls("fib") == FIB_CALLS[18]
        tasks = [entry for entry in loaded.profiles if entry["kind"] == "task"]
        assert sum(entry["visits"] for entry in tasks) == FIB_CALLS[18] - 1
        lifetimes = sum(thread["lifetime_s"] for thread in loaded.threads)
        assert 0 < elapsed(loaded, "fib") <= lifetimes
        assert inclusive(loaded, "fib") <= loaded["program"]["busy_s"] + 1e-6
        if threads == 1:
            assert sum(entry["visits_concurrent"] for entry in loaded.routines("fib")) == 0

    run_case("recursion_tasks.c", compiler, mode, 18, check=check, threads=threads)


@pytest.mark.parametrize("mode", ["tied", "untied"])
def test_recursion_through_tasks_on_each_runtime(run_case, runtime, mode):
    def check(loaded, books):
        assert loaded.calls("fib") == FIB_CALLS[15]

    run_case("recursion_tasks.c", "clang", mode, 15, check=check, runtime=runtime)


# ---- deep ----


@each_compiler
@pytest.mark.parametrize("mode", ["alone", "team"])
def test_hundred_thousand_levels(run_case, compiler, mode):
    def check(loaded, books):
        times = 2 if mode == "team" else 1
        assert f"leaves {times * 100002}\n" in loaded.stdout
        assert loaded.calls("down") == times * 100001
        assert loaded.calls("leaf") == times * 100002
        assert loaded.calls("a") == loaded.calls("b") == times * 50000
        assert len(loaded.profiles) < 100
        lifetimes = sum(thread["lifetime_s"] for thread in loaded.threads)
        assert 0 < elapsed(loaded, "down") <= lifetimes

    run_case("recursion_deep.c", compiler, mode, 100000, check=check, env={"OMP_STACKSIZE": "64M", "HEDDLE_MEMORY": "off"})


@pytest.fixture
def large_stack():
    """For what the test starts: 256 MiB."""
    soft, hard = resource.getrlimit(resource.RLIMIT_STACK)
    resource.setrlimit(resource.RLIMIT_STACK, (256 << 20, hard))
    yield
    resource.setrlimit(resource.RLIMIT_STACK, (soft, hard))


@pytest.mark.needs("stack-limit")
@each_compiler
def test_more_levels_than_are_kept(run_case, large_stack, compiler):
    """Calls are counted all the same, and after the return the callers are right again."""

    def check(loaded, books):
        assert loaded.calls("down") == 400001 and loaded.calls("leaf") == 400002
        assert loaded.calls("a") == loaded.calls("b") == 200000
        assert loaded.arcs()["main", "down"] == loaded.arcs()["main", "a"] == 1
        assert loaded.arcs()["down", "down"] == 400000
        [note] = [note for note in loaded["run"]["notes"] if "--overhead" not in note]
        assert "entries" in note
        assert loaded.path.stat().st_size < 8 << 20

    run_case("recursion_deep.c", compiler, "alone", 400000, check=check, env={"HEDDLE_MEMORY": "off"})


# ---- bounded ----


def counted(stdout):
    return {name: int(count) for name, count in re.findall(r"^calls (\w+) (\d+)$", stdout, re.M)}


def assert_counts(loaded):
    expected = counted(loaded.stdout)
    assert len(expected) == 5 and sum(expected.values()) > 100000
    assert {name: loaded.calls(name) for name in expected} == expected


@pytest.fixture
def web(measure_routines, build_program):
    def run(seed, **env):
        return measure_routines(build_program("recursion_web.c", "clang", INSTRUMENTED), seed, 100000, threads=2, env=env)

    return run


@pytest.mark.parametrize("depth", [1, 2, 3])
@pytest.mark.parametrize("seed", [1, 2])
def test_bounded_depth_bounds_the_number_of_profiles(web, depth, seed):
    """At depth k there are as many callpaths as sequences of up to k of main and the five routines."""
    loaded = web(seed, HEDDLE_CALLPATH_DEPTH=str(depth))
    assert_counts(loaded)
    routines = [entry for entry in loaded.profiles if entry["kind"] == "routine"]
    assert len(routines) <= 1 + sum(6 ** length for length in range(1, depth + 1))
    assert depth == 1 or len(routines) > 5 ** depth


@pytest.mark.parametrize("seed", [1, 2])
def test_cycle_limit_bounds_the_number_of_profiles(web, seed):
    """With limit 1 no routine is on a callpath twice, but in the leaf for its recursive calls: at most 5 + 5 * 4 + 5 * 4 * 3
    + ... = 325 callpaths, with up to 5 leaves each, and main."""
    loaded = web(seed)
    assert_counts(loaded)
    routines = [entry for entry in loaded.profiles if entry["kind"] == "routine"]
    again = [entry for entry in routines if entry["recursive_of"] is not None]
    assert len(routines) - len(again) <= 326 and len(again) <= 325 * 5
    by_id = {entry["id"]: entry for entry in loaded.profiles}
    for entry in again:
        target = by_id[entry["recursive_of"]]
        assert target["name"] == entry["name"] and target in loaded.ancestors(entry)
        assert entry["busy_s"] == 0 and entry["visits"] > 0
    for entry in routines:
        if entry["recursive_of"] is None:
            assert entry["name"] not in [a["name"] for a in loaded.ancestors(entry) if a["kind"] == "routine"]


@pytest.mark.parametrize("limit", [1, 2, 3])
def test_cycle_limit_of_direct_and_mutual_recursion(run_case, limit):
    """A callpath folds when its last LIMIT sites were on it before: `down` is on a callpath LIMIT times, a and b together
    LIMIT + 1 times."""

    def check(loaded, books):
        assert loaded.calls("down") == 101 and loaded.calls("a") == loaded.calls("b") == 50

        def kept(*names):
            return len([e for name in names for e in loaded.routines(name) if e["recursive_of"] is None])

        assert kept("down") == limit
        assert kept("a", "b") == limit + 1

    run_case("recursion_deep.c", "clang", "alone", 100, check=check, env={"HEDDLE_CYCLE_LIMIT": str(limit)})


@pytest.mark.parametrize("depth", [1, 2, 3, 5])
def test_counts_do_not_depend_on_the_depth(run_case, depth):
    def check(loaded, books):
        assert loaded.calls("fib") == 2 * FIB_CALLS[15]
        if depth == 1:
            assert_elapsed(loaded, books, "fib", "fib 0")

    run_case("recursion_direct.c", "clang", "alone", 15, check=check, env={"HEDDLE_CALLPATH_DEPTH": str(depth)})
