# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The screen of `heddle top`, in tmux: keys are sent, and what is to be seen is waited for."""
import os
import re
import shlex
import signal
import subprocess
import time

import pytest

from conftest import TIMEOUT_S, clean_environment, environment_for, marks
from top_program import SOURCE


class Screen:
    """A terminal of its own in which a command runs; behind it "status N"."""

    def __init__(self, socket, width, height, command, env):
        self.socket = socket
        words = " ".join(shlex.quote(str(word)) for word in ("env", *(f"{name}={value}" for name, value in env.items()), *command))
        self.tmux("-f", "/dev/null", "new-session", "-d", "-x", width, "-y", height, f"{words}; echo status $?; exec sleep 600")

    def tmux(self, *arguments):
        return subprocess.run(["tmux", "-S", self.socket, *map(str, arguments)], capture_output=True, text=True, check=True,
                              env={**clean_environment(), "LANG": "C.UTF-8"}, timeout=TIMEOUT_S).stdout

    def keys(self, *keys):
        self.tmux("send-keys", *keys)

    def resize(self, width, height):
        self.tmux("resize-window", "-x", width, "-y", height)

    def shown(self, *options):
        return self.tmux("capture-pane", "-p", *options)

    def wait(self, expression):
        """Until it matches something that is shown; all that is."""
        limit = time.monotonic() + TIMEOUT_S
        while not re.search(expression, shown := self.shown(), re.M):
            assert time.monotonic() < limit, f"no {expression} in\n{shown}"
            time.sleep(0.05)
        return shown

    def still(self, expression):
        """Until it matches what is shown, and nothing more is drawn; all that is."""
        limit = time.monotonic() + TIMEOUT_S
        before, shown = None, self.wait(expression)
        while shown != before:
            assert time.monotonic() < limit, f"it does not stand still:\n{shown}"
            time.sleep(0.5)
            before, shown = shown, self.shown()
        return shown


@pytest.fixture
def open_screen(heddle, tmp_path):
    """open_screen(arguments..., width=, height=, env=) -> Screen of `heddle top`."""
    opened = []

    def begin(*arguments, width=80, height=24, env=None):
        screen = Screen(tmp_path / f"tmux{len(opened)}", width, height, [heddle, "top", "-i", "0.2", *arguments],
                        {"LANG": "C.UTF-8", **(env or {})})
        opened.append(screen)
        return screen

    yield begin
    for screen in opened:
        screen.tmux("kill-server")


def test_the_screen_follows_the_program(start_phases, open_screen):
    program = start_phases()
    screen = open_screen(program.file)
    shown = screen.wait(r"^threads +1 busy, 3 idle$")
    assert shown.startswith(f"phases (pid {program.pid}): running for ") and "serial time, main" in shown
    program.be("b")
    screen.wait(r"^threads +4 busy$")
    program.be("a")
    line = marks(SOURCE)["alone"]
    shown = screen.wait(r"^threads +1 busy, 3 barrier$")
    assert re.search(rf"^ +0 initial .* busy .* parallel phases\.c:{line} in alone$", shown, re.M)
    assert re.search(r"^q quit  s sort: gain ", shown, re.M)
    program.be("q")
    assert re.search(r"^ +3 worker .* ended ", screen.still(r": ended after "), re.M)
    screen.keys("q")
    assert re.search(r"^status 0$", screen.wait("status"), re.M)


def test_keys_open_and_sort_and_pause(start_phases, open_screen):
    program = start_phases()
    screen = open_screen(program.file)
    program.be("a")
    screen.wait(r"^threads +1 busy, 3 barrier$")
    line = marks(SOURCE)["alone"]
    screen.keys("s")
    screen.wait("sort: run-gain")
    screen.keys("s", "s", "s", "s")
    screen.wait("sort: gain")
    screen.wait(rf"Region or construct\n.* parallel phases\.c:{line} in alone$")  # the interval's first
    screen.keys("Enter")
    shown = screen.wait(r"^Threads in it$")
    assert shown.startswith(f"parallel phases.c:{line} in alone") and len(re.findall(r"^ +[123]  barrier for ", shown, re.M)) == 3
    assert re.search(r"^in time  .+\n +the run so far; threads busy while it ran, full: \d$", shown, re.M)
    screen.keys("Escape")
    screen.wait(r"^phases ")
    screen.keys("End", "Enter")
    assert screen.wait(r"^No thread is in it\.$").startswith("parallel phases.c:")
    screen.keys("Left", "h")
    screen.wait("this help")
    screen.keys("h", "p")
    paused = screen.still(r"^PAUSED ")
    program.be("b")
    time.sleep(1)
    assert screen.shown() == paused
    screen.keys("Space")
    screen.wait(r"^threads +4 busy$")
    screen.keys("l")
    rows = screen.wait(rf"^ *{program.pid} ").splitlines()
    screen.keys("Home", *["Down"] * next(i for i, row in enumerate(rows[1:]) if row.split()[0] == str(program.pid)), "Enter")
    screen.wait(r"^phases ")


