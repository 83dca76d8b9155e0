# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`heddle scale` goes on after anything that ends it: kills, signals, other scans, damage."""
import json
import os
import random
import shutil
import signal
import subprocess
import time

import pytest

from conftest import TIMEOUT_S
from scale_program import OTHER, is_running, names, wait_until


# ---- going on ----


def stamps(directory):
    return {path.name: path.stat().st_mtime_ns for path in directory.glob("*.heddle")}


def assert_is_whole(scan, export):
    """Whatever is there under a final name is readable."""
    for path in scan.directory.glob("*.heddle"):
        assert export(path)["run"]["exit"] == 0
    if (scan.directory / "scan.json").exists():
        assert json.loads((scan.directory / "scan.json").read_text())["heddle_scale"] == 1


@pytest.mark.parametrize("whom", ["the scan", "all"])
def test_killed_at_any_moment_it_goes_on(scan, export, whom):
    draw = random.Random(len(whom))
    arguments = ("-t", "1,2,3", "-r", "10", "-q")
    kills = 0
    for _ in range(40):
        before = stamps(scan.directory)
        process = scan.start(*arguments, start_new_session=True)
        try:
            process.communicate(timeout=draw.uniform(0.0, 0.2))
        except subprocess.TimeoutExpired:
            os.kill(process.pid, signal.SIGKILL) if whom == "the scan" else os.killpg(process.pid, signal.SIGKILL)
            process.communicate()
            kills += 1
        assert_is_whole(scan, export)
        assert before.items() <= stamps(scan.directory).items(), "a run that was there was made again"
        if process.returncode == 0:
            break
    assert kills >= 3
    assert scan.run(*arguments).returncode == 0
    assert scan.profiles() == names(1, 2, 3, repeats=10)
    assert not list(scan.directory.glob(".running*")) and not list(scan.directory.glob("*.part"))
    assert len(scan.logged()) <= 30 + kills


def test_what_is_there_is_not_run_again_and_more_can_be_asked_for(scan):
    assert scan.run("-t", "1,2", "-r", "1").returncode == 0
    before = stamps(scan.directory)
    result = scan.run("-t", "1,2", "-r", "1")
    assert result.returncode == 0 and "heddle: all runs are in app.scale\n" == result.stderr and result.stdout
    assert stamps(scan.directory) == before
    result = scan.run("-t", "1-3", "-r", "2")
    assert result.returncode == 0 and "2 of 6 runs are in app.scale already" in result.stderr
    assert scan.profiles() == names(1, 2, 3, repeats=2) and before.items() <= stamps(scan.directory).items()
    assert len(scan.logged()) == 6
    only = scan.run("-t", "3", "-r", "1")  # the comparison is of all that is there
    assert only.returncode == 0 and only.stdout == result.stdout


def test_values_can_be_added(scan):
    assert scan.run("-t", "1", "-r", "1", "--param", "COLOUR=red").returncode == 0
    result = scan.run("-t", "1", "-r", "1", "--param", "COLOUR=blue,red")
    assert result.returncode == 0 and "1 of 2 runs are in app.scale already" in result.stderr, result.stderr
    assert len(scan.logged()) == 2
    table = result.stdout[result.stdout.index("\nProgram:"):]  # above it stand findings, if runs differ enough
    assert table.index("COLOUR=red") < table.index("COLOUR=blue")  # what was there comes first


@pytest.mark.parametrize("arguments, command, env, said", [
    ((), ["./app", "other"], {}, 'command: ["./app"], now ["./app","other"]'),
    (("--cpu-time",), None, {}, 'options: [], now ["--cpu-time"]'),
    (("--bind", "close"), None, {}, 'bind: null, now "close"'),
    (("--param", "X=1"), None, {}, 'parameters: [], now ["X"]'),
    ((), None, {"OMP_SCHEDULE": "static"}, 'now ["LD_LIBRARY_PATH='),
])
def test_another_scan_in_its_place_is_refused(scan, arguments, command, env, said):
    assert scan.run("-t", "1", "-r", "1", "-o", "d").returncode == 0
    before = stamps(scan.folder / "d")
    result = scan.run("-t", "1,2", "-r", "1", "-o", "d", *arguments, command=command, env=env)
    assert result.returncode == 1 and said in result.stderr, result.stderr
    assert "name another directory with -o, or discard its runs with --start-over" in result.stderr
    assert stamps(scan.folder / "d") == before and len(scan.logged()) == 1
    (scan.folder / "d" / "mine").write_text("kept")
    (scan.folder / "d" / "N=1").mkdir()
    (scan.folder / "d" / "N=1" / "t1.r1.heddle").write_text("of an earlier scan")
    over = scan.run("-t", "2", "-r", "1", "-o", "d", "--start-over", *arguments, command=command, env=env)
    assert over.returncode == 0 and len(scan.logged()) == 2
    files = {path.name for path in (scan.folder / "d").iterdir()}
    assert "mine" in files and "N=1" not in files and "t1.r1.heddle" not in files


