# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The limit on Heddle's own memory (docs/memory.md), on a program that has far more callpaths than fit: what the system
says that the process has, and nothing is lost but the longer paths. Not a test of time: no time is known beforehand."""
import re

import pytest

from conftest import INSTRUMENTED, marks, run_plain

CALLS, DEPTH, THREADS = 60000, 6, 4
PER_THREAD = 64 << 10
SAMPLED = 40 << 10  # more for each thread that is sampled and lives at the end
# Events are never switched off here: every call is counted.
EXACT = {"HEDDLE_OVERHEAD": "off", "OMP_WAIT_POLICY": "passive"}
# The library itself, and what the C library and the runtime do differently when it is there.
OTHERS_BYTES = 1 << 20


@pytest.fixture
def walk(measure_routines, build_program):
    """walk(HEDDLE_MEMORY or None, calls of each thread) -> the profile of many_paths.c, every call of which was counted,
    and nothing lost."""

    def run(memory=None, calls=CALLS, **options):
        program = build_program("many_paths.c", "clang", INSTRUMENTED)
        env = {**EXACT, **({"HEDDLE_MEMORY": memory} if memory is not None else {})}
        loaded = measure_routines(program, calls, DEPTH, threads=THREADS, env=env, **options)
        made = {name: int(count) for name, count in re.findall(r"^calls (\w+) (\d+)$", loaded.stdout, re.M)}
        assert sum(made.values()) == calls * THREADS
        assert {name: loaded.calls(name) for name in made} == made
        return loaded

    return run


def notes(loaded):
    return [note for note in loaded["run"]["notes"] if "HEDDLE_MEMORY" in note]


def limit_of(loaded, memory, threads):
    return memory + threads * (PER_THREAD + (SAMPLED if loaded["program"]["samples_hz"] else 0))


def added_bytes(loaded, build_program):
    """By which the process is larger than it is without Heddle."""
    plain = run_plain(build_program("many_paths.c", "clang", INSTRUMENTED), CALLS, DEPTH, runtime=19, threads=THREADS)
    with_it, without = (sum(map(int, re.search(r"^resident (\d+) (\d+)$", text, re.M).groups()))
                        for text in (loaded.stdout, plain.stdout))
    return with_it - without


def test_default_is_kept_and_every_call_counted(walk, build_program, run_heddle):
    loaded = walk()
    memory = loaded["run"]["memory"]
    assert memory["limit_bytes"] == limit_of(loaded, 4 << 20, THREADS)
    assert memory["used_bytes"] <= memory["limit_bytes"]
    assert memory["shortened_paths"] > 24
    assert len(notes(loaded)) == 1
    assert added_bytes(loaded, build_program) <= memory["limit_bytes"] + OTHERS_BYTES
    report = run_heddle("report", loaded.path)
    assert "HEDDLE_MEMORY" in report.stdout + report.stderr


def test_recursion_in_any_order_takes_no_memory(profile, export, build_program, runtime):
    """Tasks of a function that is called again in each of them are the same callpaths, in whatever order."""
    depth = 5
    loaded = export(profile(build_program("task_orders.c"), depth, runtime=runtime, threads=2, env=EXACT))
    lines, parts = marks("task_orders.c"), sum(4**i for i in range(depth))
    for mark in ("first", "second", "third", "fourth"):
        task = loaded.one(lines[mark], "task")
        assert task["visits"] == parts and task["recursive"]
    for mark in ("upper", "lower"):
        assert loaded.visits(lines[mark], "task") == 1 + 4 * parts
    assert loaded["run"]["memory"]["shortened_paths"] == 0
    assert sum(entry["kind"] == "task" for entry in loaded.profiles) <= 4 + 2 * 5


def test_larger_limit_keeps_more_paths(walk):
    small, large = walk(), walk("16M")
    assert large["run"]["memory"]["limit_bytes"] == limit_of(large, 16 << 20, THREADS)
    assert len(large.profiles) > 2 * len(small.profiles)


def test_without_limit_all_paths_are_there(walk):
    loaded = walk("off", CALLS // 4)  # twice what the default has room for
    assert loaded["run"]["memory"]["limit_bytes"] is None
    assert loaded["run"]["memory"]["shortened_paths"] == 0
    assert not notes(loaded)
    assert loaded["run"]["memory"]["used_bytes"] > 8 << 20


def test_smallest_limit_is_said_and_kept(measure_routines, build_program):
    program = build_program("many_paths.c", "clang", INSTRUMENTED)
    loaded = measure_routines(program, 20000, DEPTH, threads=THREADS, env={**EXACT, "HEDDLE_MEMORY": "0"})
    memory = loaded["run"]["memory"]
    assert memory["limit_bytes"] == limit_of(loaded, 320 << 10, THREADS)
    assert memory["used_bytes"] <= memory["limit_bytes"]
    assert memory["shortened_paths"] > 0 and len(notes(loaded)) == 1


@pytest.mark.parametrize("value", ["much", "1.5M", "-4M", "4 M", "99999999999T"])
def test_nonsense_is_said_and_the_default_kept(measure, build_program, profile, value):
    loaded = measure(build_program("counts.c"), 5, runtime=19, threads=2, env={"HEDDLE_MEMORY": value})
    assert f"not {value}; ignored" in profile.result.stderr
    assert loaded["run"]["memory"]["limit_bytes"] == (4 << 20) + 2 * PER_THREAD


def test_plain_program_needs_little(measure, build_program, runtime):
    """Well below what is granted: the program has 44 callpaths."""
    loaded = measure(build_program("counts.c"), 5, runtime=runtime, threads=4, env=EXACT)
    memory = loaded["run"]["memory"]
    assert memory["shortened_paths"] == 0
    assert memory["used_bytes"] < (768 << 10) + 4 * PER_THREAD
