# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`heddle scale` on a terminal; what it says of wrong options, directories and full disks."""
import os
import pty
import re
import select
import subprocess
import time

import pytest

from conftest import TIMEOUT_S
from machine import need
from scale_program import is_running, names, told


# ---- the terminal ----


def on_terminal(scan, *arguments, columns=100, interrupt=None, env=None):
    """Exit status, and what a terminal got from stderr; its Ctrl-C is typed when `interrupt` says so."""
    pid, terminal = pty.fork()
    if pid == 0:
        os.chdir(scan.folder)
        subprocess.run(["stty", "cols", str(columns)], check=True)
        with open("stdout", "wb") as out:
            os.dup2(out.fileno(), 1)
        os.execve(scan.heddle, scan.command(*arguments),
                  {**scan.environment, "TERM": "xterm", **(env or {})})
    text = b""
    end = time.monotonic() + TIMEOUT_S
    while time.monotonic() < end:
        if interrupt and interrupt():
            os.write(terminal, b"\x03")
            interrupt = None
        if not select.select([terminal], [], [], 0.05)[0]:
            continue
        try:
            got = os.read(terminal, 4096)
        except OSError:
            break
        if not got:
            break
        text += got
    _, status = os.waitpid(pid, 0)
    os.close(terminal)
    return os.waitstatus_to_exitcode(status), told(text.decode())


@pytest.mark.needs("terminal")
def test_a_terminal_has_a_bar_that_goes_away(scan):
    status, text = on_terminal(scan, "-t", "1,2", "-r", "2", env={"NAP_MS": "300"})
    assert status == 0
    head, _, rest = text.partition("\r\n")
    assert head == "heddle: 4 runs, kept in app.scale"
    drawn = [frame for frame in rest.split("\r") if frame.strip()]
    assert re.fullmatch(r"\[\.{20}\] 0 of 4 runs; now t1\.r1 *", drawn[0])
    assert any(re.fullmatch(r"\[#{10}\.{10}\] 2 of 4 runs, 0:\d\d left; now t2\.r2 *", frame) for frame in drawn), drawn
    assert rest.endswith("\r") and not rest.rstrip("\r").rpartition("\r")[2].strip()  # blanks over the last one
    assert (scan.folder / "stdout").read_text()


@pytest.mark.needs("terminal")
def test_the_bar_fits_into_the_terminal(scan):
    _, text = on_terminal(scan, "-t", "1,2", "-r", "2", columns=30)
    assert max(map(len, text.split("\r\n")[1].split("\r"))) == 29


@pytest.mark.parametrize("terminal", [True, False])
def test_quiet_says_nothing_but_the_comparison(scan, terminal, request):
    if terminal:
        need("terminal")
        assert on_terminal(scan, "-t", "1,2", "-r", "1", "-q") == (0, "")
        assert (scan.folder / "stdout").read_text()
    else:
        result = scan.run("-t", "1,2,99", "-r", "1", "-q")
        assert result.returncode == 0 and result.stderr == "" and result.stdout


@pytest.mark.needs("terminal")
def test_control_c_ends_it_all(scan):
    status, text = on_terminal(scan, "-t", "1,2", "-r", "1", env={"NAP_MS": "20000"}, interrupt=scan.logged)
    assert status == 130 and "interrupted with 2 of 2 runs left; repeat the command to resume" in text
    assert not is_running(scan.program) and scan.profiles() == []


# ---- bad input ----


@pytest.mark.parametrize("arguments", [
    ("-t", "0"), ("-t", ""), ("-t", "1-"), ("-t", "3-1"), ("-t", "1,,2"), ("-t", "1-9:0"), ("-t", "99999"),
    ("-t", "1-2000"), ("-t", "1-4x"), ("-r", "0"), ("-r", "many"), ("--param", "X"), ("--param", "X="),
    ("--param", "X=a,,b"), ("--param", "=a"), ("--param", "1X=a"), ("--param", "X=a,a"), ("--param", "threads=1"),
    ("--param", "OMP_NUM_THREADS=1"), ("--param", "X=a", "--param", "X=b"), ("--bind", "tightly"), ("--bind", ""),
    ("--bind", "close", "--param", "OMP_PROC_BIND=spread"), ("--warmup", "-1"), ("--counters-at", "loop"),
    ("--unwind", "never"), ("-o", ""), ("--output-of-nothing",), ("--predict", "0"), ("--json", "--csv"),
])
def test_wrong_options_run_nothing(scan, arguments):
    result = scan.run(*arguments)
    assert result.returncode == 2 and "Usage: heddle " in result.stderr and result.stdout == ""
    assert scan.logged() == [] and not scan.directory.exists()


