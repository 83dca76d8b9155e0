# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Exact concurrency of real programs: time at each level, wall shares, overlaps, all from the exported JSON.

Each program says when each of its threads worked and where (programs/books.h), and concurrency_books.py adds that up
by brute force: Heddle must agree within 1 %, however the machine has scheduled the threads. Where the threads sleep in
place of spinning, they keep to the arithmetic in the program's head comment too, whatever the number of processors, and
Heddle must agree with that as well, within 1 %. On a machine that is busy with something else a program may miss its
own arithmetic, by its own books: then it runs again. The identities of levels.py hold on every profile.
"""

import pytest

from concurrency import POLICIES, assert_arithmetic, assert_overlap, assert_units
from conftest import marks

teams_2_4_8 = pytest.mark.parametrize("threads", (2, 4, 8))
each_policy = pytest.mark.parametrize("policy", POLICIES)


# ---- one level after the other ----


def staircase(mode, threads):
    """In units, at level k: elapsed 1, thread-time k; twice over for the mode with a barrier in the middle."""
    times = 2 if mode == "barrier" else 1
    where = {"barrier": "twice"}.get(mode, mode)
    region = {"loop": "loop region"}.get(mode, where)

    def check(run):
        steps = range(1, threads + 1)
        assert_arithmetic(run, where, at_level={k: times * k for k in steps}, wall_share=times * threads,
                          active=times * threads)
        assert_arithmetic(run, region, elapsed_at={k: times for k in steps})

    return check


@pytest.mark.timed
@teams_2_4_8
@each_policy
@pytest.mark.parametrize("mode", ["region", "loop", "barrier", "reduction"])
def test_staircase_is_as_long_at_every_level(levels_of, mode, policy, threads):
    levels_of("staircase.c", "sleep", mode, threads, policy, check=staircase(mode, threads))


@pytest.mark.timed
@teams_2_4_8
@each_policy
def test_staircase_of_threads_that_spin(levels_of, policy, threads):
    """With more threads than processors they do not keep to the arithmetic, but Heddle to what they did."""
    levels_of("staircase.c", "spin", "region", threads, policy)


@pytest.mark.timed
@pytest.mark.parametrize("mode", ["region", "loop", "barrier", "reduction"])
def test_staircase_on_each_runtime(levels_of, runtime, mode):
    levels_of("staircase.c", "sleep", mode, 4, runtime=runtime, check=staircase(mode, 4))


# ---- one at a time ----


def one_at_a_time(mode, threads):
    where = mode if mode in ("critical", "ordered") else "region"

    def check(run):
        assert_arithmetic(run, where, at_level={1: threads}, wall_share=threads, active=threads)
        assert_arithmetic(run, "region", elapsed_at={1: threads})

    return check


@pytest.mark.timed
@teams_2_4_8
@each_policy
@pytest.mark.parametrize("how", ["sleep", "spin"])
def test_critical_section_lets_one_work(levels_of, how, policy, threads):
    check = one_at_a_time("critical", threads) if how == "sleep" else None
    levels_of("turns.c", how, "critical", threads, policy, check=check)


@pytest.mark.timed
@each_policy
@pytest.mark.parametrize("mode", ["ordered", "lock", "nest"])
def test_ordered_and_locks_let_one_work(levels_of, mode, policy):
    levels_of("turns.c", "sleep", mode, 4, policy, check=one_at_a_time(mode, 4))


@pytest.mark.timed
@pytest.mark.parametrize("mode", ["critical", "ordered", "lock", "nest"])
def test_one_at_a_time_on_each_runtime(levels_of, runtime, mode):
    levels_of("turns.c", "sleep", mode, 4, runtime=runtime, check=one_at_a_time(mode, 4))


# ---- tasks ----

# Its return address is often lost, and with it its line.
TASKLOOP = {"taskloop": lambda loaded: [
    e for e in loaded.profiles if "taskloop" in [e["kind"], *(a["kind"] for a in loaded.ancestors(e))]]}


@pytest.mark.timed
@teams_2_4_8
@each_policy
@pytest.mark.parametrize("mode", ["barrier", "taskwait", "taskgroup", "taskloop", "untied"])
def test_tasks_in_waits_are_work(levels_of, mode, policy, threads):
    """That the tasks are shared evenly is not certain: the arithmetic holds for their total only."""
    where = mode if mode in ("taskloop", "untied") else "task"

    def check(run):
        total = sum(run.levels(where, "thread_time_at_k_s"))
        assert_units(run, total, sum(run.books.thread_time_at[where]), 2 * threads, "thread-time of the tasks")

    levels_of("task_levels.c", "sleep", mode, threads, policy, check=check, places=TASKLOOP)


@pytest.mark.timed
@pytest.mark.parametrize("mode", ["barrier", "taskwait", "taskgroup", "taskloop", "untied"])
def test_tasks_on_each_runtime(levels_of, runtime, mode):
    levels_of("task_levels.c", "sleep", mode, 4, runtime=runtime, places=TASKLOOP)


# ---- several teams ----


@pytest.mark.timed
@pytest.mark.parametrize("inner", (2, 4))
@each_policy
def test_nested_teams(levels_of, policy, inner):
    def check(run):
        levels = [2 * k for k in range(1, inner + 1)]
        assert_arithmetic(run, "outer", at_level={2: 4}, wall_share=2, active=2,
                          elapsed_at={k: 3 if k == 2 else 1 for k in levels})
        assert_arithmetic(run, "inner", at_level={k: k for k in levels}, wall_share=inner, active=inner,
                          elapsed_at={k: 2 for k in levels})

    levels_of("nested_levels.c", "sleep", "", inner, policy, env={"OMP_MAX_ACTIVE_LEVELS": "2"}, check=check)


@pytest.mark.timed
def test_nested_teams_on_each_runtime(levels_of, runtime):
    levels_of("nested_levels.c", "sleep", "", 2, runtime=runtime, env={"OMP_MAX_ACTIVE_LEVELS": "2"})


def two_masters(run):
    assert_arithmetic(run, "main", at_level={4: 4, 3: 1, 2: 1}, elapsed_at={4: 2, 3: 1, 2: 1}, wall_share=11 / 6,
                      active=4)
    assert_arithmetic(run, "pthread", at_level={4: 4, 3: 2, 2: 2}, elapsed_at={4: 2, 3: 1, 2: 2}, wall_share=8 / 3,
                      active=5)
    assert_overlap(run, "main", "pthread", 4)


@pytest.mark.timed
@pytest.mark.parametrize("policy", ["passive", "active"])
def test_two_threads_that_open_regions(levels_of, policy):
    levels_of("two_masters.c", "sleep", "", 2, policy, check=two_masters)


@pytest.mark.timed
def test_two_threads_that_open_regions_on_each_runtime(levels_of, runtime):
    levels_of("two_masters.c", "sleep", "", 2, runtime=runtime, check=two_masters)


@pytest.mark.timed
@pytest.mark.parametrize("threads", (2, 4))
@pytest.mark.parametrize("policy", ["passive", "active"])
def test_teams_of_any_size_one_after_the_other(levels_of, policy, threads):
    """Smaller than the one before, of one thread, and large again."""

    def check(run):
        for where, size in (("all", threads), ("half", threads // 2), ("off", 1), ("alone", 1), ("again", threads)):
            assert_arithmetic(run, where, at_level={size: size}, elapsed_at={size: 1}, wall_share=1, active=1)

    levels_of("team_sizes.c", "sleep", "", threads, policy, check=check)


@pytest.mark.timed
def test_teams_of_any_size_on_each_runtime(levels_of, runtime):
    levels_of("team_sizes.c", "sleep", "", 4, runtime=runtime)


@pytest.mark.timed
def test_league_of_teams(levels_of, runtime):
    line = marks("league.c")

    def league(loaded):
        """The construct itself and the initial tasks of its teams, which are entries of their own."""
        below = [e for e in loaded.profiles if any(a["line"] == line["league"] for a in loaded.ancestors(e))]
        return loaded.all(line["league"], "teams") + [e for e in below if e["line"] != line["team"]]

    places = {"league": league, "teams": lambda loaded: loaded.all(line["league"], "teams")}

    def check(run):
        assert_arithmetic(run, "teams", elapsed_at={1: 1, 2: 1, 3: 2})
        assert_arithmetic(run, "league", at_level={2: 2, 3: 1}, wall_share=4 / 3)
        assert_arithmetic(run, "team", at_level={3: 5, 1: 1}, elapsed_at={3: 3, 1: 1}, wall_share=8 / 3)

    levels_of("league.c", "sleep", "", 4, runtime=runtime, places=places, check=check,
              env={"KMP_TEAMS_THREAD_LIMIT": "4"})


# ---- worksharing ----


@pytest.mark.timed
@teams_2_4_8
@each_policy
def test_loops_that_overlap(levels_of, policy, threads):
    def check(run):
        assert_arithmetic(run, "region", elapsed_at={threads: 4, threads // 2: 1})
        assert_arithmetic(run, "A", at_level={threads: 2 * threads}, wall_share=2, active=3)
        assert_arithmetic(run, "B", at_level={threads: 2 * threads, threads // 2: threads / 2}, wall_share=3, active=4)
        assert_overlap(run, "A", "B", 2)

    levels_of("overlap_loops.c", "sleep", "", threads, policy, check=check)


@pytest.mark.timed
def test_loops_that_overlap_on_each_runtime(levels_of, runtime):
    levels_of("overlap_loops.c", "sleep", "", 4, runtime=runtime)


@pytest.mark.timed
@pytest.mark.parametrize("how", ["sleep", "spin"])
@pytest.mark.parametrize("threads", (2, 4))
def test_sections_and_single(levels_of, runtime, threads, how):
    def check(run):
        if how == "sleep":
            assert_arithmetic(run, "sections", at_level={k: k for k in range(1, 5)} if threads == 4 else {1: 4, 2: 6})
            assert_arithmetic(run, "single", at_level={1: 1}, wall_share=1, active=1)

    levels_of("sections_levels.c", how, "", threads, runtime=runtime, check=check)


@pytest.mark.timed
def test_cancelled_region(levels_of, runtime):
    def check(run):
        assert_arithmetic(run, "region", at_level={4: 10, 3: 1.5}, elapsed_at={4: 2.5, 3: 0.5})

    levels_of("cancelled.c", "sleep", "", 4, runtime=runtime, env={"OMP_CANCELLATION": "true"}, check=check)
