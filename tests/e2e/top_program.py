# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A program that does what it is told until it is told otherwise, and what `heddle top` says of it."""
import json
import os
import shutil
import signal
import subprocess
import time

import pytest

from conftest import LIBRARY, TIMEOUT_S, environment_for

SOURCE = "phases.c"
THREADS = 4


class Program:
    """A program of phases.c."""

    def __init__(self, process, store, run_heddle):
        self.process = process
        self.store = store
        self.run_heddle = run_heddle

    def be(self, letter):
        """Once it has begun to."""
        self.process.stdin.write(letter)
        self.process.stdin.flush()
        while self.process.stdout.readline() != f"{letter}\n":
            assert self.process.poll() is None

    @property
    def pid(self):
        return next(entry["pid"] for entry in self.listed() if entry["file"].startswith(str(self.store)))

    @property
    def file(self):
        return next(entry["file"] for entry in self.listed() if entry["file"].startswith(str(self.store)))

    def listed(self):
        return json.loads(self.call("--list", "--json").stdout)["programs"]

    def call(self, *arguments):
        return self.run_heddle("top", *arguments, env={"HEDDLE_STORE_DIR": str(self.store)})

    def top(self, *arguments):
        result = self.call("--json", "--interval", "0.2", *(arguments or [self.pid]))
        assert result.returncode == 0 and result.stderr == "", result.stderr
        return json.loads(result.stdout)

    def settled(self, states):
        """What it says of an interval in which each thread was where it is to be, all the time."""
        limit = time.monotonic() + TIMEOUT_S
        while time.monotonic() < limit:
            shown = self.top()
            if all(thread["state"] == state and thread["since_s"] > shown["interval_s"]
                   for thread, state in zip(shown["threads"], states, strict=True)):
                return shown
        raise AssertionError(shown)


@pytest.fixture
def start_phases(build_program, heddle, run_heddle, tmp_path):
    """start_phases(runtime=, under_run=, name=) -> Program. All are killed at the end."""
    started = []

    def begin(runtime=19, under_run=True, name=None, env=None):
        store = tmp_path / f"store{len(started)}"
        store.mkdir()
        program = build_program(SOURCE, flags=("-pthread",))
        if name:
            program = shutil.copy(program, tmp_path / name)
        tool = {} if under_run else {"OMP_TOOL_LIBRARIES": str(LIBRARY)}
        env = environment_for(runtime, THREADS, {"HEDDLE_STORE_DIR": str(store), "OMP_WAIT_POLICY": "passive", **tool,
                                                 **(env or {})})
        command = [heddle, "run", "-q", "-o", tmp_path / "out.heddle", "--"] if under_run else []
        process = subprocess.Popen([*command, program], env=env, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
                                   cwd=tmp_path, start_new_session=True)
        started.append(process)
        assert process.stdout.readline() == "s\n"
        return Program(process, store, run_heddle)

    yield begin
    for process in started:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
        process.stdin.close()
        process.stdout.close()
        process.wait()