def test_no_program_is_wrong_and_help_is_not(run_heddle):
    assert run_heddle("scale").returncode == 2
    result = run_heddle("scale", "--help")
    assert result.returncode == 0
    for option in ("--threads", "--param", "--keep-going", "--gomp", "--events", "--predict", "--fail-if"):
        assert option in result.stdout


def test_a_directory_that_cannot_be_used_is_named(scan):
    (scan.folder / "file").write_text("")
    result = scan.run("-o", "file")
    assert result.returncode == 1 and "file exists and is not a directory" in result.stderr
    (scan.folder / "full").mkdir()
    (scan.folder / "full" / "thesis.tex").write_text("")
    for over in ((), ("--start-over",)):
        result = scan.run("-o", "full", *over)
        assert result.returncode == 1 and "is not empty, but holds no scan" in result.stderr
        assert os.listdir(scan.folder / "full") == ["thesis.tex"]
    result = scan.run("-o", "/proc/self/scan")
    assert result.returncode == 1 and "cannot make the directory /proc/self/scan" in result.stderr
    result = scan.run("-o", "/" + "x" * 300)
    assert result.returncode == 1 and "File name too long" in result.stderr
    assert scan.logged() == []


def test_a_scan_that_cannot_be_read_is_not_overwritten(scan):
    assert scan.run("-t", "1", "-r", "1").returncode == 0
    for text in ("{", "[]", ""):
        (scan.directory / "scan.json").write_text(text)
        result = scan.run("-t", "1", "-r", "1")
        assert result.returncode == 1 and "scan.json" in result.stderr and "--start-over" in result.stderr
        assert (scan.directory / "scan.json").read_text() == text
    assert scan.run("-t", "1", "-r", "1", "--start-over").returncode == 0
    assert scan.logged() == ["1", "1"]


# Disks have as much room as the file $FREE says, if it is there.
DISK = r"""
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/statvfs.h>
int statvfs(const char *path, struct statvfs *status) {
  int (*real)(const char *, struct statvfs *) = (int (*)(const char *, struct statvfs *))dlsym(RTLD_NEXT, "statvfs");
  FILE *file = fopen(getenv("FREE"), "r");
  long long bytes = 0;
  const int result = real(path, status);
  if (file && fscanf(file, "%lld", &bytes) == 1)
    status->f_bavail = (unsigned long)bytes / status->f_frsize;
  if (file)
    fclose(file);
  return result;
}
"""


@pytest.fixture
def disk(scan, build_program):
    """The file that says how much room there is."""
    free = scan.folder / "free"
    scan.environment.update(LD_PRELOAD=str(build_program(DISK, flags=["-shared", "-fPIC", "-ldl"])), FREE=str(free))
    return free


def test_a_full_disk_is_said_and_the_scan_goes_on_with_room(scan, disk):
    disk.write_text(str((8 << 20) - 4096))
    result = scan.run("-t", "1,2", "-r", "1")
    assert result.returncode == 1 and "app.scale: less than 8 MiB left on this disk" in result.stderr
    assert scan.logged() == []
    disk.write_text(str(8 << 20))
    result = scan.run("-t", "1,2", "-r", "1")  # heddle run wants 16
    assert result.returncode == 1 and "on this disk" not in result.stderr and "no place for the profile" in result.stderr
    disk.unlink()
    assert scan.run("-t", "1,2", "-r", "1").returncode == 0


def test_that_a_run_filled_the_disk_is_said_when_its_profile_is_missing(scan, disk):
    result = scan.run("-t", "1,2", "-r", "1", command=["sh", "-c", f"echo 0 > {disk}"])
    assert result.returncode == 1 and scan.profiles() == []
    assert "run t1.r1 failed: it left no profile" in result.stderr
    assert "less than 8 MiB left on this disk" in result.stderr


def test_three_hundred_runs(scan):
    result = scan.run("-t", "1-3", "-r", "100", "-q", "--csv")
    assert result.returncode == 0 and result.stdout
    assert scan.profiles() == names(1, 2, 3, repeats=100)
