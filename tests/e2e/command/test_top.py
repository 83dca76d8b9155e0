# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`heddle top`: what it says of a program that runs. The program does what it is told until it is told otherwise, so
what each thread is doing does not depend on the machine; only how long a thread takes to get there does."""
import json
import mmap
import os
import pathlib
import random
import re
import signal
import subprocess
import time

import pytest

from conftest import LIBRARY, TIMEOUT_S, environment_for, marks
from top_program import SOURCE, THREADS


def callpath(shown, name):
    return next(entry for entry in shown["callpaths"] if entry["place"]["line"] == marks(SOURCE)[name])


def near(value):
    return pytest.approx(value, rel=0.02, abs=0.002)


def test_it_says_what_each_thread_is_doing(start_phases, runtime):
    program = start_phases(runtime)
    program.be("a")
    shown = program.settled(["busy"] + ["barrier_implicit"] * 3)
    assert shown["state"] == "running" and shown["program"] == "phases" and shown["pid"] == program.pid
    assert {thread["place"]["line"] for thread in shown["threads"]} == {marks(SOURCE)["alone"]}
    assert shown["busy_threads"]["interval"] == near(1)
    alone = callpath(shown, "alone")["interval"]
    assert alone["visits"] == 0  # it had begun before
    assert alone["elapsed_s"] == near(shown["interval_s"]) and alone["mean_concurrency"] == near(1)
    most = min(THREADS, shown["processors"])
    assert alone["potential_gain_s"] == near(shown["interval_s"] * (1 - 1 / most))
    assert [thread["interval"]["busy_s"] for thread in shown["threads"]] == [near(shown["interval_s"]), 0, 0, 0]
    if most > 1:
        finding = shown["findings"]["interval"][0]
        assert finding["cause"] == "imbalance" and finding["place"]["line"] == marks(SOURCE)["alone"]


def test_each_interval_has_its_own_numbers(start_phases):
    program = start_phases()
    serial = program.settled(["busy"] + ["idle"] * 3)
    assert serial["threads"][0]["place"]["kind"] == "program" and serial["busy_threads"]["interval"] == near(1)
    program.be("b")
    shown = program.settled(["busy"] * THREADS)
    assert shown["busy_threads"]["interval"] == near(THREADS) and shown["busy_threads"]["run"] < THREADS
    balanced = callpath(shown, "balanced")
    assert balanced["interval"]["potential_gain_s"] == near(0) and balanced["interval"]["mean_concurrency"] == near(THREADS)
    program.be("f")
    limit = time.monotonic() + TIMEOUT_S
    while callpath(shown, "balanced")["interval"]["elapsed_s"] > 0:
        assert time.monotonic() < limit
        shown = program.top()
        fine = callpath(shown, "fine")
    shown = program.top()
    fine = callpath(shown, "fine")
    assert 0 < fine["interval"]["visits"] < fine["run"]["visits"]
    for thread in shown["threads"]:
        parts = thread["interval"]
        assert parts["busy_s"] + parts["wait_s"] + parts["runtime_s"] + parts["idle_s"] == near(shown["interval_s"])
    if shown["processors"] > 1:
        assert shown["callpaths"][0] == fine, "sorted by gain over the interval"
    assert {len(shown["busy_threads"]["last_minute"])} <= set(range(1, 61))


def test_what_is_switched_off_is_estimated(build_program, run_heddle, tmp_path):
    """Each of two threads waits for a critical section: as observed, both are busy all the time."""
    env = {"HEDDLE_STORE_DIR": str(tmp_path)}

    def top(*options):
        return run_heddle("top", "--once", "--interval", "0.5", *options, process.pid, env=env)

    def is_estimated(result):
        region = next(iter(json.loads(result.stdout).get("callpaths", [])), None) if result.returncode == 0 else None
        return region is not None and region["marks"]["estimated"]

    with subprocess.Popen([build_program("floods.c"), "critical", "60"], stdout=subprocess.DEVNULL, env=environment_for(
            19, 2, {**env, "OMP_TOOL_LIBRARIES": str(LIBRARY), "HEDDLE_ONLY": "region"})) as process:
        limit = time.monotonic() + TIMEOUT_S
        while not is_estimated(result := top("--json")):  # it has begun, and both threads had a window
            assert time.monotonic() < limit, result.stderr
        shown, text = json.loads(result.stdout), top().stdout
        process.kill()
    live, = tmp_path.iterdir()
    observed = next(entry for entry in json.loads(run_heddle("export", live).stdout)["profiles"] if entry["kind"] == "parallel")
    region = shown["callpaths"][0]
    for part in ("interval", "run"):
        assert region[part]["mean_concurrency"] < observed["mean_concurrency"]
        assert region[part]["potential_gain_s"] > observed["potential_gain_s"]
        assert shown["findings"][part]
    assert re.search(r"^busy +~[\d.]+ threads over the last .*, ~[\d.]+ over the run$", text, re.M) and "\nminute" not in text


def test_text_names_the_same(start_phases):
    program = start_phases()
    program.be("a")
    program.settled(["busy"] + ["barrier_implicit"] * 3)
    result = program.call("--once", "-i", "0.2", program.pid)
    assert result.returncode == 0 and result.stderr == ""
    line = marks(SOURCE)["alone"]
    assert re.match(rf"phases \(pid {program.pid}\): running for [\d.]+ m?s, 4 threads on \d+ processors?\n", result.stdout)
    assert re.search(rf"^ +0 initial +100\.0 +busy +[\d.]+ m?s parallel phases\.c:{line} in alone$", result.stdout, re.M)
    assert len(re.findall(rf"^ +[123] worker +0\.0 barrier +[\d.]+ m?s parallel phases\.c:{line} in alone$", result.stdout,
                          re.M)) == 3
    listed = program.call("--list")
    assert re.search(rf"^ *{program.pid} +[\d.]+ m?s phases +{re.escape(program.file)}$", listed.stdout, re.M)


def test_a_program_is_listed_when_its_tool_has_started(start_phases, run_heddle, tmp_path):
    """Until then the two readings of the clock in the header are one: the first is at byte 80, the last behind it."""
    live = bytearray(pathlib.Path(start_phases().file).read_bytes())
    place = tmp_path / f"starting.{os.getpid()}.live"
    started = bytes(live[96:112])
    live[96:112] = live[80:96]
    place.write_bytes(live)

    def listed():
        return place.name in run_heddle("top", "--list", env={"HEDDLE_STORE_DIR": str(tmp_path)}).stdout

    with open(place, "r+b") as file, mmap.mmap(file.fileno(), 0) as memory:
        assert not listed()
        memory[96:112] = started
        assert listed()


def test_a_program_that_ends_ends_the_interval(start_phases, heddle):
    program = start_phases()
    file = program.file
    process = subprocess.Popen([heddle, "top", "--json", "--interval", "3600", file], stdout=subprocess.PIPE, text=True)
    calls = {"x86_64": "7", "aarch64": "73"}  # poll, ppoll: the first reading is done
    while pathlib.Path(f"/proc/{process.pid}/syscall").read_text().split()[0] != calls[os.uname().machine]:
        time.sleep(0.01)
    program.be("q")
    shown = json.loads(process.communicate(timeout=TIMEOUT_S)[0])
    assert shown["state"] == "ended" and shown["interval_s"] < 3600
    assert {thread["state"] for thread in shown["threads"]} == {"ended"}
    assert program.process.wait() == 0


def test_a_killed_program_shows_where_its_threads_were(start_phases):
    program = start_phases(under_run=False)
    program.be("a")
    before = program.settled(["busy"] + ["barrier_implicit"] * 3)
    file = program.file
    os.kill(program.pid, signal.SIGKILL)
    program.process.wait()
    shown = program.top(file)
    assert shown["state"] == "gone" and shown["interval_s"] is None
    assert [thread["state"] for thread in shown["threads"]] == [thread["state"] for thread in before["threads"]]
    assert shown["elapsed_s"] < before["elapsed_s"]  # its last event was before
    assert "gone without closing its profile" in program.call(file).stdout
    assert program.listed() == [] or all(entry["file"] != file for entry in program.listed())


def test_a_program_that_executes_another_is_that_other(start_phases):
    program = start_phases(under_run=False)
    program.be("a")
    before = program.top()
    program.process.stdin.write("x")
    program.process.stdin.flush()
    while program.process.stdout.readline() != "s\n":
        pass
    shown = program.settled(["busy"] + ["idle"] * 3)
    assert shown["pid"] == before["pid"] and shown["file"] != before["file"]
    assert all(entry["place"]["line"] != marks(SOURCE)["alone"] for entry in shown["callpaths"])


def test_names_do_not_steer_the_terminal(start_phases):
    program = start_phases(name="\x1b[31mred\n\x9bend")
    pid = program.pid
    for arguments in (["--list"], ["--once", "-i", "0.1", pid]):
        result = program.call(*arguments)
        assert result.returncode == 0 and not re.search(r"[\x00-\x09\x0b-\x1f\x7f-\x9f]", result.stdout), result.stdout
    assert re.search(rf"^ *{pid} +\S+ m?s \?\[31mred\?\?+end ", program.call("--list").stdout, re.M)


def test_damaged_files_are_refused_or_read(start_phases, tmp_path):
    program = start_phases()
    program.be("f")
    whole = pathlib.Path(program.file).read_bytes()
    whole = whole[:len(whole.rstrip(b"\0")) + 4096]
    chance = random.Random(7)
    damaged = tmp_path / "phases.1.live"
    for cut in (0, 100, 5000, 50000):
        damaged.write_bytes(whole[:cut])
        result = program.call(damaged)
        assert result.returncode == 1 and str(damaged) in result.stderr
    for _ in range(20):
        content = bytearray(whole)
        for _ in range(20):
            content[chance.randrange(len(content))] = chance.randrange(256)
        damaged.write_bytes(content)
        result = program.call("--once", damaged)
        assert result.returncode in (0, 1) and (result.returncode == 0) == (result.stderr == ""), result.stderr


@pytest.mark.parametrize("arguments, status, words", [
    (["--interval", "0"], 2, "a number of seconds from 0.1 to 3600"),
    (["--interval", "1x"], 2, "a number of seconds from 0.1 to 3600"),
    (["--list", "1"], 2, "--list takes no PID or FILE"),
    (["1", "2"], 2, "one PID or FILE at a time"),
    (["--sort", "colour"], 2, "run-gain"),
    (["4194305"], 1, "no program with the number 4194305 runs under Heddle"),
    (["nowhere.live"], 1, "nowhere.live: No such file"),
    (["/dev/null"], 1, "not a regular file"),
])
def test_what_makes_no_sense_is_refused(run_heddle, arguments, status, words):
    result = run_heddle("top", *arguments)
    assert result.returncode == status and words in result.stderr and result.stdout == ""
