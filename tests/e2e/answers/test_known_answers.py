# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs whose answers are known: counts exactly, times within 1 %. The arithmetic is in each program's head comment.

Times are compared with the program's own books (programs/spin.h), kept by the same clock. Heddle numbers threads as they
come, a program by their place in the team: lists of threads are compared in order of size.
"""
import pytest

from conftest import assert_between, assert_close, marks, wait_of
from timed import check_times


pytestmark = pytest.mark.timed

threads_1_2_4 = pytest.mark.parametrize("threads", (1, 2, 4))


def assert_each_busy(entry, expected, scale, what="busy of a thread"):
    actual = sorted(row["busy_s"] for row in entry["threads"])
    actual = [0.0] * (len(expected) - len(actual)) + actual
    for one, other in zip(actual, sorted(expected), strict=True):
        assert_close(one, other, what, scale)


def assert_each_wait(entry, cause, low, high, scale):
    """Each thread's wait lies between two lists of the program's books."""
    actual = sorted(wait_of(row, cause) for row in entry["threads"])
    actual = [0.0] * (len(low) - len(actual)) + actual
    for one, least, most in zip(actual, sorted(low), sorted(high), strict=True):
        assert_between(one, least, most, f"{cause} of a thread", scale)


def attainable(loaded, region, gain):
    """What the run can gain of a region's lost time / p (docs/design.md, "What a run can gain")."""
    processors = loaded["run"]["max_threads"]
    share = region["running_s"] / region["elapsed_s"]
    spare = sum(s * max(0, processors - k) / processors for k, s in enumerate(region["elapsed_at_k_s"]))
    return share * min(gain, spare)


def assert_region(loaded, entry, elapsed, busy, threads):
    """A region's numbers from its elapsed time and the busy times of its threads."""
    assert_close(entry["elapsed_s"], elapsed, "elapsed")
    assert_close(entry["mean_concurrency"], sum(busy) / elapsed, "mean concurrency")
    assert_close(entry["imbalance"], threads * max(busy) / sum(busy), "imbalance")
    gain = attainable(loaded, entry, elapsed - sum(busy) / threads)
    assert_close(entry["potential_gain_s"], gain, "potential gain", scale=elapsed)


def assert_construct(entry, region, loaded, threads):
    """A worksharing construct with its own barrier: all that is lost in it is waiting, and the region's."""
    scale = loaded.elapsed[0]
    lost = region["elapsed_s"] - region["team_busy_s"] / threads
    share = attainable(loaded, region, lost) / lost if lost > 0 else 1
    assert entry["visits"] == threads
    assert_each_busy(entry, loaded.spun, scale)
    assert_each_wait(entry, "barrier_implicit", loaded.waited, loaded.joined, scale)
    assert_close(entry["imbalance"], threads * max(loaded.spun) / sum(loaded.spun), "imbalance of the construct")
    assert_between(entry["potential_gain_s"], share * sum(loaded.waited) / threads,
                   share * sum(loaded.joined) / threads, "gain of the construct", scale)


def lines_of_constructs(loaded):
    return {entry["line"] for entry in loaded.profiles if entry["line"] and entry["kind"] != "routine"}


# ---- counts ----


@threads_1_2_4
def test_visits_of_nested_constructs_are_exact(measure, build_program, runtime, threads):
    repeat, line = 10, marks("counts.c")
    loaded = measure(build_program("counts.c"), repeat, runtime=runtime, threads=threads)
    tells = runtime >= 17  # older ones do not tell a loop's schedule
    guided = "loop_guided" if threads > 1 else "loop_static"  # what libomp makes of it for one thread
    per_thread = {
        ("static", "loop_static" if tells else "loop"): 3,
        ("dynamic", "loop_dynamic" if tells else "loop"): 2,
        ("guided", guided if tells else "loop"): 2,
        ("sections", "sections"): 1,
        ("single", "single"): 1,
        ("critical", "critical"): 5,
        ("barrier", "barrier_explicit"): 1,
    }
    for region, instances in (("first", repeat), ("second", 2 * repeat)):
        assert loaded.visits(line[region], "parallel") == instances
        for entry in loaded.all(line[region]):
            assert entry["team_size"] == {"min": threads, "max": threads}
            assert [row["visits"] for row in entry["threads"]] == [entry["visits"]] * threads
        for (mark, kind), times in per_thread.items():
            assert loaded.visits(line[mark], kind, below=line[region]) == times * instances * threads, mark
            assert loaded.visits(line[mark], below=line[region]) == times * instances * threads, mark
            for entry in loaded.all(line[mark], below=line[region]):
                assert [row["visits"] for row in entry["threads"]] == [entry["visits"] / threads] * threads, mark
    assert lines_of_constructs(loaded) == set(line.values())


