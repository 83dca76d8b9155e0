# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`heddle ctl PID routines LIST`: functions with sleds are measured from then on, those that run at that moment included."""
import re

import pytest

from conftest import assert_identities, assert_states_sum_to_lifetimes, environment_for
from steered_program import Steered

pytestmark = pytest.mark.needs("xray")
SLEDS = ("-fxray-instrument", "-fxray-instruction-threshold=1")
# Each round begins with a region, where it acts: what is added in one is measured from the next one on.
SOURCE = """#include <poll.h>
#include <stdio.h>
#include <unistd.h>
static volatile int sink;
__attribute__((noinline)) static void thrice(void) { sink++; }
__attribute__((noinline)) static void once(void) { sink--; }
__attribute__((noinline)) static long rounds(void) {
  struct pollfd input = {.fd = STDIN_FILENO, .events = POLLIN};
  char byte;
  long count = 0;
  for (; poll(&input, 1, 1) == 0 || read(STDIN_FILENO, &byte, 1) == 1; count++) {
#pragma omp parallel num_threads(1)
    sink = 0;
    thrice();
    thrice();
    thrice();
    once();
    if (count == 0)
      puts("s"), fflush(stdout);
  }
  return count;
}
int main(void) {
  printf("%ld\\n", rounds());
  return 0;
}
"""


@pytest.fixture
def begin(build_program, heddle, run_heddle, tmp_path):
    """begin(options..., compiler=) -> Steered. Killed at the end."""
    started = []

    def start(*options, compiler="clang-19"):
        env = environment_for(19, 2, {"HEDDLE_STORE_DIR": str(tmp_path), "OMP_WAIT_POLICY": "passive"})
        output = tmp_path / "p.heddle"
        command = [heddle, "run", "-q", *options, "-o", output, "--", build_program(SOURCE, compiler, SLEDS)]
        started.append(Steered(command, env, tmp_path, output, run_heddle))
        return started[-1]

    yield start
    for program in started:
        program.kill()


@pytest.mark.parametrize("compiler", ["clang", "clang-19"])
def test_more_are_measured_while_it_runs(begin, export, compiler):
    program = begin("--routines=-.", "--overhead", "off", compiler=compiler)
    said = program.do("routines", "^thrice$,^rounds$")
    assert said.startswith("Now       call: no events\n")
    assert re.search(r"^Done +2 routines are measured, after [\d.]+ [mun]?s$", said, re.M)
    assert re.search(r"^Observed +call: [1-9]", said, re.M)
    program.do("routines", "once")
    rounds, profile = program.end()
    loaded = export(profile)
    thrice, once = loaded.calls("thrice"), loaded.calls("once")
    assert 0 < 3 * once < thrice < 3 * int(rounds) and thrice % 3 == 0  # `rounds` itself had begun
    assert_identities(loaded)
    assert_states_sum_to_lifetimes(loaded)
    notes = " ".join(loaded["run"]["notes"])
    assert len(re.findall("one more routine at", notes)) == 3 and "left without" not in notes and "unmatched" not in notes


def test_what_cannot_be_measured_is_refused(begin):
    program = begin("--routines=once")
    for words, reason in (("nothing_like_it", "chooses none of the 4 functions that can be measured"), ("(", "cannot use")):
        refused = program.ctl("routines", words)
        assert refused.returncode in (1, 2) and reason in refused.stderr and refused.stdout == "", refused
    program.end()


def test_a_program_that_was_not_prepared(begin):
    program = begin()
    refused = program.ctl("routines", "once")
    assert refused.returncode == 1 and "start it with 'heddle run --routines=LIST'" in refused.stderr, refused
    program.end()
