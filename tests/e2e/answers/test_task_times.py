# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How long tasks take, and how long they wait to begin: against the books of programs/constructs/task_lengths.c."""
import re

import pytest

from conftest import assert_close, marks
from timed import check_longer_times

COMPILERS = pytest.mark.parametrize("compiler", ("clang", "gcc"))
KINDS = {"long": 1, "short": 4, "outer": 1, "inner": 1, "undeferred": 1, "dependent": 1}


def lengths_of(loaded, line, what):
    """-> (how many, seconds in all, the longest, log2_ns)"""
    parts = [entry["task"][what] for entry in loaded.all(line, "task") if entry["task"][what]["observed"] > 0]
    return (sum(part["observed"] for part in parts), sum(part["observed"] * part["mean"] for part in parts),
            max(part["max"] for part in parts), [sum(column) for column in zip(*(part["log2_ns"] for part in parts))])


def assert_histogram(counts, seconds, longest, log2_ns):
    """It holds as many as there are, and what its buckets allow."""
    assert counts == sum(log2_ns) and len(log2_ns) == 32
    assert sum(2 ** i * count for i, count in enumerate(log2_ns) if i > 0) <= seconds * 1e9 + counts
    assert seconds * 1e9 < sum(2 ** (i + 1) * count for i, count in enumerate(log2_ns)) + counts
    last = max(i for i, count in enumerate(log2_ns) if count > 0)
    assert 2 ** last <= longest * 1e9 + 1 < 2 ** (last + 1) + 2


@COMPILERS
def test_every_tasks_time_and_delay_is_kept(measure_routines, build_program, runtime, compiler):
    line = marks("task_lengths.c")
    loaded = measure_routines(build_program("task_lengths.c", compiler), 2, runtime=runtime, threads=2, gomp=compiler == "gcc")
    for kind, count in KINDS.items():
        for what in ("run_s", "delay_s"):
            found = lengths_of(loaded, line[kind], what)
            assert found[0] == count, (kind, what)
            assert_histogram(*found)


@pytest.mark.timed
@COMPILERS
def test_times_and_delays_are_those_of_the_books(measure_routines, build_program, compiler):
    program, line = build_program("task_lengths.c", compiler), marks("task_lengths.c")

    def check(loaded):
        books = {key: int(ns) / 1e9 for key, ns in re.findall(r"^((?:ran|delayed) \w+) (\d+)$", loaded.stdout, re.M)}
        for kind in KINDS:
            for what, key in (("run_s", f"ran {kind}"), ("delay_s", f"delayed {kind}")):
                _, seconds, longest, _ = lengths_of(loaded, line[kind], what)
                assert_close(seconds, books[key], key, scale=loaded["program"]["elapsed_s"])
                assert longest <= seconds * 1.000001
        longest = lengths_of(loaded, line["long"], "run_s")[2]
        assert 3.96 < longest / lengths_of(loaded, line["short"], "run_s")[2] < 4.04

    check_longer_times(lambda longer: measure_routines(program, 20 * longer, threads=2, gomp=compiler == "gcc"), check)
