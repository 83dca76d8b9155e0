# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What tests need of the machine they run on, by name, as tests/machine.h has it for unit tests.

A test says @pytest.mark.needs("root", "own-mounts"), a fixture calls need("terminal"). Where the machine lacks that, the
test is skipped; at the end the output counts such tests by condition. A test that was skipped for anything else is a
failure. HEDDLE_MACHINE_HAS names conditions, separated by blanks, that this machine is known to have: a test that lacks
one of these fails. A test that can make its condition itself needs none.
"""
import collections
import contextlib
import ctypes
import fcntl
import functools
import os
import pathlib
import platform
import pty
import re
import resource
import shutil
import signal
import subprocess
import tempfile

import pytest


# ---- conditions: each function returns why not, or None ----


def system_call(x86_64, aarch64, *arguments):
    """(result, the error's text): of a call that Python has no function for."""
    number = {"x86_64": x86_64, "aarch64": aarch64}.get(platform.machine())
    if number is None:
        return -1, f"{platform.machine()} is a processor this test knows no system calls of"
    libc = ctypes.CDLL(None, use_errno=True)
    result = libc.syscall(ctypes.c_long(number), *arguments)
    return result, os.strerror(ctypes.get_errno())


def lacks_perf(exclude):
    """perf_event_open(2) of this process's task clock; `exclude`: bits of perf_event_attr's flags."""
    attributes = bytearray(128)
    attributes[0:8] = (1).to_bytes(4, "little") + len(attributes).to_bytes(4, "little")  # PERF_TYPE_SOFTWARE, size
    attributes[8:16] = (1).to_bytes(8, "little")  # PERF_COUNT_SW_TASK_CLOCK
    attributes[40:48] = exclude.to_bytes(8, "little")
    given = (ctypes.c_char * len(attributes)).from_buffer(attributes)
    descriptor, why = system_call(298, 241, given, 0, -1, -1, ctypes.c_ulong(8))  # PERF_FLAG_FD_CLOEXEC
    if descriptor < 0:
        return why
    os.close(descriptor)
    return None


def lacks_ptrace():
    """A child asks to be traced, stops, and is stepped."""
    libc = ctypes.CDLL(None, use_errno=True)
    child = os.fork()
    if child == 0:
        libc.ptrace(0, 0, 0, 0)  # PTRACE_TRACEME
        os.kill(os.getpid(), signal.SIGSTOP)
        os._exit(0)
    _, status = os.waitpid(child, os.WUNTRACED)
    stepped = libc.ptrace(9, child, 0, 0) == 0  # PTRACE_SINGLESTEP: not of a child that is stopped, but not traced
    if stepped:
        _, status = os.waitpid(child, 0)
        stepped = os.WIFSTOPPED(status) and os.WSTOPSIG(status) == signal.SIGTRAP
    if not os.WIFEXITED(status) and not os.WIFSIGNALED(status):
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
    return None if stepped else "ptrace(2) does not step through a child"


def lacks_membarrier():
    commands, why = system_call(324, 283, 0, 0, 0)  # MEMBARRIER_CMD_QUERY
    if commands < 0:
        return why
    return None if commands & 8 else "no private expedited membarrier(2)"


def lacks_two_processors():
    return None if len(os.sched_getaffinity(0)) >= 2 else "one processor is all this process may run on"


def lacks_command(*command):
    tried = subprocess.run(command, capture_output=True, encoding="utf-8", errors="replace")
    return None if tried.returncode == 0 else tried.stderr.strip() or f"{command[0]} failed"


def lacks_room(place, size):
    try:
        status = os.statvfs(place)
    except OSError as failure:
        return str(failure)
    free = status.f_bavail * status.f_frsize
    return None if free >= size else f"{free >> 20} MiB are free in {place}"


def lacks_terminal():
    """A chroot without /dev/pts has none."""
    try:
        for descriptor in pty.openpty():
            os.close(descriptor)
    except OSError as failure:
        return f"no pseudo-terminal: {failure}"
    return None


def lacks_root():
    """Root that may give files away and take another user: not so in some user namespaces."""
    if os.geteuid() != 0:
        return "the tests are not run by root"
    with tempfile.NamedTemporaryFile() as file:
        try:
            os.chown(file.name, 65534, 65534)
        except OSError as failure:
            return f"root may not give a file away: {failure}"
    return lacks_command("setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "true")


def lacks_leases():
    with tempfile.NamedTemporaryFile() as file, open(file.name, encoding="utf-8") as reader:
        file.close()  # a lease is for the only one that has the file open
        try:
            fcntl.fcntl(reader, fcntl.F_SETLEASE, fcntl.F_RDLCK)
        except OSError as failure:
            return f"no lease on a file: {failure}"
    return None


def lacks_stack_limit():
    hard = resource.getrlimit(resource.RLIMIT_STACK)[1]
    return None if hard == resource.RLIM_INFINITY or hard >= 256 << 20 else f"ulimit -Hs is {hard >> 10}"


def lacks_random_addresses():
    """A personality, or the kernel's setting, may load programs at the same addresses every time."""
    begins = {subprocess.run(["head", "-c", "12", "/proc/self/maps"], capture_output=True, check=True).stdout for _ in "1234"}
    return None if len(begins) > 1 else "programs are always loaded at the same addresses"


def lacks_xray():
    """clang's -fxray-instrument: its runtime is in a package of its own, and Heddle reads its sleds on x86-64."""
    if platform.machine() != "x86_64":
        return f"this is {platform.machine()}"
    with tempfile.TemporaryDirectory() as place:
        source = pathlib.Path(place) / "tried.c"
        source.write_text("int main(void) { return 0; }\n", encoding="ascii")
        tried = [lacks_command(compiler, "-fxray-instrument", str(source), "-o", f"{place}/tried")
                 for compiler in ("clang", "clang-19")]
    return tried[0] or tried[1]


CONDITIONS = {
    "user-perf": lambda: lacks_perf(1 << 5 | 1 << 6),  # exclude_kernel, exclude_hv
    "kernel-perf": lambda: lacks_perf(0),
    "ptrace": lacks_ptrace,
    "membarrier": lacks_membarrier,
    "two-processors": lacks_two_processors,
    "own-mounts": lambda: lacks_command("unshare", "-m", "mount", "-t", "tmpfs", "none", "/proc"),
    "own-pids": lambda: lacks_command("unshare", "--mount-proc", "-pf", "true"),
    "shm-64M": lambda: lacks_room("/dev/shm", 64 << 20),
    "terminal": lacks_terminal,
    "root": lacks_root,
    "leases": lacks_leases,
    "stack-limit": lacks_stack_limit,  # a stack of 256 MiB may be asked for
    "random-addresses": lacks_random_addresses,
    "chromium": lambda: lacks_command("chromium", "--version") if shutil.which("chromium") else "no chromium",
    "xray": lacks_xray,
    "x86-64": lambda: None if platform.machine() == "x86_64" else f"this is {platform.machine()}",
}
LACKING = re.compile(r"machine lacks ([\w-]+): ")


@functools.cache
def why_not(condition):
    return CONDITIONS[condition]()


def need(*conditions):
    """Skips the test that asks if the machine lacks a condition; fails it if HEDDLE_MACHINE_HAS names that."""
    for condition in conditions:
        if why := why_not(condition):
            known = condition in os.environ.get("HEDDLE_MACHINE_HAS", "").split()
            (pytest.fail if known else pytest.skip)(f"machine lacks {condition}: {why}")


def pytest_configure(config):
    config.addinivalue_line("markers", "needs(condition, ...): what the machine must have (tests/e2e/machine.py)")


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item):
    for mark in item.iter_markers("needs"):
        need(*mark.args)


@pytest.fixture(scope="session")
def terminals():
    """As @pytest.mark.needs("terminal")."""
    need("terminal")


# ---- what tests leave behind ----


@pytest.fixture(autouse=True)
def forget_dead_runtimes():
    """libomp notes in /dev/shm, under the process's number, that it is loaded. A killed process leaves that file, without
    a byte in it if it was killed just then; whoever gets the number later and takes the file for its own dies by SIGBUS,
    Heddle or not. Programs are killed here by the hundred, so the files of the dead are removed."""
    for file in pathlib.Path("/dev/shm").glob("__KMP_REGISTERED_LIB_*"):
        number = file.name.split("_")[-2]
        with contextlib.suppress(OSError):  # gone meanwhile, or another user's
            if number.isdigit() and not os.path.exists(f"/proc/{number}"):
                file.unlink()


# ---- skipped tests ----

skipped = []
lacking = collections.defaultdict(list)  # tests by condition


def pytest_runtest_logreport(report):
    if report.skipped and not hasattr(report, "wasxfail"):  # that would be timed.py's
        found = LACKING.search(str(report.longrepr))
        (lacking[found.group(1)] if found else skipped).append(report.nodeid)


def pytest_sessionfinish(session, exitstatus):
    if exitstatus == pytest.ExitCode.NO_TESTS_COLLECTED and session.config.option.markexpr == "timed":
        session.exitstatus = pytest.ExitCode.OK  # a folder without timed tests
    if "PYTEST_XDIST_WORKER" not in os.environ:
        for condition, tests in sorted(lacking.items()):
            print(f"\nmachine lacks {condition}: {len(tests)} tests were not run: {tests[0]} ...")
    if skipped and os.environ.get("HEDDLE_NO_SKIP"):
        print(f"\n{len(skipped)} tests were skipped, which HEDDLE_NO_SKIP forbids: {skipped[0]} ...")
        session.exitstatus = 1
