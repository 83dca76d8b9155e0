# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A program that is steered while it runs, by `heddle ctl`."""
import json
import os
import pathlib
import signal
import subprocess
import time

import pytest

from conftest import LIBRARY, TIMEOUT_S, environment_for

CONTROL = 1216  # the control block's place in the file (heddle-format.h)


class Steered:
    """A program that says "s" when it has begun, and ends with its input; under OMP_TOOL_LIBRARIES or `heddle run`."""

    def __init__(self, command, env, store, output, run_heddle):
        self.store = store
        self.output = output
        self.run_heddle = run_heddle
        self.process = subprocess.Popen(command, env=env, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
                                        cwd=store, start_new_session=True)
        assert self.process.stdout.readline() == "s\n"
        limit = time.monotonic() + TIMEOUT_S
        while not (found := [entry for entry in json.loads(self.call("top", "--list", "--json").stdout)["programs"]
                             if entry["file"].startswith(str(store))]):
            assert time.monotonic() < limit
        self.pid = found[0]["pid"]
        self.file = pathlib.Path(found[0]["file"])

    def call(self, *arguments, **options):
        return self.run_heddle(*arguments, env={"HEDDLE_STORE_DIR": str(self.store)}, **options)

    def start(self, heddle, *arguments):
        """`heddle ctl`, which goes on."""
        return subprocess.Popen([heddle, "ctl", *map(str, arguments)], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                text=True, env=environment_for(None, env={"HEDDLE_STORE_DIR": str(self.store)}))

    def ctl(self, *command):
        return self.call("ctl", "-i", "0.1", self.pid, *command)

    def do(self, *command):
        result = self.ctl(*command)
        assert result.returncode == 0 and result.stderr == "", result.stderr
        return result.stdout

    def status(self):
        return json.loads(self.do("status", "--json"))

    def asked(self):
        with open(self.file, "rb") as file:
            file.seek(CONTROL)
            return int.from_bytes(file.read(8), "little")

    def go_on(self, line=""):
        """For programs that wait for a line, and say "s" when they wait again."""
        self.process.stdin.write(f"{line}\n")
        self.process.stdin.flush()
        assert self.process.stdout.readline() == "s\n"

    def end(self):
        """What it said, and the profile."""
        said, _ = self.process.communicate(timeout=TIMEOUT_S)
        assert self.process.returncode == 0
        return said, self.output

    def kill(self):
        if self.process.poll() is None:
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.stdin.close()
        self.process.stdout.close()
        self.process.wait()


@pytest.fixture
def start_steered(build_program, heddle, run_heddle, tmp_path):
    """start_steered(runtime=, under_run=, env=, source=, options=) -> Steered; options are those of `heddle run`. All are
    killed at the end."""
    started = []

    def begin(runtime=19, under_run=False, env=None, source="steered.c", options=()):
        store = tmp_path / f"store{len(started)}"
        store.mkdir()
        output = tmp_path / f"out{len(started)}.heddle"
        tool = {} if under_run else {"OMP_TOOL_LIBRARIES": str(LIBRARY), "HEDDLE_OUTPUT": str(output)}
        env = environment_for(runtime, 3, {"HEDDLE_STORE_DIR": str(store), "OMP_WAIT_POLICY": "passive", **tool,
                                           **(env or {})})
        command = [heddle, "run", "-q", *options, "-o", output, "--"] if under_run else []
        started.append(Steered([*command, build_program(source)], env, store, output, run_heddle))
        return started[-1]

    yield begin
    for program in started:
        program.kill()