def test_classes_are_switched(start_phases, open_screen, export, tmp_path):
    program = start_phases()
    screen = open_screen(program.file)
    program.be("f")  # it acts at once
    screen.wait(" parallel phases")
    screen.keys("c")
    screen.wait(r"^q quit  enter switch off, on ")
    screen.keys(*["Down"] * 4, "Enter")
    assert re.search(r"^mutex +on ", screen.wait(r"^work +off "), re.M)
    screen.keys("Enter")
    screen.wait(r"^work +on ")
    screen.keys("c")
    screen.wait(r"^phases ")
    program.process.communicate("q", timeout=TIMEOUT_S)
    notes = " ".join(export(tmp_path / "out.heddle")["run"]["notes"])
    assert re.search(r"'heddle ctl' changed what was measured while the program ran: work off at [\d.]+ s, work on at", notes)
    screen.keys("c")
    screen.wait(r"^work ")
    screen.keys("Enter")
    screen.wait("^the program has ended")


def test_a_killed_program_stays(start_phases, open_screen):
    program = start_phases(under_run=False)
    screen = open_screen(program.file)
    program.be("a")
    screen.wait(r"^threads +1 busy, 3 barrier$")
    os.kill(program.pid, signal.SIGKILL)
    program.process.wait()
    assert "in alone" in screen.wait("gone without closing its profile")


def test_a_program_that_executes_another_is_that_other(start_phases, open_screen):
    program = start_phases(under_run=False)
    screen = open_screen(program.file)
    program.be("a")
    screen.wait("in alone")
    program.process.stdin.write("x")
    program.process.stdin.flush()
    screen.wait(r"(?s)\Aphases(?!.*in alone).*: running for")  # the callpaths of the first are gone


def test_any_size_will_do(start_phases, open_screen):
    program = start_phases()
    program.be("a")
    screen = open_screen(program.file)
    screen.wait(r"^threads +1 busy, 3 barrier$")
    for width, height in [(200, 60), (60, 12), (20, 5), (5, 2), (80, 24)]:
        screen.resize(1, 1)
        screen.resize(width, height)
        screen.wait("^" + "phases (pid"[:width].replace("(", r"\("))
        assert all(len(row) <= width for row in screen.shown().splitlines())
    screen.resize(60, 12)
    shown = screen.wait(r"^\d more threads: t$")
    assert re.search(r"parallel phases", shown)


def test_many_threads_and_callpaths_are_scrolled(build_program, run_heddle, heddle, open_screen, tmp_path):
    regions = "\n".join(f"#pragma omp parallel\nx{i % 7}++;" for i in range(500))
    source = ("#include <stdio.h>\nstatic volatile int " + ", ".join(f"x{i}" for i in range(7)) +
              ";\nint main(void) {\n" + regions + '\nputs("done"); fflush(stdout); getchar();\nreturn 0;\n}\n')
    program = build_program(source, flags=("-O0",))
    env = environment_for(19, 40, {"OMP_WAIT_POLICY": "passive", "HEDDLE_STORE_DIR": str(tmp_path)})
    with subprocess.Popen([heddle, "run", "-q", "-o", tmp_path / "out.heddle", "--", program], env=env,
                          stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout.readline() == "done\n"
        screen = open_screen(next(tmp_path.glob("heddle.*/*.live")))
        screen.wait(r"^threads +1 busy, 39 idle$")
        assert re.search(r"^3\d more threads: t$", screen.shown(), re.M)
        screen.keys("t", "End")
        screen.wait(r"^ +39 worker ")
        screen.keys("t", "s", "s", "s", "s")
        screen.wait("sort: name")
        screen.keys("End")
        screen.wait(r"program\.c:1002 in main$")
        screen.keys("Home")
        screen.wait(r"program\.c:4 in main$")
        process.communicate("\n", timeout=TIMEOUT_S)


def test_colours_only_where_they_are_wanted(start_phases, open_screen):
    program = start_phases()
    program.be("a")
    for env, has_colours in (({}, True), ({"NO_COLOR": "1"}, False)):
        screen = open_screen(program.file, env=env)
        screen.wait(r"^threads +1 busy, 3 barrier$")
        assert bool(re.search(r"\x1b\[[\d;]*3[23]", screen.shown("-e"))) == has_colours


@pytest.mark.parametrize("terminal", ["dumb", "no-such-terminal"])
def test_a_terminal_without_a_cursor_gets_no_screen(start_phases, open_screen, terminal):
    program = start_phases()
    screen = open_screen(program.file, width=200, env={"TERM": terminal})
    shown = screen.wait(r"^status")
    assert f"no screen on the terminal '{terminal}'; 'heddle top --once' shows the same" in shown
    assert re.search(r"^status 1$", shown, re.M)
