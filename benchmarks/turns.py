# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Processes that take turns. All variants of a benchmark are started once; one at a time runs for a few milliseconds,
the others are stopped (SIGSTOP: also their threads that spin). So what else the machine does hits all alike."""
import os
import pathlib
import re
import select
import signal
import subprocess
import tempfile
import time

STEERING = ("OMP_", "KMP_", "GOMP_", "HEDDLE", "LD_LIBRARY_PATH", "LD_PRELOAD")


def clean_environment():
    """The caller's environment without what steers OpenMP or Heddle."""
    return {name: value for name, value in os.environ.items() if not name.startswith(STEERING)}


def run_before_all_else():
    """This process does, and more so than the programs that it starts (run_next), which may spin on every core."""
    os.sched_setscheduler(0, os.SCHED_RR, os.sched_param(2))


def run_next(pid):
    if os.sched_getscheduler(0) == os.SCHED_RR:
        os.sched_setscheduler(pid, os.SCHED_RR, os.sched_param(1))


class Stopped:
    """A process of the program `constructs` that runs only while it is asked to."""

    def __init__(self, program, environment):
        self.process = subprocess.Popen([program], env={**clean_environment(), **environment}, text=True,
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        run_next(self.process.pid)
        self._stop()

    def _stop(self):
        os.kill(self.process.pid, signal.SIGSTOP)  # send_signal would ask whether it has ended
        _, status = os.waitpid(self.process.pid, os.WUNTRACED)
        if not os.WIFSTOPPED(status):
            raise SystemExit(f"{self.process.args[0]} ended: {self.process.stderr.read()}")

    def turn(self, construct, count, settle_ms=0):
        """Meets so many constructs -> ns that they took; before that, as many once, so that all threads are awake and in
        their places, or again and again for settle_ms."""
        self.process.send_signal(signal.SIGCONT)
        until = time.monotonic() + settle_ms / 1000
        self._ask(construct, count)
        while time.monotonic() < until:
            self._ask(construct, count)
        ns = self._ask(construct, count)
        self._stop()
        return ns

    def _ask(self, construct, count):
        self.process.stdin.write(f"{construct} {count}\n")
        self.process.stdin.flush()
        answer = self.process.stdout.readline()
        if not answer:
            raise SystemExit(f"{self.process.args[0]} {construct}: {self.process.stderr.read()}")
        return int(answer)

    def runtime(self):
        """Path of the OpenMP runtime that it has loaded."""
        names = ("libomp", "libiomp")
        maps = pathlib.Path(f"/proc/{self.process.pid}/maps").read_text().split()
        return next((word for word in maps if os.path.basename(word).startswith(names)), "unknown")

    def end(self):
        """Lets it finish -> what it wrote on standard error."""
        self.process.send_signal(signal.SIGCONT)
        _, errors = self.process.communicate()
        if self.process.returncode != 0:
            raise SystemExit(f"{self.process.args[0]} ended with status {self.process.returncode}: {errors}")
        return errors


def calibrate(process, construct, turn_ms, settle_ms=0):
    """How many of a construct last a turn, by a process without a tool. settle_ms: they run for so long before, for threads
    that share a processor at first."""
    process.turn(construct, 16, settle_ms)  # the first one starts the runtime
    count, ns = 1, 0
    while ns < turn_ms * 1e5 and count < 1 << 24:
        count *= 4
        ns = process.turn(construct, count)
    return max(1, int(count * turn_ms * 1e6 / ns))


class Run:
    """A program that runs once; what it writes goes to files. As a context manager it does not outlive its block."""

    def __init__(self, command, environment, directory, session=False):
        """session: of its own, so that what the program has started ends with it when it is ended early."""
        self.output = tempfile.TemporaryFile("w+", errors="replace")
        self.errors = tempfile.TemporaryFile("w+", errors="replace")
        self.session = session
        self.seconds = 0.0
        self.began = time.monotonic()
        self.process = subprocess.Popen(command, env=environment, cwd=directory, stdin=subprocess.DEVNULL,
                                        stdout=self.output, stderr=self.errors, start_new_session=session)
        run_next(self.process.pid)
        self.handle = os.pidfd_open(self.process.pid)
        self.watch = select.poll()
        self.watch.register(self.handle, select.POLLIN)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.returncode is None:
            (os.killpg if self.session else os.kill)(self.process.pid, signal.SIGKILL)
            self.process.wait()
        os.close(self.handle)
        self.output.close()
        self.errors.close()

    def wait(self, slice_ms=None):
        """Until it ends, or for so long: then it is stopped -> whether it has ended."""
        ended = bool(self.watch.poll(slice_ms))
        if not ended:
            os.kill(self.process.pid, signal.SIGSTOP)
        self.seconds += time.monotonic() - self.began
        _, status = os.waitpid(self.process.pid, os.WUNTRACED)
        if os.WIFSTOPPED(status):
            return False
        self.process.returncode = os.waitstatus_to_exitcode(status)
        return True

    def resume(self):
        self.began = time.monotonic()
        os.kill(self.process.pid, signal.SIGCONT)

    def numbers(self, regex):
        """What the first group of regex matches in the output, each time."""
        self.output.seek(0)
        return [float(found.group(1)) for found in re.finditer(regex, self.output.read(), re.MULTILINE)]

    def last_error(self):
        """The last line on standard error."""
        self.errors.seek(0)
        return next(iter(self.errors.read().splitlines()[-1:]), "")
