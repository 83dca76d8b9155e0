#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A long run of random shapes of parallelism (soak.c) under Heddle, on three libomps, with little memory.

usage: tests/soak/soak.py [--seconds S] [--seed N] [--libomp V] [--mode M] [--budget 2%|off]     (600 s; all of each)

The program keeps its own books. After every slice, in the middle of the run, and at its end the profile is compared with
them: every visit is there, unless the budget had switched its class off, and then the profile says so. All identities hold.
The process does not grow: descriptors, mappings, and resident memory beyond what Heddle accounts for, which is within its
limit (new threads and callpaths take memory up to that). At random moments its live profile is reported,
and `heddle run` saves what is left of a program that is killed. The seed is printed; the same one does the same again.
Where libomp itself gives up, which it does on some mixtures without any tool, too, the next seed goes on.

HEDDLE_BUILD and HEDDLE_RUNTIMES as for tests/e2e.
"""
import argparse
import itertools
import json
import os
import pathlib
import random
import resource
import signal
import subprocess
import sys
import tempfile
import threading
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "e2e"))

import conftest  # noqa: E402
from levels import broken_identities  # noqa: E402

SOURCE = pathlib.Path(__file__).resolve().with_name("soak.c")
MEMORY = {"nested": "4M", "tasks": "4M", "threads": "1M"}  # callpaths are shortened, but none is left out for long
ADDRESS_SPACE = 3 << 30
SLICE_S = 120  # a slice takes some tenths of a second
ASSERTION = "Assertion failure at kmp_"
SAID = ("HEDDLE_OVERHEAD", "no space")  # notes after which visits may be missing


class Failure(Exception):
    """The profile, or the program under Heddle, is not as it should be."""


class RuntimeFailure(Exception):
    """libomp has found itself in a state that it does not know, or has failed without a tool."""


def build(folder):
    program = folder / "soak"
    command = conftest.compile_command("clang", SOURCE, program, ["-pthread", f"-I{conftest.SOURCE / 'include'}"])
    subprocess.run(command, check=True)
    return program


def heddle(*arguments):
    return subprocess.run([conftest.HEDDLE, *map(str, arguments)], capture_output=True, text=True, timeout=300,
                          env=conftest.clean_environment())


def load(path):
    result = heddle("export", "--format", "json", path)
    if result.returncode != 0:
        raise Failure(f"export of {path}: {result.stderr}")
    return conftest.Profile(json.loads(result.stdout))


# ---- books ----


def read_books(lines):
    """{mark: entries}, and the time in all `parallel main`."""
    words = [line.rsplit(" ", 1) for line in lines]
    books = {name[len("book "):]: int(count) for name, count in words if name.startswith("book ")}
    elapsed = next(int(ns) for name, ns in words if name.startswith("elapsed "))
    return books, elapsed / 1e9


def entries_of(loaded, mark, line):
    kind = mark.split()[0]
    if kind in ("phase", "taskloop"):  # whose places in the code are not known
        return [entry for entry in loaded.profiles if entry["kind"] == kind]
    return [entry for entry in loaded.all(line)
            if entry["kind"] == kind or kind == "loop" and entry["kind"].startswith("loop")]


def compare(loaded, books, least=False, live=False):
    """What does not agree. `least`: the program went on for a while after these books. `live`: its threads may still
    come to rest while the profile is read, so that sums of times are a little apart."""
    lines = conftest.marks(SOURCE)
    said = any(word in note for note in loaded["run"]["notes"] for word in SAID)
    failures = [] if live else broken_identities(loaded)
    for mark, count in books.items():
        entries = entries_of(loaded, mark, lines.get(mark))
        visits = sum(entry["visits"] for entry in entries)
        may_lack = said and (not entries or any(entry["incomplete"] for entry in entries) or "no space" in str(
            loaded["run"]["notes"]))
        if visits < count and not may_lack or visits > count and not least:
            failures.append(f"{mark}: {visits} visits in the profile, {count} in the books")
    memory = loaded["run"]["memory"]
    if memory["used_bytes"] > memory["limit_bytes"]:
        failures.append(f"memory: {memory}")
    return failures


def compare_time(loaded, seconds):
    """The program looks at the clock outside of Heddle: its times are longer, but not by much."""
    line = conftest.marks(SOURCE)["parallel main"]
    measured = sum(entry["elapsed_s"] or 0 for entry in loaded.all(line, "parallel"))
    if not 0.3 * seconds <= measured <= 1.001 * seconds + 1e-4:
        return [f"parallel main: {measured:.6f} s in the profile, {seconds:.6f} s in the books"]
    return []


# ---- one program ----


def limit_address_space():
    resource.setrlimit(resource.RLIMIT_AS, (ADDRESS_SPACE, ADDRESS_SPACE))


class Program:
    """soak.c under Heddle, or without a tool (budget None), slice by slice."""

    def __init__(self, program, seed, mode, version, budget, folder):
        self.folder, self.has_tool = folder, budget is not None
        folder.mkdir(exist_ok=True)
        self.output = folder / "end.heddle"
        env = conftest.environment_for(version, None, {
            "OMP_TOOL_LIBRARIES": str(conftest.LIBRARY), "HEDDLE_OUTPUT": str(self.output), "OMP_STACKSIZE": "1M",
            "HEDDLE_STORE_DIR": str(folder), "HEDDLE_MEMORY": MEMORY[mode], "HEDDLE_OVERHEAD": budget or "off",
            "HEDDLE_THREADS_APART": "64", "OMP_WAIT_POLICY": "passive", "KMP_WARNINGS": "0"})
        if not budget:
            del env["OMP_TOOL_LIBRARIES"]
        self.process = subprocess.Popen([program, str(seed), mode], env=env, stdin=subprocess.PIPE, text=True,
                                        stdout=subprocess.PIPE, stderr=open(folder / "stderr", "w", encoding="utf-8"),
                                        preexec_fn=limit_address_space)

    def begin(self, number):
        self.process.stdin.write(f"slice {number}\n")
        self.process.stdin.flush()

    def wait(self):
        lines = []
        watch = threading.Timer(SLICE_S, self.process.kill)
        watch.start()
        try:
            for line in self.process.stdout:
                if line.startswith("done "):
                    return read_books(lines)
                lines.append(line.strip())
        finally:
            hung = not watch.is_alive()
            watch.cancel()
        if hung:
            raise (Failure if self.has_tool else RuntimeFailure)(f"one slice took more than {SLICE_S} s")
        status = self.process.wait()
        said = (self.folder / "stderr").read_text(encoding="utf-8")
        raise (Failure if self.has_tool and ASSERTION not in said else RuntimeFailure)(f"ended with status {status}: {said}")

    def live(self):
        return next(self.folder.glob("*.live"), None)

    def sizes(self):
        proc = pathlib.Path("/proc") / str(self.process.pid)
        status = dict(line.split(":", 1) for line in (proc / "status").read_text().splitlines())
        live = self.live()
        return {"resident kB": int(status["VmRSS"].split()[0]), "threads": int(status["Threads"]),
                "descriptors": len(list((proc / "fd").iterdir())),
                "mappings": len((proc / "maps").read_text().splitlines()),
                "profile kB": live.stat().st_blocks // 2 if live else 0}

    def sizes_beyond(self, twin, accounted_kb):
        """What there is more than in the same program without Heddle, since libomp itself grows with every initial thread
        that ends; and than Heddle says that it uses."""
        without = twin.sizes()
        sizes = {name: size - without[name] for name, size in self.sizes().items()}
        return {**sizes, "unaccounted kB": sizes["resident kB"] - accounted_kb}

    def end(self):
        self.process.stdin.close()
        if self.process.wait(timeout=60) != 0:
            raise Failure(f"exit status {self.process.returncode}: {(self.folder / 'stderr').read_text()}")
        return load(self.output)


GROWTH = {"unaccounted kB": 1024, "threads": 8, "descriptors": 0, "mappings": 24}


def growth(history):
    """The second half of the run against its first: the largest of each, since sizes go up and down."""
    half = len(history) // 2
    failures = []
    for name, most in GROWTH.items():
        first, second = (max(sizes[name] for sizes in part) for part in (history[:half], history[half:]))
        if second - first > most:
            failures.append(f"{name}: {first} in the first half, {second} in the second")
    return failures


def check_running(program, twin, books, history):
    loaded = load(program.live())
    memory = loaded["run"]["memory"]
    history.append(program.sizes_beyond(twin, memory["used_bytes"] >> 10))
    failures = compare(loaded, books, live=True)
    if memory["used_bytes"] > memory["limit_bytes"]:
        failures.append(f"memory: {memory}")
    return failures


def run_slices(program, twin, dice, until):
    history, number = [], 0
    while time.monotonic() < until or number < 4:
        program.begin(number)
        if program.live() and dice.random() < 0.2:
            time.sleep(dice.random() * 0.05)
            report = heddle("report", program.live())
            if report.returncode != 0:
                raise Failure(f"slice {number}: report of the live profile: {report.stderr}")
        books, seconds = program.wait()
        twin.begin(number)
        twin.wait()
        if number == 0 or dice.random() < 0.1:
            failures = check_running(program, twin, books, history)
            if failures:
                raise Failure(f"after slice {number}: " + "\n".join(failures))
        number += 1
    loaded = program.end()
    failures = compare(loaded, books) + compare_time(loaded, seconds)
    if number >= 200:  # before, the teams' threads are still new
        failures += growth(history)
    if failures:
        raise Failure(f"after {number} slices: " + "\n".join(failures[:8]))
    return number, sum(books.values()), history[-1]


# ---- killed ----


def run_and_kill(binary, seed, mode, version, dice, folder):
    """`heddle run` saves what a killed program leaves: no less than what it had said before."""
    output = folder / "killed.heddle"
    env = conftest.environment_for(version, None, {"OMP_WAIT_POLICY": "passive", "HEDDLE_OVERHEAD": "off",
                                                   "KMP_WARNINGS": "0", "HEDDLE_STORE_DIR": str(folder)})
    run = subprocess.Popen([conftest.HEDDLE, "run", "-q", "-o", output, "--", binary, str(seed), mode], env=env,
                           stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    run.stdin.write("slice 0\nslice 1\nslice 2\nslice 3\nslice 4\nslice 5\n")
    run.stdin.flush()
    lines = []
    for line in run.stdout:
        if line.startswith("done "):
            break
        lines.append(line.strip())
    time.sleep(dice.random() * 0.1)
    for child in pathlib.Path(f"/proc/{run.pid}/task/{run.pid}/children").read_text().split():
        os.kill(int(child), signal.SIGKILL)
    _, errors = run.communicate(timeout=60)
    if run.returncode != 128 + signal.SIGKILL or not output.exists():
        said = f"killed: status {run.returncode}, profile {output.exists()}: {errors}"
        raise (RuntimeFailure if ASSERTION in errors else Failure)(said)
    failures = compare(load(output), read_books(lines)[0], least=True)
    if failures:
        raise Failure("killed: " + "\n".join(failures[:8]))


# ---- all of it ----


def run_configuration(binary, seed, mode, version, budget, until):
    """One program from its start to its end."""
    dice = random.Random(seed)
    with tempfile.TemporaryDirectory(prefix="soak-") as folder:
        folder = pathlib.Path(folder)
        run_and_kill(binary, seed, mode, version, dice, folder)
        program = Program(binary, seed, mode, version, budget, folder)
        twin = Program(binary, seed, mode, version, None, folder / "without")
        try:
            return run_slices(program, twin, dice, until)
        finally:
            program.process.kill()
            twin.process.kill()


def soak(binary, arguments):
    """How many configurations were tried to their end, and how many of them failed."""
    configurations = [(version, mode, budget) for budget in arguments.budget for mode in arguments.mode
                      for version in arguments.libomp]
    until = time.monotonic()
    ended = failed = 0
    for version, mode, budget in configurations:
        until += arguments.seconds / len(configurations)
        for seed in itertools.count(arguments.seed):
            name = f"libomp {version}, {mode}, budget {budget}, seed {seed}"
            try:
                slices, entries, sizes = run_configuration(binary, seed, mode, version, budget, until)
                print(f"{name}: {slices} slices, {entries} entries, {sizes}", flush=True)
                ended += 1
                break
            except RuntimeFailure as failure:
                print(f"{name}: libomp failed: {str(failure).strip()}", flush=True)
                if time.monotonic() > until:
                    break
            except (Failure, subprocess.TimeoutExpired) as failure:
                print(f"{name}: FAILED\n{failure}", flush=True)
                ended, failed = ended + 1, failed + 1
                break
    return len(configurations), ended, failed


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seconds", type=float, default=600)
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(1 << 32))
    parser.add_argument("--libomp", type=int, action="append", choices=conftest.VERSIONS)
    parser.add_argument("--mode", action="append", choices=tuple(MEMORY))
    parser.add_argument("--budget", action="append")
    arguments = parser.parse_args()
    arguments.libomp = arguments.libomp or conftest.VERSIONS
    arguments.mode = arguments.mode or tuple(MEMORY)
    arguments.budget = arguments.budget or ("off", "2%")
    print(f"seed {arguments.seed}", flush=True)
    with tempfile.TemporaryDirectory(prefix="soak-") as folder:
        configurations, ended, failed = soak(build(pathlib.Path(folder)), arguments)
    print(f"seed {arguments.seed}: {failed} of {ended} configurations FAILED" if failed else
          f"seed {arguments.seed}: passed, {ended} of {configurations} configurations to their end")
    return 0 if ended and not failed else 1


if __name__ == "__main__":
    sys.exit(main())
