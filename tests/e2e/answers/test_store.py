# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The profile as a file: its size, what a killed program leaves, and what is said about files that are damaged."""
import json
import random
import shutil
import signal
import subprocess
import time

import pytest

from conftest import LIBRARY, TIMEOUT_S, assert_close, assert_states_sum_to_lifetimes, environment_for, marks

HEADER_BYTES = 4096
BLOCK_BYTES = 4096
COMMANDS = {"report": ["report"], "csv": ["report", "--csv"], "export": ["export", "--format", "json"]}
every_command = pytest.mark.parametrize("command", COMMANDS.values(), ids=COMMANDS.keys())


# ---- size ----


@pytest.mark.parametrize("threads", [1, 2, 4])
@pytest.mark.parametrize("source", ["counts.c", "names.c", "tasks.c"])
def test_size_does_not_depend_on_the_length_of_the_run(build_program, profile, runtime, source, threads):
    """Several threads meet some callpaths and levels by chance, so each may begin a block that it does not begin in another
    run; records of the 45 further rounds of counts.c would fill many. Samples find more addresses the longer they look, until
    their table is full; and what goes off because of the budget has records of its own."""
    program = build_program(source)
    *short, long = (profile(program, length, runtime=runtime, threads=threads,
                            env={"HEDDLE_SAMPLES": "off", "HEDDLE_OVERHEAD": "off"}).stat().st_size
                    for length in (5, 5, 5, 50))
    assert long == short[0] if threads == 1 else long <= max(short) + threads * BLOCK_BYTES


# ---- killed programs ----


@pytest.fixture
def endless(build_program, tmp_path):
    """Starts the program that never ends -> (process, its live profile). Killed at the end in any case."""
    started = []

    def start(runtime):
        tool = {"OMP_TOOL_LIBRARIES": str(LIBRARY), "HEDDLE_STORE_DIR": str(tmp_path)}
        process = subprocess.Popen([build_program("endless.c")], env=environment_for(runtime, 2, tool), text=True,
                                   cwd=tmp_path, stdout=subprocess.PIPE)
        started.append(process)
        assert process.stdout.readline() == "running\n"
        return process, next(tmp_path.glob("*.live"))

    yield start
    for process in started:
        process.kill()
        process.wait()


def assert_sound(loaded):
    """A profile of endless.c that was cut off at some moment: thread i spins (i + 1) ms in each instance."""
    assert loaded["run"]["complete"] is False
    region = loaded.one(marks("endless.c")["region"], "parallel")
    assert region["visits"] >= 10
    first, second = (row["busy_s"] for row in region["threads"])
    assert first >= 0.001 * (region["visits"] - 1) and second >= 0.002 * (region["visits"] - 1)
    assert_states_sum_to_lifetimes(loaded)
    assert_close(region["busy_s"], first + second, "busy")
    return region


def visits_beyond(count, export, path):
    """How many entries of the region there are, once there are more than `count`."""
    end = time.monotonic() + TIMEOUT_S
    while (visits := assert_sound(export(path))["visits"]) <= count:
        assert time.monotonic() < end, visits
        time.sleep(0.05)
    return visits


def test_killed_program_leaves_a_readable_profile(endless, export, runtime):
    process, path = endless(runtime)
    seen = visits_beyond(50, export, path)
    process.send_signal(signal.SIGKILL)
    assert process.wait() == -signal.SIGKILL
    region = assert_sound(export(path))
    assert region["visits"] >= seen


def test_running_program_can_be_read(endless, export, runtime):
    process, path = endless(runtime)
    before = assert_sound(export(path))["visits"]
    visits_beyond(before, export, path)
    assert process.poll() is None


# ---- names ----


def test_names_are_kept_when_the_program_is_gone(build_program, profile, export, tmp_path):
    program = tmp_path / "names"
    shutil.copy(build_program("names.c"), program)
    path = profile(program, threads=2, runtime=19)
    first = export(path).summary()
    program.unlink()
    assert export(path).summary() == first
    assert ("in_static_function", marks("names.c")["parallel"]) in [(entry[3], entry[4]) for entry in first]


def test_profile_that_cannot_be_written_is_still_read(build_program, profile, export, run_heddle):
    path = profile(build_program("names.c"), threads=2, runtime=19)
    path.chmod(0o400)
    path.parent.chmod(0o500)
    try:
        export(path)
        assert run_heddle("report", path).returncode == 0
    finally:
        path.parent.chmod(0o700)


# ---- damage ----


@pytest.fixture(scope="module")
def sound(build_program, tmp_path_factory):
    """The bytes of a sound profile."""
    path = tmp_path_factory.mktemp("sound") / "sound.heddle"
    tool = {"OMP_TOOL_LIBRARIES": str(LIBRARY), "HEDDLE_OUTPUT": str(path)}
    subprocess.run([build_program("counts.c")], env=environment_for(19, 2, tool), check=True, capture_output=True)
    return path.read_bytes()


def assert_refused(result, path):
    """Exit status 1, one line that names the file and a reason, nothing on standard output."""
    assert result.returncode == 1, (result.returncode, result.stderr)
    assert result.stdout == ""
    lines = result.stderr.splitlines()
    assert len(lines) == 1 and str(path) in lines[0], result.stderr
    assert len(lines[0].split(str(path))[1]) > 8, "no reason is given"
    return lines[0]


