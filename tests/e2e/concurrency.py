# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Exact concurrency of real programs: what holds on every run of a program with books (programs/books.h), and what holds
where it did what its head comment says."""
import pytest

from concurrency_books import Books
from conftest import marks
from levels import at
from timed import MissedItsTimes, check_longer_times


POLICIES = {
    "passive": {"OMP_WAIT_POLICY": "passive"},
    "active": {"OMP_WAIT_POLICY": "active"},
    "blocktime0": {"KMP_BLOCKTIME": "0"},
    "infinite": {"KMP_BLOCKTIME": "infinite"},
}
# With 40 the tests take half as long, but 30 of 266 failed on an idle machine: see LONGER in timed.py.
UNIT_MS = 100


class Measured:
    """A run of a program with books: what Heddle says (`loaded`), summed over the code addresses of each mark."""

    def __init__(self, loaded, books, line, places=None):
        self.loaded, self.books, self.line = loaded, books, line
        self.places = places or {}
        self.scale = sum(books.time_at)

    def entries(self, where):
        if where == "outside":
            return [self.loaded.profiles[0]]
        found = self.places[where](self.loaded) if where in self.places else self.loaded.all(self.line[where])
        assert found, f"nothing at {where}: {self.loaded.summary()}"
        return found

    def levels(self, where, field):
        lists = [entry[field] for entry in self.entries(where) if entry[field] is not None]
        return [sum(at(one, k) for one in lists) for k in range(max(map(len, lists), default=0))]

    def total(self, where, field):
        return sum(entry[field] for entry in self.entries(where))

    def overlap(self, one, other):
        ids = [{entry["id"] for entry in self.entries(where)} for where in (one, other)]
        return sum(pair["elapsed_s"] for pair in self.loaded["overlaps"]
                   if (pair["a"] in ids[0] and pair["b"] in ids[1]) or (pair["a"] in ids[1] and pair["b"] in ids[0]))

    def assert_between(self, actual, low, high, what, threads=1):
        """Within 1 %; what is less than a tenth of the run, within 0.1 % of the run for each of the threads that it is
        summed over: where the state changes, the program and Heddle read the clock one after the other, and the thread
        may lose its core in between."""
        expected = min(max(actual, low), high)
        limit = max(0.01 * expected, 0.001 * self.scale * threads)
        assert abs(actual - expected) <= limit, f"{what}: {actual:.6f}, expected {expected:.6f} within {limit:.6f}"

    def assert_time(self, actual, expected, what, threads=1):
        self.assert_between(actual, expected, expected, what, threads)

    def assert_levels(self, actual, expected, what, first=0):
        for k in range(first, max(len(actual), len(expected))):
            self.assert_time(at(actual, k), at(expected, k), f"{what} at {k}")

    def assert_thread_times(self, actual, expected, what, first=0):
        for k in range(first, max(len(actual), len(expected))):
            self.assert_time(at(actual, k), at(expected, k), f"thread-time {what} at {k}", threads=max(k, 1))


def assert_agrees_with_books(run):
    """Every place's thread-time at each level, wall share and active time, every region's elapsed time at each level,
    every overlap. What lies outside of the books, before main and after it, only adds to the program's levels 0, 1."""
    books, program = run.books, run.loaded["program"]
    around = program["elapsed_s"] - sum(books.time_at)
    assert around > 0
    for k in (0, 1):
        booked = at(books.time_at, k)
        run.assert_between(at(program["time_at_k_s"], k), booked, booked + around, f"time at {k}")
    run.assert_levels(program["time_at_k_s"], books.time_at, "time", first=2)
    run.assert_thread_times(run.levels("outside", "thread_time_at_k_s"), books.thread_time_at["outside"], "outside", 2)
    for where in books.thread_time_at.keys() - {"outside"}:
        run.assert_thread_times(run.levels(where, "thread_time_at_k_s"), books.thread_time_at[where], f"in {where}")
        run.assert_time(run.total(where, "wall_share_s"), books.wall_share[where], f"wall share of {where}")
        if len(run.entries(where)) == 1:  # with several code addresses, active times may overlap
            run.assert_time(run.total(where, "active_s"), books.active[where], f"active time of {where}")
    for where, expected in books.elapsed_at.items():
        run.assert_levels(run.levels(where, "elapsed_at_k_s"), expected, f"elapsed time of {where}")
    for (one, other), expected in books.overlap.items():
        if "outside" not in (one, other) and len(run.entries(one)) == len(run.entries(other)) == 1:
            run.assert_time(run.overlap(one, other), expected, f"overlap of {one} and {other}")


def assert_units(run, actual, booked, expected, what):
    """`expected` is in units; nothing, within 1 % of the run. What the program has booked must be twice as close."""
    expected *= run.books.unit
    limit = 0.01 * (expected or run.scale)
    if abs(booked - expected) > limit / 2:
        raise MissedItsTimes(f"{what}: {expected:.6f} planned, {booked:.6f} booked")
    assert abs(actual - expected) <= limit, f"{what}: {actual:.6f}, planned {expected:.6f} within {limit:.6f}"


def assert_arithmetic(run, where, at_level=None, elapsed_at=None, wall_share=None, active=None):
    """In units: thread-time and elapsed time by level, nothing at the levels that are not listed."""
    books = run.books
    for field, booked, expected in (("thread_time_at_k_s", books.thread_time_at[where], at_level),
                                    ("elapsed_at_k_s", books.elapsed_at[where], elapsed_at)):
        if expected is None:
            continue
        actual = run.levels(where, field)
        for k in range(max(len(actual), max(expected) + 1)):
            assert_units(run, at(actual, k), at(booked, k), expected.get(k, 0), f"{where}: {field}[{k}]")
    for field, booked, expected in (("wall_share_s", books.wall_share[where], wall_share),
                                    ("active_s", books.active[where], active)):
        if expected is not None:
            assert_units(run, run.total(where, field), booked, expected, f"{where}: {field}")


def assert_overlap(run, one, other, units):
    assert_units(run, run.overlap(one, other), run.books.overlap[one, other], units, f"overlap of {one} and {other}")


def check_runs(once, check):
    """once(longer) -> Measured, which must agree with its books and then, by check(), with the arithmetic, as
    check_longer_times says."""

    def compare(measured):
        assert_agrees_with_books(measured)
        if check:
            check(measured)

    check_longer_times(once, compare)


@pytest.fixture
def levels_of(measure, build_program):
    """levels_of(source, how, mode, threads=, policy=, check=, ...): runs the program, holds the profile against the
    books and the identities, then calls check(run), which may look at more: the arithmetic."""

    def run(source, how="sleep", mode="", threads=2, policy="passive", runtime=19, env=None, check=None, places=None):
        program = build_program(source, flags=["-pthread"])
        env = {**POLICIES[policy], **(env or {})}

        def once(longer):
            loaded = measure(program, UNIT_MS * longer, how, mode, runtime=runtime, threads=threads, env=env)
            return Measured(loaded, Books(loaded.stdout), marks(source), places)

        check_runs(once, check)

    return run
