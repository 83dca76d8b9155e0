# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Exact concurrency from a program's start to its end, of killed programs, and in floods of events."""
import os
import signal
import subprocess
import time

import pytest

from concurrency import POLICIES, Measured, assert_agrees_with_books, assert_arithmetic, assert_units, check_runs
from concurrency_books import Books
from conftest import LIBRARY, TIMEOUT_S, assert_identities, environment_for, libomp_folder, marks, run_plain
from levels import at
from timed import check_longer_times, check_times


# ---- the program ----


def heddle_run(run_heddle, program, path, *arguments, threads=2, runtime=19):
    env = {"LD_LIBRARY_PATH": str(libomp_folder(runtime)), "OMP_NUM_THREADS": str(threads),
           "OMP_WAIT_POLICY": "passive"}
    return run_heddle("run", "-q", "-o", path, "--", program, *arguments, env=env)


@pytest.mark.timed
@pytest.mark.parametrize("threads", (2, 4))
def test_serial_part(run_heddle, build_program, export, tmp_path, threads):
    """`heddle run` knows when the program began, and so its serial time from the start to the end. What lies outside of
    the books, starting the program and ending it, is serial, and takes a few milliseconds on an idle machine."""
    program = build_program("serial_part.c", flags=["-pthread"])

    def once(longer):
        path = tmp_path / f"{time.monotonic_ns()}.heddle"
        done = heddle_run(run_heddle, program, path, 100 * longer, "sleep", threads=threads)
        assert done.returncode == 0, done.stderr
        loaded = export(path)
        assert_identities(loaded)
        return Measured(loaded, Books(done.stdout), marks("serial_part.c"))

    def check(run):
        program = run.loaded["program"]
        around = program["elapsed_s"] - sum(run.books.time_at)
        assert 0 < around < 0.1
        assert_units(run, program["serial_s"] - around, sum(run.books.time_at[:2]), 8, "serial time")
        assert_arithmetic(run, "region", at_level={threads: 4 * threads}, elapsed_at={threads: 4}, wall_share=4)

    check_runs(once, check)


@pytest.mark.timed
def test_killed_program_has_its_levels(run_heddle, build_program, export, tmp_path):
    """`heddle run` stamps the time of death when it hears of it: until then, what was open stays open. How late that is
    only Heddle's own elapsed time of the region tells; it must not be much, and then all the rest must follow."""
    program, line = build_program("killed_levels.c", flags=["-pthread"]), marks("killed_levels.c")

    def once(longer):
        path = tmp_path / f"{time.monotonic_ns()}.heddle"
        done = heddle_run(run_heddle, program, path, 100 * longer, "spin")
        assert done.returncode == 128 + signal.SIGKILL, done.stderr
        loaded = export(path)
        assert loaded["run"]["complete"] is False
        assert_identities(loaded)
        late = loaded.one(line["region"], "parallel")["elapsed_s"] - sum(Books(done.stdout).elapsed_at["region"])
        assert late > 0
        return Measured(loaded, Books(done.stdout, late), line), late

    def check(run_and_late):
        run, late = run_and_late
        assert late < 0.1
        assert_agrees_with_books(run)
        assert_arithmetic(run, "first", at_level={1: 2}, wall_share=2, active=2)
        assert at(run.levels("region", "elapsed_at_k_s"), 2) > 3 * run.books.unit

    check_longer_times(once, check)


@pytest.mark.parametrize("after_ms", (0, 1, 7, 40, 150))
def test_identities_hold_whenever_the_program_is_killed(build_program, export, tmp_path, runtime, after_ms):
    """Without `heddle run`: what is open is closed at the last event of any thread."""
    env = {**environment_for(runtime, 4), "OMP_WAIT_POLICY": "passive", "OMP_TOOL_LIBRARIES": str(LIBRARY),
           "HEDDLE_STORE_DIR": str(tmp_path)}
    with subprocess.Popen([build_program("endless.c")], env=env, stdout=subprocess.PIPE, text=True) as child:
        assert child.stdout.readline() == "running\n"
        time.sleep(after_ms / 1000)
        child.kill()
        assert child.wait(TIMEOUT_S) == -signal.SIGKILL
    [path] = [entry for entry in tmp_path.iterdir() if entry.is_file()]
    loaded = export(path)
    assert_identities(loaded)
    [region] = loaded.all(marks("endless.c")["region"], "parallel")
    assert region["visits"] >= 10 and 3 <= len(region["elapsed_at_k_s"]) <= 5


# ---- floods ----

FLOODS = {
    "tasks": (10_000_000, "task", "task"),
    "tasks of all": (10_000_000, "task", "task"),
    "regions": (1_000_000, "empty", "parallel"),
    "critical": (10_000_000, "critical", "critical"),
}


@pytest.mark.timed  # threads that spin while they wait
@pytest.mark.parametrize("threads", (2, 4))
@pytest.mark.parametrize("what", FLOODS)
def test_no_event_of_a_flood_is_lost(profile, export, build_program, what, threads):
    """A tenth of the full number; with HEDDLE_FULL set, all of it. Waiting threads spin, or most of the time goes into
    waking them. The profile's size does not depend on the number: below 512 KiB."""
    count, mark, kind = FLOODS[what]
    count //= 1 if os.environ.get("HEDDLE_FULL") else 10
    program, env = build_program("flood.c"), POLICIES["active"] | {"HEDDLE_OVERHEAD": "off"}
    plain = run_plain(program, what, count, runtime=19, threads=threads, env=env)
    path = profile(program, what, count, runtime=19, threads=threads, env=env)
    assert profile.result.returncode == 0 and profile.result.stderr == plain.stderr
    print(f"{count} {what}, {threads} threads: without {plain.stdout.strip()}, with {profile.result.stdout.strip()},",
          f"{path.stat().st_size} bytes")
    loaded = export(path)
    assert_identities(loaded)
    assert loaded.visits(marks("flood.c")[mark], kind) == count
    assert len(loaded["program"]["time_at_k_s"]) - 1 <= threads
    assert path.stat().st_size < 512 * 1024


WAIT_FOR_DEPENDENCES = """
#include <stdio.h>
#include <unistd.h>
/* A task of 100 ms, run by the second thread in the barrier; the first waits for what it writes, and for nothing else. */
int main(void) {
  int x = 0;
  volatile int begun = 0;
#pragma omp parallel num_threads(2)
#pragma omp single
  {
#pragma omp task depend(out : x) shared(x, begun)
    {
      begun = 1;
      usleep(100000);
      x = 1;
    }
    while (!begun)
      usleep(100);
    WAIT
  }
  return 0;
}
"""


@pytest.mark.timed
@pytest.mark.parametrize("version", (16, 19))  # libomp 14 does not tell
@pytest.mark.parametrize("how", ["taskwait depend(in : x)", "task if (0) depend(in : x) shared(x)"])
def test_wait_for_dependences_is_not_busy(measure, build_program, version, how):
    program = build_program(WAIT_FOR_DEPENDENCES.replace("WAIT", f"_Pragma(\"omp {how}\");"),
                            flags=["-fopenmp-version=50"])

    def check(loaded):
        waited = sum(entry["wait_s"].get("taskwait", 0) for entry in loaded.profiles if entry["kind"] == "taskwait")
        assert 0.095 < waited < 0.12
        assert at(loaded["program"]["time_at_k_s"], 2) < 0.02

    check_times(lambda: measure(program, runtime=version, threads=2), check)