@every_command
@pytest.mark.parametrize("length", [0, 1, 7, 8, 12, 100, HEADER_BYTES - 1, HEADER_BYTES, HEADER_BYTES + 1,
                                    HEADER_BYTES + 63, HEADER_BYTES + 64, HEADER_BYTES + BLOCK_BYTES - 1,
                                    HEADER_BYTES + BLOCK_BYTES, -BLOCK_BYTES, -BLOCK_BYTES // 2, -1])
def test_file_that_is_cut_short(run_heddle, sound, tmp_path, command, length):
    path = tmp_path / "cut.heddle"
    path.write_bytes(sound[:length])
    assert len(path.read_bytes()) < len(sound)
    assert_refused(run_heddle(*command, path), path)


def changed(data, offset, new):
    return data[:offset] + new + data[offset + len(new):]


# Offsets of include/heddle-format.h.
DAMAGES = {
    "magic": (lambda data: changed(data, 0, b"LOOM"), "not a Heddle profile"),
    "text mode": (lambda data: data.replace(b"\r\n", b"\n"), "text mode"),
    "newer version": (lambda data: changed(data, 8, bytes([data[8] + 1])), "newer"),
    "older version": (lambda data: changed(data, 8, bytes([data[8] - 1])), "older"),
    "far newer version": (lambda data: changed(data, 8, b"\xff\xff\xff\xff"), "newer"),
    "version 0": (lambda data: changed(data, 8, bytes(4)), "format 0"),
    "other byte order": (lambda data: changed(data, 12, bytes(reversed(data[12:16]))), "byte order"),
    "impossible byte order": (lambda data: changed(data, 12, b"\x01\x01\x01\x01"), "byte order"),
    "record size": (lambda data: changed(data, 24, b"\x00\x00"), "record sizes"),
    "block size": (lambda data: changed(data, 20, b"\x00\x00\x00\x00"), "sizes"),
    "too many blocks": (lambda data: changed(data, 40, b"\xff\xff\xff\x7f"), "cut short"),
    "block without a header": (lambda data: changed(data, HEADER_BYTES, bytes(64)), "block 0"),
    "block of unknown type": (lambda data: changed(data, HEADER_BYTES + 4, b"\x00\x00"), "block 0"),
    "block larger than the file": (lambda data: changed(data, HEADER_BYTES + 8, b"\xff\xff\xff\xff"), "block 0"),
    "more records than fit": (lambda data: changed(data, HEADER_BYTES + 16, b"\xff\xff\xff\xff"), "block 0"),
    "zeroes": (lambda data: bytes(len(data)), "not a Heddle profile"),
    "text": (lambda data: b"once upon a time\n" * 1000, "not a Heddle profile"),
    "ELF": (lambda data: b"\x7fELF" + data[4:], "not a Heddle profile"),
}


@every_command
@pytest.mark.parametrize("damage", DAMAGES)
def test_damaged_or_foreign_file(run_heddle, sound, tmp_path, command, damage):
    change, reason = DAMAGES[damage]
    path = tmp_path / "damaged.heddle"
    path.write_bytes(change(sound))
    assert path.read_bytes() != sound
    assert reason in assert_refused(run_heddle(*command, path), path)


@every_command
def test_file_that_is_none(run_heddle, tmp_path, command):
    assert_refused(run_heddle(*command, tmp_path), tmp_path)
    assert_refused(run_heddle(*command, tmp_path / "missing.heddle"), tmp_path / "missing.heddle")


def unsealed(data):
    """Without checksums, as a program that still runs has its profile."""
    at = data.rindex(b"SEAL", 0, HEADER_BYTES)
    return changed(data, at, bytes(8))


def flipped(data, choose):
    data = bytearray(data)
    data[choose.randrange(len(data))] ^= 1 << choose.randrange(8)
    return data


@pytest.mark.parametrize("made", ["by the program", "with names", "by heddle run", "by merge"])
def test_every_flipped_bit_is_noticed(run_heddle, build_program, tmp_path, made):
    path = tmp_path / "flipped.heddle"
    tool = {"OMP_TOOL_LIBRARIES": str(LIBRARY), "HEDDLE_OUTPUT": str(path)}
    program, environment = build_program("counts.c"), environment_for(19, 2, tool)
    if made == "by heddle run":
        run_heddle("run", "-q", "-o", path, program, env=environment_for(19, 2, {}))
    else:
        subprocess.run([program], env=environment, check=True, capture_output=True)
    if made == "with names":
        size = path.stat().st_size
        assert run_heddle("report", path).returncode == 0 and path.stat().st_size > size
    if made == "by merge":
        assert run_heddle("merge", "-q", "--force", "-o", path, path, path).returncode == 0
    data, choose = path.read_bytes(), random.Random(made)
    for _ in range(60):
        path.write_bytes(flipped(data, choose))
        assert_refused(run_heddle("report", "--csv", path), path)
    path.write_bytes(data)
    assert run_heddle("report", "--csv", path).returncode == 0


def test_random_damage_never_crashes_the_reader(run_heddle, sound, tmp_path):
    """Random bytes at random places of a file without checksums: either it is noticed and said, or numbers are shown;
    no other ending."""
    choose = random.Random(1987)
    path = tmp_path / "random.heddle"
    refused = 0
    for _ in range(300):
        data = bytearray(unsealed(sound))
        for _ in range(choose.choice((1, 4, 64))):
            data[choose.randrange(len(data) if choose.random() < 0.5 else HEADER_BYTES // 8)] = choose.randrange(256)
        path.write_bytes(data)
        command = choose.choice(list(COMMANDS.values()))
        result = run_heddle(*command, path)
        if result.returncode != 0:
            assert_refused(result, path)
            refused += 1
        elif command == COMMANDS["export"]:
            json.loads(result.stdout.encode("utf-8"))  # not only JSON, but UTF-8
    assert 0 < refused < 300