def test_another_folder_or_build_is_refused(scan, build_program):
    assert scan.run("-t", "1", "-r", "1", command=[scan.program]).returncode == 0
    elsewhere = subprocess.run(scan.command("-t", "1", "-o", scan.directory, command=[scan.program]), cwd="/",
                               env=scan.environment, capture_output=True, text=True, timeout=TIMEOUT_S)
    assert elsewhere.returncode == 1 and f'directory: "{scan.folder}", now "/"' in elsewhere.stderr
    os.utime(scan.program)  # touched is not changed
    assert scan.run("-t", "1", "-r", "1", command=[scan.program]).returncode == 0
    shutil.copy(build_program(OTHER), scan.program)
    result = scan.run("-t", "1", "-r", "2", command=[scan.program])
    assert result.returncode == 1 and f"{scan.program} has been changed since (another build)" in result.stderr
    assert len(scan.logged()) == 1


def test_a_scan_without_runs_is_in_nobodys_way(scan):
    assert scan.run("-t", "1", "-r", "1", "-o", "d", command=["./ap"]).returncode == 1
    assert (scan.folder / "d" / "scan.json").exists()
    assert scan.run("-t", "1", "-r", "1", "-o", "d", "--param", "N=1").returncode == 0
    assert not list((scan.folder / "d").glob("*.failed.out"))
    assert scan.run("-t", "1", "-r", "1", "-o", "d").returncode == 1


def test_a_profile_that_is_damaged_is_made_again(scan):
    assert scan.run("-t", "1,2", "-r", "1").returncode == 0
    (scan.directory / "t2.r1.heddle").write_bytes(b"HEDDLE")
    result = scan.run("-t", "1,2", "-r", "1")
    assert result.returncode == 0 and "t2.r1.heddle" in result.stderr and "this run is repeated" in result.stderr
    assert scan.logged() == ["1", "2", "2"]


# ---- signals ----


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_ends_program_and_scan_and_it_can_go_on(scan, number):
    with scan.held("-t", "1,2", "-r", "1",
                   preexec_fn=lambda: signal.signal(number, signal.SIG_DFL)) as process:  # the tests may run under nohup
        process.send_signal(number)
        _, errors = process.communicate(timeout=TIMEOUT_S)
    assert process.returncode == 128 + number
    assert "interrupted with 2 of 2 runs left; repeat the command to resume" in errors
    assert "failed" not in errors and not is_running(scan.program) and scan.profiles() == []
    assert scan.run("-t", "1,2", "-r", "1").returncode == 0
    assert scan.profiles() == names(1, 2, repeats=1)


def test_a_run_that_outlives_the_signal_is_not_kept(scan):
    with scan.held("-t", "1,2", "-r", "1", command=["./app", "deaf"]) as process:
        process.terminate()
    process.communicate(timeout=TIMEOUT_S)
    assert process.returncode == 128 + signal.SIGTERM and scan.profiles() == [] and len(scan.logged()) == 1


def test_nohup_is_heeded(scan):
    with scan.held("-t", "1,2", "-r", "1", "-q",
                   preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN)) as process:
        process.send_signal(signal.SIGHUP)
    process.communicate(timeout=TIMEOUT_S)
    assert process.returncode == 0 and len(scan.logged()) == 2


def test_a_run_that_was_stopped_for_a_while_is_repeated(scan):
    with scan.held("-t", "1,2", "-r", "1", start_new_session=True) as process:
        os.killpg(process.pid, signal.SIGSTOP)
        time.sleep(0.2)
        os.killpg(process.pid, signal.SIGCONT)
    process.communicate(timeout=TIMEOUT_S)
    assert process.returncode == 0 and scan.logged() == ["1", "1", "2"]


def test_two_scans_in_one_directory_are_refused(scan):
    with scan.held("-t", "1,2", "-r", "1") as first:
        second = scan.run("-t", "1,2", "-r", "1")
        assert list(scan.directory.glob(".running/*"))  # the first one's
    assert second.returncode == 1
    assert f"another heddle scale (process {first.pid}) is running in {scan.directory}" in second.stderr
    first.communicate(timeout=TIMEOUT_S)
    assert first.returncode == 0 and len(scan.logged()) == 2


def test_the_program_of_a_killed_scan_ends(scan):
    with scan.held("-t", "1", "-r", "1") as process:
        process.kill()
        process.communicate()
        wait_until(lambda: not is_running(scan.program), "it still runs")


def test_the_run_of_a_killed_scan_is_waited_for(scan):
    """Its program hears nothing of the end: two programs at once would disturb each other."""
    with scan.held("-t", "1", "-r", "1", command=["./app", "deaf"]) as first:
        first.kill()
        first.wait()
        assert is_running(scan.program)
        second = scan.start("-t", "1", "-r", "1", command=["./app", "deaf"])
        while "has not ended yet; waiting for it" not in second.stderr.readline():
            assert second.poll() is None, second.stderr.read()
    second.communicate(timeout=TIMEOUT_S)
    assert second.returncode == 0 and len(scan.logged()) == 2 and scan.profiles() == ["t1.r1.heddle"]
