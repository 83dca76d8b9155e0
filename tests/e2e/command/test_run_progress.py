# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""heddle run --progress: a line on the terminal while the program runs, and none of it left at the end."""

import os
import re

import pytest

from terminal import on_terminal

# Until its first input: a region in which one of two threads works, for as long as nobody says stop.
WORK = r"""
#include <poll.h>
int main(void) {
  struct pollfd input = {.fd = 0, .events = POLLIN};
#pragma omp parallel num_threads(2)
#pragma omp for schedule(static, 1)
  for (int i = 0; i < 2; i++)
    while (i == 0 && poll(&input, 1, 0) == 0)
      ;
  return 0;
}
"""
SHORT = "int main(void) {\n#pragma omp parallel num_threads(2)\n;\nreturn 0;\n}\n"
LINE = re.compile(r"\r([^\r\x1b]*)\x1b\[K")


@pytest.mark.needs("terminal")
def test_a_line_says_what_the_program_does(heddle, build_program, tmp_path):
    program = build_program(WORK)
    theirs, ours = os.pipe()
    status, shown = on_terminal(heddle, "run", "-q", "--progress", "-o", tmp_path / "a.heddle", "--", program,
                                stdin=theirs, width=100, when=(r"threads busy, \d+ % in ", lambda: os.close(ours)))
    os.close(theirs)
    lines = LINE.findall(shown)
    assert status == 0 and lines[-1] == "" and shown.endswith("\r\x1b[K"), shown
    assert all(re.match(r"\S+: \d+ s, \d\.\d of 2 threads busy", line) and len(line) < 100 for line in lines[:-1]), lines
    assert re.search(r", \d+ % in parallel \S+:5 in main", lines[-2]), lines


@pytest.mark.needs("terminal")
@pytest.mark.parametrize("options, env", [([], {}), (["--progress"], {"TERM": "dumb"}), (["--progress"], {})])
def test_otherwise_there_is_none(heddle, build_program, tmp_path, options, env):
    command = [heddle, "run", "-q", *options, "-o", tmp_path / "a.heddle", "--", build_program(SHORT)]
    assert on_terminal(*command, env=env) == (0, "")