@threads_1_2_4
def test_visits_of_a_program_built_by_clang_19(measure, build_program, threads):
    line = marks("counts.c")
    loaded = measure(build_program("counts.c", compiler="clang-19"), 7, runtime=19, threads=threads)
    assert loaded.visits(line["second"], "parallel") == 14
    assert loaded.visits(line["static"], "loop_static", below=line["second"]) == 3 * 14 * threads
    assert loaded.visits(line["dynamic"], "loop_dynamic", below=line["second"]) == 2 * 14 * threads


def test_every_thread_of_a_large_team_is_there(measure, build_program, runtime):
    """More threads than a block of the profile holds, all beginning at once."""
    line = marks("large_team.c")
    loaded = measure(build_program("large_team.c"), 300, runtime=runtime, env={"OMP_WAIT_POLICY": "passive"})
    assert [thread["thread"] for thread in loaded.threads] == list(range(300))
    region = loaded.one(line["region"], "parallel")
    assert region["visits"] == 3 and region["team_size"] == {"min": 300, "max": 300}
    [loop] = [entry for entry in loaded.all(line["loop"]) if entry["kind"].startswith("loop")]
    for entry in (region, loop):
        assert [row["visits"] for row in entry["threads"]] == [3] * 300


# ---- times ----


@threads_1_2_4
def test_threads_that_spin(measure, build_program, runtime, threads):
    line = marks("spin_threads.c")["region"]

    def check(loaded):
        region = loaded.one(line, "parallel")
        assert region["visits"] == 4
        assert_each_busy(region, loaded.spun, loaded.elapsed[0])
        assert_each_wait(region, "barrier_implicit", loaded.waited, loaded.joined, loaded.elapsed[0])
        assert_close(region["busy_s"], sum(loaded.spun), "busy")
        assert_region(loaded, region, loaded.elapsed[0], loaded.spun, threads)

    check_times(lambda: measure(build_program("spin_threads.c"), 50, 4, runtime=runtime, threads=threads), check)


@threads_1_2_4
@pytest.mark.parametrize("source", ["spin_loop.c", "single.c", "sections.c"])
def test_construct_owns_the_wait_at_its_barrier(measure, build_program, runtime, threads, source):
    line = marks(source)

    def check(loaded):
        region = loaded.one(line["region"], "parallel")
        construct = loaded.one(line["construct"])
        assert construct["parent"] == region["id"]
        assert_construct(construct, region, loaded, threads)
        assert_close(wait_of(region, "barrier_implicit"), 0, "wait at the region's end", scale=loaded.elapsed[0])
        assert_close(region["busy_inclusive_s"], sum(loaded.spun), "inclusive busy time of the region")
        assert_region(loaded, region, loaded.elapsed[0], loaded.spun, threads)

    check_times(lambda: measure(build_program(source), 100, runtime=runtime, threads=threads), check)


def assert_one_at_a_time(loaded, region_line, inner_line, kind, threads):
    """Critical, lock, ordered: waiting to get in, under the name of the kind."""
    region, inner = loaded.one(region_line, "parallel"), loaded.one(inner_line, kind)
    assert inner["visits"] == threads
    assert_close(wait_of(inner, kind), sum(loaded.blocked), f"waiting for the {kind}", scale=loaded.elapsed[0])
    assert_each_wait(inner, kind, loaded.blocked, loaded.blocked, loaded.elapsed[0])
    assert_close(region["busy_inclusive_s"], sum(loaded.spun), "inclusive busy time")
    assert_region(loaded, region, loaded.elapsed[0], loaded.spun, threads)
    return region, inner


