# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`heddle ctl`: a program that runs is steered, does what it would have done, and its profile says what was not
measured."""
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

from conftest import LIBRARY, TIMEOUT_S, assert_entries, assert_identities, assert_states_sum_to_lifetimes, environment_for
from steered_program import CONTROL
from timed import check_times

CLASSES = ("entry", "mutex", "task", "call", "work", "sync")
BLOCK_BYTES = 544  # of the control block


def check_whole(loaded):
    assert_states_sum_to_lifetimes(loaded)
    assert_identities(loaded)
    assert_entries(loaded)


def by_ctl(loaded):
    return [entry for entry in loaded["run"]["switched_off"] if entry["by"] == "ctl"]


@pytest.mark.parametrize("under_run", [False, True])
def test_a_class_goes_off_and_on(start_steered, export, run_heddle, tmp_path, under_run):
    program = start_steered(under_run=under_run, env={"HEDDLE_OVERHEAD": "off"})
    limit = time.monotonic() + TIMEOUT_S
    while not (before := {entry["class"]: entry for entry in program.status()["classes"]})["mutex"]["events_per_second"]:
        assert time.monotonic() < limit
    assert not before["mutex"]["off"] and before["mutex"]["cost_before_percent"] is None
    said = program.do("-i", "1", "off", "mutex")
    assert re.search(r"^Now +mutex: \d+ events a second, \d+ ns each: [\d.e-]+ % of thread \d's time\n +all: \d+ events", said)
    assert re.search(r"^Predicted +[\d.e-]+ % of a thread's time, in windows", said, re.M)
    assert re.search(r"^Done +[\d.]+ [mun]?s after it was asked for$", said, re.M)
    assert re.search(r"^Observed +mutex: ", said, re.M)
    off = {entry["class"]: entry for entry in program.status()["classes"]}
    assert off["mutex"]["off"] and off["mutex"]["cost_before_percent"] > 0
    assert not any(off[name]["off"] for name in CLASSES if name != "mutex")
    assert "Changed   nothing: it is off\n" in program.do("off", "mutex")
    assert re.search(r"^Predicted +[\d.e-]+ % of a thread's time, as before it went off$", program.do("on", "mutex"), re.M)
    assert not any(entry["off"] for entry in program.status()["classes"])
    said, profile = program.end()
    loaded = export(profile)
    assert said == "equal\n"
    check_whole(loaded)
    entry, = by_ctl(loaded)
    assert entry["class"] == "mutex" and entry["where"] == "everywhere" and entry["thread"] is None
    assert entry["seconds"] > 0 and entry["times"] == 1 and entry["cost_percent"] > 0
    assert loaded["program"]["unresolved_s"] > 0
    notes = " ".join(loaded["run"]["notes"])
    assert re.search(r"'heddle ctl' changed what was measured while the program ran: mutex off at [\d.]+ s, mutex on at", notes)
    assert "because that was asked for ('heddle ctl', HEDDLE_ONLY)" in notes
    assert "times, everywhere, as was asked for; they had cost" in run_heddle("report", "--overhead", profile).stdout.replace("time,", "times,")
    total = tmp_path / "total.heddle"
    assert run_heddle("merge", "-o", total, profile, profile).returncode == 0
    entry, = by_ctl(export(total))
    assert entry["where"] == "everywhere" and entry["times"] == 2


def test_pause_and_resume(start_steered, export):
    program = start_steered()
    program.do("pause")
    paused = program.status()
    assert paused["paused"] and paused["interval_s"] == 0
    again = program.status()
    assert again["elapsed_s"] == pytest.approx(paused["elapsed_s"], rel=1e-6)  # ticks become seconds ever more exactly
    program.do("resume")
    running = program.status()
    assert not running["paused"] and running["elapsed_s"] > paused["elapsed_s"]
    said, profile = program.end()
    assert said == "equal\n"
    loaded = export(profile)
    check_whole(loaded)
    assert re.search("measurement was paused 1 time, for", " ".join(loaded["run"]["notes"]))


def test_the_budget_is_changed(start_steered, export):
    program = start_steered(env={"HEDDLE_OVERHEAD": "off"})
    assert program.status()["budget_percent"] is None
    program.do("budget", "0.5%")
    assert program.status()["budget_percent"] == 0.5
    said, profile = program.end()
    assert said == "equal\n" and "budget 0.5 % at" in " ".join(export(profile)["run"]["notes"])


def samples_of(program, export):
    copy = program.do("snapshot", "-o", program.store / "sampled").split(":")[0]
    return export(copy)["program"]["samples"]


@pytest.mark.needs("user-perf")
@pytest.mark.parametrize("rate", ["off", "100"])
def test_samples_go_off_and_on(start_steered, export, rate):
    """A program that was started without any has as many as are asked for first."""
    program = start_steered(env={"HEDDLE_SAMPLES": rate})
    said = program.do("samples", "50")
    assert re.search(r"^Predicted +50 samples in a second of each thread's processor time: at most 0.12 % of it$", said, re.M)
    assert re.search(r"^ +\d+ samples since then$", said, re.M)
    refused = program.ctl("samples", "101")
    assert refused.returncode == 1 and "at most " + ("50" if rate == "off" else "100") in refused.stderr
    program.do("samples", "25")
    before, limit = samples_of(program, export), time.monotonic() + TIMEOUT_S
    while samples_of(program, export) <= before:
        assert time.monotonic() < limit
    assert "Predicted no more samples, from each thread's next one on\n" in program.do("samples", "off")
    said, profile = program.end()
    assert said == "equal\n"
    loaded = export(profile)
    check_whole(loaded)
    assert loaded["program"]["samples_hz"] == (50 if rate == "off" else 100)
    notes = " ".join(loaded["run"]["notes"])
    assert re.search(r"50 samples a second at [\d.]+ s, 25 samples a second at [\d.]+ s, samples off at [\d.]+ s", notes)


def test_a_snapshot_is_a_whole_profile(start_steered, export, run_heddle, tmp_path):
    program = start_steered()
    path = tmp_path / "snap.heddle"
    said = program.do("snapshot", "-o", path)
    assert re.match(rf"{re.escape(str(path))}: [\d.]+ m?s of steered \(pid {program.pid}\)", said)
    known = re.search(r"times may be wrong by ([\d.]+) (ns|us|ms|s)$", said, re.M)
    wrong = float(known[1]) * {"ns": 1e-9, "us": 1e-6, "ms": 1e-3, "s": 1}[known[2]] * 1.01 if known else 0.001
    second = program.do("snapshot", "-o", path).split(":")[0]
    assert second == f"{path}.1"
    loaded, later = export(path), export(second)
    assert re.search(r"this is a snapshot that 'heddle ctl' took [\d.]+ s into the run", " ".join(loaded["run"]["notes"]))
    assert 0 < loaded["program"]["elapsed_s"] < later["program"]["elapsed_s"]
    for thread in loaded["threads"]:
        parts = sum(thread["wait_s"].values()) if isinstance(thread["wait_s"], dict) else thread["wait_s"]
        assert thread["busy_s"] + parts + thread["runtime_s"] + thread["idle_s"] == pytest.approx(thread["lifetime_s"], abs=wrong)
    report = run_heddle("report", path)
    assert report.returncode == 0 and "parallel steered.c" in report.stdout
    assert path.stat().st_mode & 0o777 == 0o600
    assert program.end()[0] == "equal\n"
    assert program.ctl("status").returncode == 1


def test_anything_at_random(start_steered, export, runtime):
    program = start_steered(runtime, env={"HEDDLE_COUNTERS": "page-faults"})
    chance = random.Random(runtime)
    limit = time.monotonic() + 6
    count = 0
    while time.monotonic() < limit or count < 10:
        command = chance.choice([("on", chance.choice(CLASSES)), ("off", chance.choice(CLASSES)), ("pause",), ("resume",),
                                 ("budget", chance.choice(["off", "0.1", "2"])),
                                 ("samples", chance.choice(["off", "10", "50"])), ("snapshot", "-o", program.store / "snap")])
        program.do(*command)
        count += 1
    said, profile = program.end()
    assert said == "equal\n"
    check_whole(export(profile))


def in_percent(said, word):
    """What it says of the class."""
    return float(re.search(rf"^{word} +(?:mutex: .* each: )?([\d.e-]+) % of", said, re.M).group(1))


@pytest.mark.timed
def test_costs_are_what_was_predicted(build_program, run_heddle, tmp_path):
    """A program whose threads all the time do the same."""
    program, env = build_program("budget.c"), {"HEDDLE_STORE_DIR": str(tmp_path)}

    def measure_once():
        with subprocess.Popen([program, "critical", "20"], stdout=subprocess.DEVNULL, env=environment_for(
                19, 1, {**env, "OMP_TOOL_LIBRARIES": str(LIBRARY), "HEDDLE_OVERHEAD": "off"})) as process:
            time.sleep(0.5)
            said = [run_heddle("ctl", "-i", "2", process.pid, command, "mutex", env=env).stdout for command in ("off", "on")]
            process.kill()
        return said

    def check(said):
        for text in said:
            predicted, observed = in_percent(text, "Predicted"), in_percent(text, "Observed")
            assert predicted / 1.5 < observed < predicted * 1.5, text

    check_times(measure_once, check)


def test_garbage_in_the_block_does_no_harm(start_steered, export):
    program = start_steered()
    chance = random.Random(3)
    limit = time.monotonic() + 3
    with open(program.file, "r+b") as file, mmap.mmap(file.fileno(), 4096) as page:
        while time.monotonic() < limit:
            begin = CONTROL + chance.randrange(BLOCK_BYTES)
            size = min(chance.randrange(1, 64), CONTROL + BLOCK_BYTES - begin)
            page[begin:begin + size] = chance.randbytes(size)
    said, profile = program.end()
    assert said == "equal\n"
    check_whole(export(profile))


def test_a_client_that_dies_leaves_no_harm(start_steered, heddle):
    program = start_steered()
    os.kill(program.pid, signal.SIGSTOP)
    before = program.asked()
    client = program.start(heddle, "-i", "0.1", program.pid, "off", "mutex")
    limit = time.monotonic() + TIMEOUT_S
    while program.asked() == before:
        assert time.monotonic() < limit
    client.kill()
    client.communicate()
    waiting = program.call("ctl", "-i", "0.1", "-w", "0.2", program.pid, "pause")
    assert waiting.returncode == 1 and "have sent no event for 0.2 s" in waiting.stderr
    os.kill(program.pid, signal.SIGCONT)
    while not program.status()["paused"]:
        assert time.monotonic() < limit
    status = program.status()
    assert not any(entry["off"] for entry in status["classes"]) and not status["pending"]  # it was replaced
    program.do("resume")
    assert program.end()[0] == "equal\n"


def test_a_program_that_ends_meanwhile(start_steered, heddle):
    program = start_steered()
    os.kill(program.pid, signal.SIGSTOP)
    before = program.asked()
    client = program.start(heddle, "-i", "0.1", "-w", "60", program.pid, "pause")
    limit = time.monotonic() + TIMEOUT_S
    while program.asked() == before:
        assert time.monotonic() < limit
    os.kill(program.pid, signal.SIGKILL)
    program.process.wait()
    _, said = client.communicate(timeout=TIMEOUT_S)
    assert client.returncode == 1 and "the program ended, or executed another one" in said
    after = program.ctl("pause")
    assert after.returncode == 1 and f"there is no process with the number {program.pid}" in after.stderr


def test_a_program_that_executes_another_is_that_other(start_phases):
    program = start_phases(under_run=False)
    pid = program.pid

    def ctl(*command):
        return program.run_heddle("ctl", "-i", "0.1", *command, env={"HEDDLE_STORE_DIR": str(program.store)})

    program.be("f")
    assert ctl(pid, "off", "work").returncode == 0
    program.process.stdin.write("x")
    program.process.stdin.flush()
    while program.process.stdout.readline() != "s\n":
        pass
    program.be("f")
    status = json.loads(ctl(pid, "status", "--json").stdout)
    assert status["acts"] == 0 and not any(entry["off"] for entry in status["classes"])
    assert ctl(pid, "pause").returncode == 0


@pytest.mark.needs("root")
def test_only_its_own_user_may(start_steered, heddle):
    program = start_steered()
    for path in [program.store, *program.store.parents]:
        if path.owner() == "root" and path != pathlib.Path("/") and path.stat().st_mode & 0o055 != 0o055:
            path.chmod(0o755)
    other = subprocess.run(["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", heddle, "ctl", str(program.pid),
                            "pause"], capture_output=True, text=True, env={"HEDDLE_STORE_DIR": str(program.store)})
    assert other.returncode == 1 and f"process {program.pid} is another user's" in other.stderr
    os.chown(program.file, 65534, 65534)  # root could write to it
    root = program.ctl("pause")
    assert root.returncode == 1 and f"process {program.pid} is another user's" in root.stderr
    assert not program.asked()


def test_a_process_without_heddle(run_heddle):
    result = run_heddle("ctl", os.getpid(), "pause")
    assert result.returncode == 1 and f"process {os.getpid()} does not run under Heddle" in result.stderr


@pytest.mark.parametrize("arguments, status, words", [
    ([], 2, "missing PID"),
    (["x", "status"], 2, "'x' is no process number"),
    (["0", "status"], 2, "'0' is no process number"),
    (["1"], 2, "missing COMMAND"),
    (["1", "stop"], 2, "there is no command 'stop'"),
    (["1", "budget"], 2, "budget needs one argument"),
    (["1", "off", "mutex", "now"], 2, "off needs one argument"),
    (["1", "off", "everything"], 2, "there is no class 'everything'; there are: entry mutex task call work sync region\n"),
    (["1", "pause", "now"], 2, "pause takes no argument"),
    (["1", "budget", "101%"], 2, "budget expects percent, from 0.0001 to 100, or off, not '101%'"),
    (["1", "samples", "often"], 2, "samples expects a number, or off, not 'often'"),
    (["1", "pause", "-o", "x"], 2, "--output belongs to snapshot"),
    (["1", "pause", "--json"], 2, "--json belongs to status and search"),
    (["1", "pause", "-w", "0"], 2, "a number of seconds from 0.1 to 3600"),
    (["4194305", "status"], 1, "there is no process with the number 4194305"),
])
def test_what_makes_no_sense_is_refused(run_heddle, arguments, status, words):
    result = run_heddle("ctl", *arguments)
    assert result.returncode == status and words in result.stderr and result.stdout == ""
