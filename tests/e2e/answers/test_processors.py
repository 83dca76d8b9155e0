# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Threads that share processors: of what part of the time in which they wanted one they had one."""
import csv
import io
import json
import os
import re
import shutil
import subprocess
import sys

import pytest

from timed import check_times


PROGRAM = "shared_processor.c"
SLEEP_S = 0.4


@pytest.fixture
def one_processor():
    """For what the test starts."""
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {min(before)})
    yield
    os.sched_setaffinity(0, before)


def book(stdout, name):
    return [int(ns) / 1e9 for ns in re.findall(rf"^{name} \d+ (\d+)$", stdout, re.M)]


@pytest.mark.timed
@pytest.mark.parametrize("policy", ["active", "passive"])
def test_share_is_what_the_threads_know_themselves(measure, build_program, runtime, policy, one_processor):
    def check(loaded):
        had, wanted = book(loaded.stdout, "had"), book(loaded.stdout, "wanted")
        threads = loaded["threads"]
        assert len(threads) == len(had) == 4
        for thread, own, wall in zip(threads, had, wanted, strict=True):
            assert abs(thread["processor_share"] - own / wall) < 0.05
            assert thread["processor_s"] >= own
        program = loaded["program"]
        ran, queued = (sum(thread[name] for thread in threads) for name in ("processor_s", "processor_wait_s"))
        assert program["processor_share"] == pytest.approx(ran / (ran + queued))
        assert program["processor_share"] < 0.3  # four on one

    check_times(lambda: measure(build_program(PROGRAM), runtime=runtime, threads=4,
                                env={"OMP_WAIT_POLICY": policy}), check)


def test_who_sleeps_wants_no_processor(measure, build_program, runtime):
    threads = measure(build_program(PROGRAM), "sleep", runtime=runtime, threads=4)["threads"]
    sleeping = min(threads, key=lambda thread: thread["processor_s"])  # threads are numbered as they begin
    wanted = sleeping["processor_s"] + sleeping["processor_wait_s"]
    # The kernel's account begins before the thread's first event.
    assert 0 < sleeping["processor_share"] <= 1 and wanted < sleeping["lifetime_s"] - 0.75 * SLEEP_S


def test_threads_that_are_alive_at_the_end_are_asked(profile, export, build_program, runtime, one_processor):
    loaded = export(profile(build_program(PROGRAM), "exit", runtime=runtime, threads=4))
    assert len(loaded["threads"]) == 4
    assert all(0 < thread["processor_share"] < 0.8 for thread in loaded["threads"])
    assert sum(thread["preemptions"] for thread in loaded["threads"]) == loaded["program"]["preemptions"] > 0


def test_killed_program_says_nothing(run_routines, export, build_program, runtime):
    loaded = export(run_routines(build_program(PROGRAM), "kill", runtime=runtime, threads=4))
    for of in (loaded["program"], *loaded["threads"]):
        assert [of[name] for name in ("processor_share", "processor_s", "processor_wait_s", "preemptions")] == [None] * 4


def test_head_of_run_and_report_say_it(run_heddle, profile, build_program, heddle, one_processor, tmp_path):
    program = build_program(PROGRAM)
    report = run_heddle("report", profile(program, runtime=19, threads=4)).stdout
    run = run_heddle("run", "-o", tmp_path / "x.heddle", program,
                     env={"OMP_NUM_THREADS": "4", "LD_LIBRARY_PATH": os.environ.get("LD_LIBRARY_PATH", "")}).stderr
    for text in (report, run):
        assert "threads   4 on 1 processor: more than processors; " in text
        share, = re.findall(r"^warning   threads had a processor (\d+) % of the time: more threads than processors$", text, re.M)
        assert int(share) < 50


@pytest.fixture
def busy_program():
    """Another program on the processors of the test; it has begun."""
    with subprocess.Popen([sys.executable, "-c", "print(flush=True)\nwhile True: pass"],
                          stdout=subprocess.PIPE) as program:
        program.stdout.readline()
        yield
        program.kill()


def test_what_ran_beside_another_program_is_warned_of_first(run_heddle, build_program, one_processor, busy_program,
                                                            tmp_path):
    program, scan = build_program("spin_threads.c"), tmp_path / "scan"
    environment = {"OMP_NUM_THREADS": "1", "LD_LIBRARY_PATH": os.environ.get("LD_LIBRARY_PATH", "")}
    run = run_heddle("run", "-o", tmp_path / "a.heddle", program, env=environment).stderr.splitlines()
    assert run[0].startswith("heddle: profile: ")
    assert re.fullmatch(r"warning   threads had a processor \d+ % of the time: measure on a quiet machine", run[1])
    assert run_heddle("report", tmp_path / "a.heddle").stdout.startswith(run[1] + "\n")
    shutil.copy(tmp_path / "a.heddle", tmp_path / "b.heddle")
    compared = run_heddle("compare", tmp_path / "a.heddle", tmp_path / "b.heddle").stdout
    scanned = run_heddle("scale", "-q", "-t", "1,2", "-r", "1", "-o", scan, program, env=environment).stdout
    for text in (compared, scanned):
        assert text.startswith("warning   other programs ran: threads had a processor for only part of the time")


def test_threads_and_compared_runs_have_their_share(run_heddle, profile, export, build_program, one_processor):
    path = profile(build_program(PROGRAM), runtime=19, threads=4)
    loaded = export(path)
    rows = list(csv.DictReader(io.StringIO(run_heddle("report", "--threads", "--csv", path).stdout)))
    shares = {int(row["thread"]): float(row["processor_share"]) for row in rows if row["row"] == "0"}
    assert shares == {thread["thread"]: pytest.approx(thread["processor_share"]) for thread in loaded["threads"]}
    assert {row["processor_share"] for row in rows if row["row"] != "0"} == {""}  # it is of the thread's whole life
    share = loaded["program"]["processor_share"]
    alone = profile(build_program(PROGRAM), runtime=19, threads=1)
    text = run_heddle("compare", alone, path).stdout
    assert re.search(rf"^(sharing|warning) .*1 thread:\s+\d+\s+%; 4 threads:\s+{100 * share:.0f}\s+%", text, re.M | re.S)
    compared = json.loads(run_heddle("compare", "--json", alone, path).stdout)["comparisons"][0]
    assert compared["runs"][1]["processor_share"] == pytest.approx(share)


def test_profiles_know_the_machines_processors(profile, export, build_program, runtime):
    run = export(profile(build_program("spin_threads.c"), 1, 1, runtime=runtime, threads=2))["run"]
    assert run["online_processors"] == os.sysconf("SC_NPROCESSORS_ONLN")
    assert run["max_threads"] == len(os.sched_getaffinity(0))