@threads_1_2_4
def test_critical_section_held_for_a_known_time(measure, build_program, runtime, threads):
    line = marks("critical_hold.c")

    def check(loaded):
        region, critical = assert_one_at_a_time(loaded, line["region"], line["critical"], "critical", threads)
        assert_each_busy(critical, loaded.spun, loaded.elapsed[0])
        assert_each_wait(region, "barrier_implicit", loaded.waited, loaded.joined, loaded.elapsed[0])

    check_times(lambda: measure(build_program("critical_hold.c"), 100, runtime=runtime, threads=threads), check)


@threads_1_2_4
@pytest.mark.parametrize("nest", [False, True], ids=["lock", "nest_lock"])
def test_lock_held_for_a_known_time(measure, build_program, runtime, threads, nest):
    line = marks("locks.c")

    def check(loaded):
        region, _ = assert_one_at_a_time(loaded, line["region"], line["nest" if nest else "lock"], "lock", threads)
        assert_each_wait(region, "barrier_implicit", loaded.waited, loaded.joined, loaded.elapsed[0])
        outside = loaded.one(line["outside"], "lock")
        assert outside["parent"] == 0 and outside["visits"] == 1
        again = loaded.all(line["again"])  # a nestable lock that the thread has already: never waits
        assert bool(again) == nest
        for entry in again:
            assert_close(wait_of(entry, "lock"), 0, "second time", scale=loaded.elapsed[0])

    arguments = [100, "nest"] if nest else [100]
    check_times(lambda: measure(build_program("locks.c"), *arguments, runtime=runtime, threads=threads), check)


@threads_1_2_4
def test_ordered_sections_wait_for_their_turn(measure, build_program, runtime, threads):
    line = marks("ordered.c")

    def check(loaded):
        _, ordered = assert_one_at_a_time(loaded, line["region"], line["ordered"], "ordered", threads)
        loop = loaded.one(line["loop"])
        assert ordered["parent"] == loop["id"]
        assert_each_busy(ordered, loaded.spun, loaded.elapsed[0])
        assert_each_wait(loop, "barrier_implicit", loaded.waited, loaded.joined, loaded.elapsed[0])

    check_times(lambda: measure(build_program("ordered.c"), 100, runtime=runtime, threads=threads), check)


@threads_1_2_4
def test_explicit_barrier_has_a_wait_of_its_own(measure, build_program, runtime, threads):
    line = marks("barrier_explicit.c")

    def check(loaded):
        region = loaded.one(line["region"], "parallel")
        barrier = loaded.one(line["barrier"], "barrier_explicit")
        assert barrier["parent"] == region["id"] and barrier["visits"] == threads
        assert_each_wait(barrier, "barrier_explicit", loaded.blocked, loaded.blocked, loaded.elapsed[0])
        assert_each_wait(region, "barrier_implicit", loaded.waited, loaded.joined, loaded.elapsed[0])
        assert_each_busy(region, loaded.spun, loaded.elapsed[0])
        assert_region(loaded, region, loaded.elapsed[0], loaded.spun, threads)

    check_times(lambda: measure(build_program("barrier_explicit.c"), 50, runtime=runtime, threads=threads), check)


