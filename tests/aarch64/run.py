#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs for AArch64 on the real runtime, libomp 19, under qemu's user mode, with 1, 2 and 4 threads. Their profiles
are read here, natively: identities and counts are checked.

usage: run.py SYSROOT LIBHEDDLE HEDDLE   (the unpacked packages for AArch64, libheddle.so for it, the command for here)
"""
import concurrent.futures
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
sys.path.insert(0, str(ROOT / "tests/e2e"))
from levels import Checker  # noqa: E402, the folder must be known first

THREADS = (1, 2, 4)
TIMEOUT_S = 120  # some seconds are usual; what hangs is found out
EXAMPLES = {"cg": (64, 5), "heat": (100, 10), "mandelbrot_dynamic": (40,), "mandelbrot_static": (40,), "nbody": (100, 3),
            "sort": (20000,)}
WITH_FIXED = ("cg", "heat", "nbody", "sort")


class Program:
    """A source, what it is given, and what must be in its profile: expect(p) -> {what, as `visits` knows it: count}."""

    def __init__(self, source, *arguments, flags=(), expect=None, status=0, env=None, preload=False):
        self.source = ROOT / source
        self.arguments = [str(argument) for argument in arguments]
        self.flags = flags
        self.expect = expect
        self.status = status
        self.env = env or {}
        self.preload = preload

    def marks(self):
        lines = enumerate(self.source.read_text(encoding="ascii").splitlines(), start=1)
        return {match.group(1): line for line, text in lines if (match := re.search(r"// mark: (.+)$", text))}


def counts_of(p):
    """The head of counts.c; libomp makes a static loop of a guided one for a single thread."""
    each = {"static": 3, "dynamic": 2, "guided": 2, "sections": 1, "single": 1, "critical": 5, "barrier": 1}
    return {"first": 4, "second": 8, **{mark: 12 * p * times for mark, times in each.items()}}


PROGRAMS = [
    Program("tests/e2e/programs/constructs/counts.c", 4, expect=counts_of),
    Program("tests/aarch64/nested.c", flags=("-O1",), env={"OMP_MAX_ACTIVE_LEVELS": "2"},
            expect=lambda p: {"outer": 3, "parallel": 3 + 3 * p}),
    Program("tests/aarch64/nested.c", flags=("-O2",), env={"OMP_MAX_ACTIVE_LEVELS": "2"},
            expect=lambda p: {"outer": 3, "parallel": 3 + 3 * p}),
    Program("tests/aarch64/instrumented.c", flags=("-finstrument-functions",), preload=True,
            expect=lambda p: {"outer()": 3, "inner()": 6, "leaf()": 3 * p, "in_task()": 15, "region": 3, "task": 15,
                              "barrier": 3 * p}),
    Program("tests/aarch64/killed.c", status=-signal.SIGKILL, expect=lambda p: {"region": 5, "critical": 4 * p}),
]
PROGRAMS += [Program(f"examples/{name}{fixed}.c", *arguments) for name, arguments in EXAMPLES.items()
             for fixed in ("", "_fixed") if not fixed or name in WITH_FIXED]


def visits(loaded, what, marks):
    """Of a marked line, of a routine ("name()"), or of a kind of construct."""
    def is_meant(entry):
        if what in marks:
            return entry["line"] == marks[what]
        if what.endswith("()"):
            return entry["kind"] == "routine" and entry["name"] == what[:-2]
        return entry["kind"] == what

    return sum(entry["visits"] or 0 for entry in loaded["profiles"] if is_meant(entry))


class Machine:
    """What runs programs for AArch64."""

    def __init__(self, sysroot, library, command, folder):
        self.sysroot, self.library, self.command, self.folder = sysroot, library, command, folder
        self.runtime = f"{sysroot}/usr/lib/llvm-19/lib"

    def build(self, program):
        binary = f"{self.folder}/{PROGRAMS.index(program)}"
        subprocess.run(["clang-19", "--target=aarch64-linux-gnu", f"--sysroot={self.sysroot}",
                        f"--gcc-install-dir={self.sysroot}/usr/lib/gcc/aarch64-linux-gnu/12", "-isystem",
                        f"{self.runtime}/clang/19/include", f"-I{ROOT}/tests/e2e/programs", f"-L{self.runtime}",
                        "-O2", "-g", "-fopenmp", *program.flags, str(program.source), "-o", binary, "-lm"], check=True)
        return binary

    def measure(self, program, binary, threads):
        """The profile of a run; one that was killed leaves the file in which it was measured."""
        store = pathlib.Path(f"{binary}.{threads}")
        store.mkdir()
        env = {"LD_LIBRARY_PATH": self.runtime, "OMP_TOOL_LIBRARIES": self.library, "OMP_NUM_THREADS": threads,
               "OMP_WAIT_POLICY": "passive", "HEDDLE_OVERHEAD": "off", "HEDDLE_STORE_DIR": store,
               "HEDDLE_OUTPUT": store / "profile.heddle", **program.env}
        if program.preload:
            env["LD_PRELOAD"] = self.library
        set_there = [word for name, value in env.items() for word in ("-E", f"{name}={value}")]
        # -R: see cmake/aarch64.cmake
        done = subprocess.run(["qemu-aarch64", "-R", "2G", "-L", self.sysroot, *set_there, binary, *program.arguments],
                              capture_output=True, text=True, timeout=TIMEOUT_S, check=False)
        if done.returncode != program.status:
            raise AssertionError(f"status {done.returncode}: {done.stdout[-500:]}{done.stderr[-500:]}")
        left = [path for path in store.rglob("*") if path.suffix in (".heddle", ".live")]
        if len(left) != 1:
            raise AssertionError(f"profiles {left}: {done.stderr[-500:]}")
        return json.loads(subprocess.run([self.command, "export", "--format", "json", left[0]], check=True,
                                         capture_output=True, text=True).stdout)


def faults(program, threads, loaded):
    found = list(Checker(loaded).check())
    if loaded["run"]["complete"] == (program.status != 0):
        found.append(f"complete: {loaded['run']['complete']}")
    if len(loaded["threads"]) < threads:
        found.append(f"{len(loaded['threads'])} threads")
    if not visits(loaded, "parallel", {}):
        found.append("no region")
    marks = program.marks()
    for what, count in (program.expect(threads) if program.expect else {}).items():
        if visits(loaded, what, marks) != count:
            found.append(f"{what}: {visits(loaded, what, marks)} instead of {count}")
    return found


def try_one(machine, program, binary, threads):
    name = " ".join([program.source.name, *program.flags, f"with {threads} threads"])
    try:
        found = faults(program, threads, machine.measure(program, binary, threads))
    except subprocess.TimeoutExpired:
        found = [f"did not end within {TIMEOUT_S} s"]
    except (AssertionError, subprocess.CalledProcessError) as error:
        found = [str(error)]
    return [f"{name}: {fault}" for fault in found]


def main():
    if len(sys.argv) != 4:
        sys.exit(__doc__.strip().splitlines()[-1])
    sysroot, library, command = (os.path.abspath(path) for path in sys.argv[1:])
    processors = len(os.sched_getaffinity(0))
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(processors) as pool:
        machine = Machine(sysroot, library, command, folder)
        built = [(program, machine.build(program)) for program in PROGRAMS]
        runs = [pool.submit(try_one, machine, program, binary, threads)
                for program, binary in built for threads in THREADS]
        found = [fault for run in runs for fault in run.result()]
    print("\n".join(found) or f"{len(runs)} runs: identities and counts hold")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
