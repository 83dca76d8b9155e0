# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`heddle run` of programs that are killed, that become other programs, or that are several."""
import re
import time

import pytest

from run_program import CLOCK, KILLED, REGION, SIGNALLED, on, only_profile, profiles, region_of
from timed import check_times


# ---- killed programs ----


def check_killed(output, exported):
    busy = {int(thread): float(seconds) for thread, seconds in re.findall(r"(\d) ([\d.]+)", output)}
    region = region_of(exported)
    assert region["visits"] == 1 and exported["run"]["complete"] is False
    assert region["elapsed_s"] == pytest.approx(busy[0], rel=0.01)
    assert region["busy_s"] == pytest.approx(busy[0] + busy[1], rel=0.01)
    assert region["wait_s"]["barrier_implicit"] == pytest.approx(busy[0] - busy[1], rel=0.02)
    assert region["potential_gain_s"] == pytest.approx((busy[0] - busy[1]) / 2, rel=0.02)


@pytest.mark.timed
def test_killed_program_has_right_numbers(run, runtime, build_program, export):
    (run.directory / "profiles").mkdir()

    def measured():
        (run.directory / "profiles" / "x.heddle").unlink(missing_ok=True)
        status, output, said = run("-o", "profiles/x.heddle", build_program(KILLED), env=on(runtime))
        assert status == 137 and said[0] == "heddle: profile: profiles/x.heddle"
        exported = export(run.directory / "profiles" / "x.heddle")
        assert exported["run"]["exit"] == 137 and exported["run"]["signal"] == 9 and list(run.store.iterdir()) == []
        return output, exported

    check_times(measured, lambda told: check_killed(*told))


@pytest.mark.timed
def test_program_killed_inside_a_script_ends_when_it_was_killed(run, build_program, export):
    def measured():
        (run.directory / "x.heddle").unlink(missing_ok=True)
        status, output, _ = run("-o", "x.heddle", "sh", "-c", f"{build_program(KILLED)}; sleep 1.5; exit 5")
        assert status == 5
        return output, export(only_profile(run))

    def check(told):
        check_killed(*told)
        assert told[1]["program"]["elapsed_s"] < 1.4

    check_times(measured, check)


@pytest.mark.timed
def test_killed_program_ends_although_its_forked_child_lives_on(run, build_program, export):
    forks = CLOCK + r"""
    int main(void) {
    #pragma omp parallel num_threads(2)
      spin(0.2);
      if (fork() == 0) {
        sleep(1);
        _exit(0);
      }
      raise(SIGKILL);
    }
    """
    assert run("sh", "-c", f"{build_program(forks)} >/dev/null 2>&1; sleep 1.5")[0] == 0
    assert export(only_profile(run))["program"]["elapsed_s"] < 0.8


@pytest.mark.timed
def test_program_that_executes_another_ends_there(run, build_program, export):
    becomes = CLOCK + r"""
    int main(int argc, char **argv) {
    #pragma omp parallel num_threads(2)
      spin(0.5);
      (void)argc;
      execv(argv[1], argv + 1);
    }
    """
    first, last = build_program(becomes), build_program(REGION)
    status, output, _ = run(first, "/bin/sh", "-c", f"sleep 1; exec {first} {last} 7")
    assert status == 7 and output == "threads 2\n" and len(profiles(run)) == 3
    exported = [export(run.directory / name) for name in profiles(run)]
    assert len({each["run"]["pid"] for each in exported}) == 1
    elapsed = sorted(each["program"]["elapsed_s"] for each in exported if not each["run"]["complete"])
    # The process is one, so the second program's time counts from the start of the first.
    assert elapsed == pytest.approx([0.5, 2.0], abs=0.4)


def test_program_that_leaves_by_underscore_exit_has_a_profile(run, build_program, export):
    leaves = REGION.replace("#include <stdio.h>", "#include <stdio.h>\n#include <unistd.h>")
    leaves = leaves.replace("return argc", "fflush(stdout); _exit(6); return argc")
    assert run(build_program(leaves))[0] == 6
    assert region_of(export(only_profile(run)))["visits"] == 1


# ---- several processes ----


def test_script_of_two_programs_gives_two_profiles(run, build_program, export):
    program = build_program(REGION)
    script = run.directory / "both.sh"
    script.write_text(f"#!/bin/sh\n{program}\n{program} 1\nexit 9\n")
    script.chmod(0o755)
    status, output, said = run("./both.sh")
    assert status == 9 and output == "threads 2\nthreads 2\n"
    assert len(profiles(run)) == 2 and len(said) <= 25
    for name in profiles(run):
        assert any(name in line for line in said)
        exported = export(run.directory / name)
        assert region_of(exported)["visits"] == 1 and exported["run"].get("exit") is None


def test_second_process_under_a_fixed_name_gets_a_number(run, build_program):
    program = build_program(REGION)
    status, _, said = run("-o", "x.heddle", "sh", "-c", f"{program}; {program}")
    assert status == 0
    assert [line for line in said if re.fullmatch(rf"heddle: another profile: x.heddle(\.1)? "
                                                  rf"\({program.name}, pid \d+, [\d.]+ s\)", line)]
    assert profiles(run) == ["x.heddle", "x.heddle.1"]


def test_summary_of_many_processes_stays_short(run, build_program):
    status, _, said = run("sh", "-c", f"for i in $(seq 30); do {build_program(REGION)}; done")
    assert status == 0 and len(profiles(run)) == 30
    assert 5 < len(said) <= 25 and any(" more" in line for line in said)


@pytest.mark.timed
def test_process_that_outlives_the_run_saves_its_own_profile(heddle, run, build_program, export):
    program = build_program(SIGNALLED)
    status, _, said = run("sh", "-c", f"{program} 2 >/dev/null 2>&1 & sleep 0.7")
    assert status == 0 and any("still running" in line for line in said) and profiles(run) == []
    for _ in range(100):
        time.sleep(0.1)
        if profiles(run):
            break
    time.sleep(0.2)
    assert region_of(export(only_profile(run)))["elapsed_s"] == pytest.approx(2, rel=0.05)