def check_masked(measure, program, runtime, threads):
    line, rounds = marks("masked.c"), 5

    def check(loaded):
        region = loaded.one(line["region"], "parallel")
        spun = dict(zip(("master", "masked", "outside"), loaded.spun[:3], strict=True))
        threads_of = {}
        for mark in spun:
            entry = loaded.one(line[mark], "masked")
            assert entry["parent"] == (0 if mark == "outside" else region["id"])
            assert entry["visits"] == (1 if mark == "outside" else rounds)
            assert [row["visits"] for row in entry["threads"]] == [entry["visits"]], mark
            assert_close(entry["busy_s"], spun[mark], f"busy in {mark}")
            assert entry["wait_s"] == {cause: 0 for cause in entry["wait_s"]}
            threads_of[mark] = entry["threads"][0]["thread"]
        assert threads_of["master"] == threads_of["outside"] == 0
        assert (threads_of["masked"] == 0) == (threads == 1)
        assert_close(region["busy_s"], 0, "busy outside of both", scale=loaded.elapsed[0])
        waits = sum(wait_of(entry, "barrier_explicit") for entry in loaded.all(line["barrier"], "barrier_explicit"))
        assert_close(waits, sum(loaded.blocked), "waiting at the barriers", scale=loaded.elapsed[0])
        busy = [spun["master"], spun["masked"]] if threads > 1 else [spun["master"] + spun["masked"]]
        assert_region(loaded, region, loaded.elapsed[0], busy, threads)

    check_times(lambda: measure(program, 20, rounds, runtime=runtime, threads=threads), check)


@threads_1_2_4
def test_work_of_one_thread_in_a_masked_and_a_master(measure, build_program, runtime, threads):
    check_masked(measure, build_program("masked.c", flags=["-fopenmp-version=51"]), runtime, threads)


def test_masked_built_by_clang_19(measure, build_program):
    program = build_program("masked.c", compiler="clang-19", flags=["-fopenmp-version=52"])
    check_masked(measure, program, 19, 2)


def test_gcc_does_not_tell_of_a_master(measure_routines, build_program):
    """Its code compares the thread's number and calls nothing: the work stays with the region."""
    source = """
#include <omp.h>
#include "spin.h"
int main(void) {
  team_begin(0);
#pragma omp parallel
  {
#pragma omp master
    spin_ms(0, 100);
  }
  team_end(0, 0, 1);
  print_books(1);
  return 0;
}
"""
    program = build_program(source, compiler="gcc")

    def check(loaded):
        region = next(entry for entry in loaded.profiles if entry["kind"] == "parallel")
        assert not [entry for entry in loaded.profiles if entry["kind"] == "masked"]
        assert_close(region["busy_s"], loaded.spun[0], "busy", scale=loaded.elapsed[0])

    check_times(lambda: measure_routines(program, threads=2, gomp=True), check)


@threads_1_2_4
@pytest.mark.parametrize("where", ["taskwait", "barrier"])
def test_tasks_inside_waits_are_work(measure, build_program, runtime, threads, where):
    line = marks("tasks.c")

    def check(loaded):
        region, task = loaded.one(line["region"], "parallel"), loaded.one(line["task"], "task")
        assert task["visits"] == 12
        assert_each_busy(task, loaded.spun, loaded.elapsed[0])
        assert_close(task["busy_s"], sum(loaded.spun), "busy in tasks")
        assert_region(loaded, region, loaded.elapsed[0], loaded.spun, threads)
        waits = sum(sum(entry["wait_s"].values()) for entry in loaded.profiles
                    if entry is region or region in loaded.ancestors(entry))
        lost = threads * loaded.elapsed[0] - sum(loaded.spun)
        assert waits <= lost + 0.01 * loaded.elapsed[0], "time in tasks was counted as waiting too"

    arguments = [100, "taskwait"] if where == "taskwait" else [100]
    check_times(lambda: measure(build_program("tasks.c"), *arguments, runtime=runtime, threads=threads), check)


def test_taskwait_and_taskgroup_wait_for_another_threads_task(measure, build_program, runtime):
    line = marks("taskwait_one.c")

    def check(loaded):
        for i, (kind, task) in enumerate((("taskwait", "task"), ("taskgroup", "second task"))):
            entry = loaded.one(line[kind], kind)
            assert entry["visits"] == loaded.one(line[task], "task")["visits"] == 1
            assert_close(wait_of(entry, kind), loaded.blocked[i], f"waiting in the {kind}")
            assert_close(loaded.one(line[task], "task")["busy_s"], loaded.spun[i], f"task of the {kind}")

    check_times(lambda: measure(build_program("taskwait_one.c"), 100, runtime=runtime, threads=2), check)


