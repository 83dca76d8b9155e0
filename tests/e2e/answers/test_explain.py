# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs with one planted flaw each: the first finding has its cause and its line. Programs without a flaw have no
finding of more than 5 %.

Other processes that take the processors are a finding, too, and on a busy machine may be the first: the test asks for
the first one about the program. Threads that wait sleep, so that two can work on any machine of two processors.
"""
import json
import os

import pytest

from conftest import libomp_folder, marks
from timed import check_times

HEALTHY_PERCENT = 5

# Program, what its argument is, cause, and the mark of the line (or lines). Options of `heddle run`, variables.
FLAWS = [
    ("flaw_serial.c", "before", "serial", "main"),
    ("flaw_serial.c", "after", "serial", "main"),
    ("flaw_serial.c", "between", "serial", "main"),
    ("flaw_serial.c", "small", "serial", "small"),
    ("flaw_for_one.c", "single", "serial-in-region", "single"),
    ("flaw_for_one.c", "masked", "serial-in-region", "masked"),
    ("flaw_for_one.c", "nowait", "serial-in-region", "nowait"),
    ("flaw_for_one.c", "sections", "serial-in-region", "sections"),
    ("flaw_loop.c", "triangle", "imbalance", "triangle"),
    ("flaw_loop.c", "decreasing", "imbalance", "decreasing"),
    ("flaw_loop.c", "chunk", "imbalance", "chunk"),
    ("flaw_loop.c", "huge", "too-few-iterations", "huge"),
    ("flaw_loop.c", "few", "too-few-iterations", "few"),
    ("flaw_loop.c", "nowait", "imbalance", "nowait"),
    ("flaw_loop.c", "number", "imbalance", "number"),
    ("flaw_barrier.c", "explicit", "barrier", "explicit"),
    ("flaw_barrier.c", "lasting", "imbalance", "lasting"),
    ("flaw_barrier.c", "closing", "barrier", ("closing", "second")),
    ("flaw_mutex.c", "critical", "critical", "critical"),
    ("flaw_mutex.c", "lock", "lock", "lock"),
    ("flaw_mutex.c", "ordered", "ordered", "ordered"),
    ("flaw_regions.c", "tiny", "fork-join", "tiny"),
    ("flaw_regions.c", "wake", "wake-up", "wake"),
    ("flaw_tasks.c", "small", "task-granularity", "small"),
    ("flaw_tasks.c", "producer", "task-creation", "producer"),
    ("flaw_tasks.c", "few", "imbalance", "few"),
    ("flaw_tasks.c", "uneven", "imbalance", "uneven"),
    ("flaw_scheduling.c", "", "scheduling", "scheduling"),
    ("flaw_reduction.c", "", "reduction", "reduction"),
]
# What the runtime does in its entry points is known with --handout only.
ENTRIES = {"flaw_tasks.c", "flaw_scheduling.c"}
# With two threads it would add up in a critical section.
VARIABLES = {"flaw_reduction.c": {"KMP_FORCE_REDUCTION": "tree"}}
HEALTHY = ["even", "dynamic", "steps", "critical", "reduction", "tasks", "regions"]


def on_processors(count):
    os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:count])


@pytest.fixture
def explain(run_heddle, tmp_path):
    """explain(program, arguments..., options=, env=, threads=, processors=) -> what `heddle explain --json` says."""
    path = tmp_path / "explained.heddle"

    def run(program, *arguments, runtime=19, options=(), env=None, threads=2, processors=2):
        path.unlink(missing_ok=True)
        variables = {"OMP_WAIT_POLICY": "passive", "OMP_NUM_THREADS": str(threads),
                     "LD_LIBRARY_PATH": "" if "--gomp" in options else str(libomp_folder(runtime)), **(env or {})}
        variables = {name: value for name, value in variables.items() if value is not None}
        done = run_heddle("run", "-q", *options, "-o", path, "--", program, *arguments, env=variables, cwd=tmp_path,
                          preexec_fn=lambda: on_processors(processors))
        assert done.returncode == 0, done.stderr
        done = run_heddle("explain", "--json", path)
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)

    return run


def is_others_work(finding):
    """Whether others took the processors: threads are no more than those."""
    return finding["cause"] == "oversubscription" and finding["place"]["kind"] == "program"


def of_program(explained):
    return [finding for finding in explained["findings"] if not is_others_work(finding)]


def assert_first(explained, cause, lines):
    findings = of_program(explained)
    assert findings, explained
    assert (findings[0]["cause"], findings[0]["place"]["line"]) in {(cause, line) for line in lines}, findings
    assert findings[0]["gain_low_s"] <= findings[0]["gain_s"] <= findings[0]["gain_high_s"]
    assert findings[0]["evidence"] and findings[0]["try"]


@pytest.mark.timed
@pytest.mark.needs("two-processors")
@pytest.mark.parametrize("source, flaw, cause, line", FLAWS, ids=[f"{f[0]}-{f[1]}" for f in FLAWS])
def test_first_finding_is_the_flaw(explain, build_program, source, flaw, cause, line):
    lines = [marks(source)[mark] for mark in ([line] if isinstance(line, str) else line)]
    options = ["--handout"] if source in ENTRIES else []
    program = build_program(source)
    check_times(lambda: explain(program, flaw, options=options, env=VARIABLES.get(source)),
                lambda explained: assert_first(explained, cause, lines))


@pytest.mark.timed
@pytest.mark.needs("two-processors")
def test_atomic_updates_with_a_lock(explain, build_program):
    program = build_program("flaw_atomic.c", "gcc")
    options = ["--gomp", "--libomp", libomp_folder(19) / "libomp.so.5", "--overhead", "off"]
    line = marks("flaw_atomic.c")["update"]  # GCC's line for the code of both
    check_times(lambda: explain(program, options=options),
                lambda explained: assert_first(explained, "atomic", [line]))


@pytest.mark.timed
@pytest.mark.needs("two-processors")
@pytest.mark.parametrize("flaw", ["before", "after"])
def test_instrumented_routine_is_the_place_of_serial_time(explain, build_program, flaw):
    program = build_program("flaw_serial.c", flags=("-finstrument-functions", "-fno-inline"))
    check_times(lambda: explain(program, flaw),
                lambda explained: assert_first(explained, "serial", [marks("flaw_serial.c")["prepare"]]))


@pytest.mark.timed
@pytest.mark.needs("two-processors")
@pytest.mark.parametrize("shape", ["flat", "nested"])
@pytest.mark.parametrize("policy", ["active", "passive"])
def test_more_threads_than_processors(explain, build_program, shape, policy):
    program = build_program("flaw_crowd.c")
    line = marks("flaw_crowd.c")["nested" if shape == "nested" else "crowd"]

    def measure():
        explained = explain(program, shape, threads=8, env={"OMP_WAIT_POLICY": policy})
        assert explained["threads"] > explained["processors"]
        return explained

    cause = "oversubscription" if os.sysconf("SC_NPROCESSORS_ONLN") == 2 else "pinned"
    check_times(measure, lambda explained: assert_first(explained, cause, [line]))


@pytest.mark.timed
@pytest.mark.needs("two-processors")
@pytest.mark.needs("two-processors")
def test_a_process_bound_to_one_processor_is_pinned(explain, build_program):
    program = build_program("healthy.c")

    def check(explained):
        assert explained["processors"] == 1 and explained["threads"] == 2
        assert explained["findings"][0]["cause"] == "pinned"
        assert explained["findings"][0]["gain_s"] > 0.3 * explained["elapsed_s"]

    check_times(lambda: explain(program, "even", processors=1), check)


def test_what_is_printed(explain, run_heddle, build_program, tmp_path):
    """Text: lines of at most 100 characters. Refused: what is no profile, and more than one."""
    explain(build_program("flaw_loop.c"), "triangle")
    done = run_heddle("explain", "--all", tmp_path / "explained.heddle")
    assert done.returncode == 0 and done.stderr == ""
    assert "1. " in done.stdout and "Try: " in done.stdout
    assert max(map(len, done.stdout.splitlines())) <= 100
    done = run_heddle("explain", tmp_path)
    assert done.returncode == 1 and done.stderr.startswith("heddle: ")
    for wrong in ([], ["a", "b"], ["--no-such-option", "a"]):
        assert run_heddle("explain", *wrong).returncode == 2


@pytest.mark.timed
@pytest.mark.needs("two-processors")
@pytest.mark.parametrize("what", HEALTHY)
def test_healthy_programs_have_no_finding(explain, build_program, what):
    program = build_program("healthy.c")

    def check(explained):
        large = [finding for finding in of_program(explained)
                 if finding["gain_s"] > HEALTHY_PERCENT / 100 * explained["elapsed_s"]]
        assert not large, large

    policy = {"OMP_WAIT_POLICY": None} if what == "tasks" else {}  # libomp's sleeping threads do not wake up for tasks
    check_times(lambda: explain(program, what, env=policy), check)