def test_nested_regions(measure, build_program, runtime):
    line = marks("nested.c")

    def check(loaded):
        outer, inner = loaded.one(line["outer"], "parallel"), loaded.one(line["inner"], "parallel")
        elapsed = sum(loaded.elapsed)
        assert inner["parent"] == outer["id"]
        assert (outer["visits"], inner["visits"]) == (1, 2)
        assert inner["team_size"] == {"min": 2, "max": 2}
        assert len(loaded.threads) == 4
        assert_each_busy(inner, loaded.spun, elapsed)
        assert_each_wait(inner, "barrier_implicit", loaded.waited, loaded.joined, elapsed)
        assert_close(inner["elapsed_s"], elapsed, "elapsed of the inner regions")
        assert_close(inner["running_s"], loaded.running[0], "time with inner regions")
        gain = attainable(loaded, inner, elapsed - sum(loaded.spun) / 2)
        assert_close(inner["potential_gain_s"], gain, "gain", scale=elapsed)

    check_times(lambda: measure(build_program("nested.c"), 100, runtime=runtime, threads=4), check)


def test_serialised_regions(measure, build_program, runtime):
    line = marks("serialised.c")

    def check(loaded):
        outer, inner = loaded.one(line["outer"], "parallel"), loaded.one(line["inner"], "parallel")
        assert inner["parent"] == outer["id"]
        assert [a["name"] for a in loaded.ancestors(outer) if a["kind"] != "program"] == ["main"]
        assert (outer["visits"], inner["visits"]) == (3, 3)
        assert outer["team_size"] == inner["team_size"] == {"min": 1, "max": 1}
        assert_close(outer["busy_s"], loaded.spun[0], "busy of the outer region")
        assert_close(inner["busy_s"], loaded.spun[1], "busy of the inner region")
        assert_close(outer["elapsed_s"], sum(loaded.spun), "elapsed of the outer region")
        assert_close(inner["elapsed_s"], loaded.spun[1], "elapsed of the inner region")
        assert_close(inner["mean_concurrency"], 1, "mean concurrency")
        assert_close(outer["potential_gain_s"], 0, "gain", scale=outer["elapsed_s"])

    check_times(lambda: measure(build_program("serialised.c"), 50, runtime=runtime, threads=2), check)


def test_two_threads_that_open_regions(measure, build_program, runtime):
    line = marks("two_initials.c")

    def check(loaded):
        assert len(loaded.threads) == 4
        for team, mark in enumerate(("main", "pthread")):
            region = loaded.one(line[mark], "parallel")
            mine = slice(2 * team, 2 * team + 2)
            assert region["visits"] == 3 and len(region["threads"]) == 2
            assert_each_busy(region, loaded.spun[mine], loaded.elapsed[team])
            assert_each_wait(region, "barrier_implicit", loaded.waited[mine], loaded.joined[mine], loaded.elapsed[team])
            assert_region(loaded, region, loaded.elapsed[team], loaded.spun[mine], 2)

    check_times(lambda: measure(build_program("two_initials.c", flags=["-pthread"]), 100, 3, runtime=runtime,
                                threads=4), check)


def test_program_totals(measure, build_program, runtime):
    """The program's busy time is that of its threads; outside its regions one thread works."""

    def check(loaded):
        program = loaded["program"]
        assert program["elapsed_s"] >= loaded.elapsed[0]
        assert_close(program["busy_s"], sum(thread["busy_s"] for thread in loaded.threads), "busy")
        assert_close(program["mean_concurrency"], program["busy_s"] / program["elapsed_s"], "mean concurrency")
        assert_close(max(thread["lifetime_s"] for thread in loaded.threads), program["elapsed_s"], "first thread")
        regions = sum(entry["elapsed_s"] for entry in loaded.profiles if entry["kind"] == "parallel")
        assert_close(program["outside_regions_s"], program["elapsed_s"] - regions, "outside", program["elapsed_s"])

    check_times(lambda: measure(build_program("spin_threads.c"), 50, 4, runtime=runtime, threads=2), check)
