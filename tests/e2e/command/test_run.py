# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`heddle run`: what the program must not notice, what becomes of its profile, and what is said when there is none."""

import os
import pty
import re
import resource
import shutil
import signal
import stat
import subprocess
import time
from pathlib import Path

import pytest

from conftest import check_times, clean_environment, libomp_folder

# Two threads, one region; the argument is the exit status.
REGION = r"""
#include <stdio.h>
#include <stdlib.h>
int main(int argc, char **argv) {
  int count = 0;
#pragma omp parallel num_threads(2) reduction(+ : count)
  count++;
  printf("threads %d\n", count);
  return argc > 1 ? atoi(argv[1]) : 0;
}
"""

# Links a runtime, but the region is never entered.
NO_CONSTRUCT = r"""
int main(int argc, char **argv) {
  (void)argv;
  if (argc > 5) {
#pragma omp parallel
    argv[0][0] = 0;
  }
  return 0;
}
"""

CLOCK = r"""
#define _GNU_SOURCE
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>
int omp_get_thread_num(void);
static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}
static double spin(double seconds) {
  double begin = now();
  while (now() - begin < seconds) {
  }
  return now() - begin;
}
"""

# Thread 1 works for 0.5 s and waits at the region's end, thread 0 works for 1 s and kills the program.
# busy = 0.5 + 1, wait = 0.5, elapsed = 1, gain = (2 * 1 - 1.5) / 2. Prints both threads' real times.
KILLED = CLOCK + r"""
int main(void) {
#pragma omp parallel num_threads(2)
  {
    double begin = now();
    if (omp_get_thread_num() == 1) {
      spin(0.5);
      printf("1 %.6f\n", now() - begin);
      fflush(stdout);
    } else {
      spin(1.0);
      printf("0 %.6f\n", now() - begin);
      fflush(stdout);
      raise(SIGKILL);
    }
  }
  return 0;
}
"""

# Counts the signal it is told to expect, from inside a region; ends with status 4 after `seconds`.
SIGNALLED = CLOCK + r"""
static volatile sig_atomic_t seen;
static void note(int number) { (void)number; seen++; }
int main(int argc, char **argv) {
  if (argc > 2)
    signal(atoi(argv[2]), note);
#pragma omp parallel num_threads(2)
  if (omp_get_thread_num() == 0) {
    printf("ready\n");
    fflush(stdout);
    double begin = now();
    while (now() - begin < atof(argv[1]))
      usleep(1000);
  }
  printf("seen %d\n", (int)seen);
  return 4;
}
"""


@pytest.fixture
def run(heddle, tmp_path):
    """Runs `heddle run ARGUMENTS` in an empty directory with a store of its own; (status, stdout, stderr lines)."""
    directory = tmp_path / "run"
    store = tmp_path / "store"
    directory.mkdir()
    store.mkdir()

    def run_heddle(*arguments, env=None, **more):
        done = subprocess.run([heddle, "run", *map(str, arguments)], cwd=directory, capture_output=True, text=True,
                              timeout=120, env=make_environment(store, env), **more)
        return done.returncode, done.stdout, done.stderr.splitlines()

    run_heddle.heddle = heddle
    run_heddle.directory = directory
    run_heddle.store = store
    return run_heddle


def make_environment(store, changes=None):
    return {**clean_environment(), "HEDDLE_STORE_DIR": str(store), **(changes or {})}


def on(runtime):
    return {"LD_LIBRARY_PATH": str(libomp_folder(runtime))}


def start(heddle, run, *arguments, **more):
    return subprocess.Popen([heddle, "run", *map(str, arguments)], cwd=run.directory, env=make_environment(run.store),
                            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **more)


def profiles(run):
    return sorted(path.name for path in run.directory.glob("*.heddle*"))


def only_profile(run):
    assert len(profiles(run)) == 1
    return run.directory / profiles(run)[0]


def region_of(exported):
    return [profile for profile in exported["profiles"] if profile["kind"] == "parallel"][0]


# ---- what the program must not notice ----


@pytest.mark.parametrize("status", [0, 3, 200])
def test_exit_status_is_the_programs(run, run_heddle, build_program, export, status):
    assert run(build_program(REGION), status)[0] == status
    loaded = export(only_profile(run))["run"]
    assert loaded["exit"] == status and loaded["signal"] is None
    assert f", exit status {status}\n" in run_heddle("report", only_profile(run)).stdout


def test_signal_that_ends_the_program_becomes_128_plus_its_number(run):
    assert run("sh", "-c", "kill -9 $$")[0] == 137
    assert run("sh", "-c", "kill -TERM $$")[0] == 143


def test_program_that_cannot_be_run_gives_127_or_126(run):
    status, _, said = run("no-such-program-anywhere")
    assert status == 127 and len(said) == 1 and "no-such-program-anywhere" in said[0]
    plain = run.directory / "plain"
    plain.write_text("text\n")
    status, _, said = run("./plain")
    assert status == 126 and len(said) == 1 and "./plain" in said[0]
    assert list(run.store.iterdir()) == []


def test_output_and_input_are_the_programs(run, build_program):
    program = build_program(REGION)
    plain = subprocess.run([program], capture_output=True, text=True, check=True)
    assert run(program)[1] == plain.stdout == "threads 2\n"
    assert run("cat", input="through\n")[1] == "through\n"


def test_descriptors_mask_dispositions_and_directory_are_untouched(heddle, run):
    def prepare():
        signal.signal(signal.SIGHUP, signal.SIG_IGN)
        signal.signal(signal.SIGCHLD, signal.SIG_IGN)
        signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGUSR2, signal.SIGALRM])

    look = ["/bin/sh", "-c", "pwd; grep -E '^(Sig(Blk|Ign|Cgt)|SigQ)' /proc/self/status | grep -v SigQ; ls /proc/self/fd"]
    plain = subprocess.run(look, cwd=run.directory, capture_output=True, text=True, preexec_fn=prepare)
    assert "SigBlk" in plain.stdout
    assert run(*look, preexec_fn=prepare)[1] == plain.stdout


def test_closed_descriptors_stay_closed(run, build_program):
    """Not with subprocess's own pipes: the shell closes them."""
    look = f"exec 0<&- 2>&-; %s sh -c 'ls /proc/self/fd; {build_program(REGION)}'"
    plain = subprocess.run(["sh", "-c", look % ""], cwd=run.directory, capture_output=True, text=True)
    heddle = f"{run.heddle} run"
    done = subprocess.run(["sh", "-c", look % heddle], cwd=run.directory, capture_output=True, text=True,
                          env=make_environment(run.store))
    assert done.stdout == plain.stdout and "threads 2" in plain.stdout
    only_profile(run)


def test_options_after_the_program_belong_to_it(run):
    assert run("echo", "-q", "--output", "x")[1] == "-q --output x\n"
    assert run("-q", "--", "echo", "--", "-q")[1] == "-- -q\n"


def test_tools_and_preloads_that_were_asked_for_stay(run, build_program):
    show = ["sh", "-c", "echo $OMP_TOOL_LIBRARIES; echo $LD_PRELOAD"]
    tools, preloads = run("--gomp", *show, env={"OMP_TOOL_LIBRARIES": "/a.so:/b.so"})[1].splitlines()
    assert "/libheddle.so:" in tools and tools.endswith(":/a.so:/b.so")
    assert re.search(r"libomp[^:]*$", preloads)
    first = preloads
    old = {"LD_PRELOAD": "libm.so.6", "ASAN_OPTIONS": "verify_asan_link_order=0"}  # for a heddle built with sanitizers
    preloads = run("--gomp", *show, env=old)[1].splitlines()[1]
    assert preloads == first + ":libm.so.6"


# ---- signals ----


def test_signal_sent_to_heddle_reaches_the_program(heddle, run, build_program, export):
    child = start(heddle, run, build_program(SIGNALLED), 1.0, int(signal.SIGTERM))
    assert child.stdout.readline() == "ready\n"
    child.send_signal(signal.SIGTERM)
    output, said = child.communicate(timeout=60)
    assert output == "seen 1\n" and child.returncode == 4
    assert "heddle: profile: " in said
    assert export(only_profile(run))["run"]["exit"] == 4


def test_program_ended_by_a_forwarded_signal_has_a_profile(heddle, run, build_program, export):
    child = start(heddle, run, build_program(SIGNALLED), 30)
    assert child.stdout.readline() == "ready\n"
    time.sleep(0.3)
    child.send_signal(signal.SIGTERM)
    _, said = child.communicate(timeout=60)
    assert child.returncode == 128 + signal.SIGTERM and "heddle: profile: " in said
    exported = export(only_profile(run))
    assert exported["run"]["exit"] == 143 and exported["run"]["complete"] is False


def test_interrupt_from_the_terminal_reaches_the_program_once(heddle, run, build_program, terminals):
    program = build_program(SIGNALLED)
    pid, terminal = pty.fork()
    if pid == 0:
        os.chdir(run.directory)
        os.execve(heddle, [heddle, "run", program, "1.0", str(int(signal.SIGINT))], make_environment(run.store))
    seen = b""
    while b"ready" not in seen:
        seen += os.read(terminal, 1000)
    os.write(terminal, b"\x03")
    try:
        while chunk := os.read(terminal, 1000):
            seen += chunk
    except OSError:  # the terminal's other side is closed
        pass
    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 4
    assert b"seen 1\r\n" in seen and b"heddle: profile: " in seen


def states_of_children(parent):
    fields = (path.read_text().rsplit(")", 1)[1].split() for path in Path("/proc").glob("[0-9]*/stat"))
    return [state for state, ppid, *_ in fields if int(ppid) == parent]


def test_stopped_job_can_be_continued(heddle, run, build_program):
    child = start(heddle, run, build_program(SIGNALLED), 0.5, process_group=0)
    assert child.stdout.readline() == "ready\n"
    os.killpg(child.pid, signal.SIGTSTP)
    _, status = os.waitpid(child.pid, os.WUNTRACED)
    assert os.WIFSTOPPED(status)
    time.sleep(0.2)
    assert states_of_children(child.pid) == ["T"]
    os.killpg(child.pid, signal.SIGCONT)
    output, said = child.communicate(timeout=60)
    assert child.returncode == 4 and output == "seen 0\n" and "heddle: profile: " in said


# ---- names and places ----


def test_default_name_is_program_and_pid_in_the_current_directory(run, build_program):
    program = build_program(REGION)
    assert run(program)[0] == 0
    assert re.fullmatch(re.escape(program.name) + r"\.\d+\.heddle", only_profile(run).name)
    assert stat.S_IMODE(only_profile(run).stat().st_mode) == 0o600
    assert list(run.store.iterdir()) == []


def test_name_is_expanded(run, build_program, export):
    program = build_program(REGION)
    assert run("-o", "a-%p-%n-%h-%%.heddle", program)[0] == 0
    exported = export(only_profile(run))["run"]
    assert only_profile(run).name == f"a-{exported['pid']}-{program.name}-{exported['host']}-%.heddle"


def test_existing_file_is_kept(run, build_program, export):
    (run.directory / "x.heddle").write_text("mine\n")
    for _ in range(2):
        assert run("-o", "x.heddle", build_program(REGION))[0] == 0
    assert profiles(run) == ["x.heddle", "x.heddle.1", "x.heddle.2"]
    assert (run.directory / "x.heddle").read_text() == "mine\n"
    assert region_of(export(run.directory / "x.heddle.2"))["visits"] == 1


def test_output_may_be_a_directory(run, build_program):
    (run.directory / "profiles").mkdir()
    assert run("-o", "profiles", build_program(REGION))[0] == 0
    assert len(list((run.directory / "profiles").glob("*.heddle"))) == 1


def test_program_that_changes_its_directory_is_saved_where_heddle_was_started(run, build_program):
    assert run("sh", "-c", f"cd / && {build_program(REGION)}")[0] == 0
    only_profile(run)


@pytest.mark.parametrize("place", ["/dev/null/x.heddle", "missing/x.heddle", "/proc/x.heddle"])
def test_unwritable_output_directory_keeps_the_profile_elsewhere(run, build_program, export, place):
    status, output, said = run("-o", place, build_program(REGION), 3)
    assert status == 3 and output == "threads 2\n"
    told = [line for line in said if "cannot write" in line]
    assert len(told) == 1 and place in told[0]
    assert region_of(export(told[0].split(" the profile is in ")[1].split()[0]))["visits"] == 1
    assert list(run.store.iterdir()) == []


@pytest.mark.parametrize("blocks", [100, 200, 264, 270, 280, 290, 300])
def test_file_size_limit_leaves_the_exit_status_alone(run, build_program, blocks):
    """Profiles, and the copies with names in them, that do not fit below the limit: in blocks of 512 bytes."""
    done = subprocess.run(["sh", "-c", f"ulimit -f {blocks}; {run.heddle} run -q {build_program(REGION)} 3"],
                          cwd=run.directory, capture_output=True, text=True, env=make_environment(run.store))
    assert done.returncode == 3 and done.stdout == "threads 2\n"


def test_file_that_is_no_profile_is_dropped(run):
    status, _, said = run("sh", "-c", "echo nothing >$HEDDLE_STORE_DIR/x.$$.live; exit 3")
    assert status == 3 and profiles(run) == [] and said[0].startswith("heddle: no profile: ")
    assert list(run.store.iterdir()) == []


LEFT = 'exec cp "$0" "$TMPDIR/x.1.live-${HEDDLE_STORE_DIR##*.}"'  # as who cannot use that directory


@pytest.mark.parametrize("descriptors", range(3, 14))
def test_few_descriptors_leave_no_folder_behind(heddle, run, build_program, descriptors):
    """Whether it can run the program then or not."""
    def limit():
        resource.setrlimit(resource.RLIMIT_NOFILE, (descriptors, descriptors))

    result = subprocess.run([heddle, "run", "-q", build_program(REGION)], env=make_environment(run.store),
                            cwd=run.directory, capture_output=True, text=True, preexec_fn=limit)
    assert result.returncode in (0, 125, 127) and (result.returncode == 0) == (profiles(run) != []), result.stderr
    assert list(run.store.iterdir()) == []


def test_profile_that_is_left_elsewhere_is_found(run, build_program, tmp_path):
    """What anybody may have put there leads to no other directory and does not fill the disk."""
    program = build_program(REGION)
    assert run("-q", program)[0] == 0
    data = only_profile(run).read_bytes()
    seal = data.rindex(b"SEAL", 0, 4096)
    data = data[:seal] + bytes(8) + data[seal + 8:]  # as while the program runs
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    left = tmp_path / "left"
    name = program.name.encode() + b"\0"
    left.write_bytes(data.replace(name, b"/" * (len(name) - 1) + b"\0", 1))
    for path in run.directory.iterdir():
        path.unlink()
    assert run("-q", "sh", "-c", LEFT, left, env={"TMPDIR": str(temporary)})[0] == 0
    assert list(temporary.iterdir()) == [] and only_profile(run).name.startswith("_" * (len(name) - 1))
    left.write_bytes(data[:40] + (1 << 20).to_bytes(4, "little") + data[44:])
    os.truncate(left, 1 << 32)
    assert run("-q", "sh", "-c", LEFT, left, env={"TMPDIR": str(temporary)})[0] == 0
    assert len(list(temporary.iterdir())) == 1 and only_profile(run).stat().st_size < 1 << 24


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
    assert run("-o", "x.heddle", "sh", "-c", f"{program}; {program}")[0] == 0
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


# ---- what is said ----


def test_summary_names_the_profile_and_is_short(run, build_program):
    _, _, said = run(build_program(REGION))
    assert said[0] == f"heddle: profile: {only_profile(run).name}"
    assert said[-1].endswith(f"heddle report {only_profile(run).name}")
    assert 3 <= len(said) <= 25


def test_quiet_says_nothing(run, build_program):
    assert run("-q", build_program(REGION)) == (0, "threads 2\n", [])
    only_profile(run)


def reason(run, *arguments, **more):
    """Why there is no profile: at most two lines, and the exit status is the program's."""
    status, _, said = run(*arguments, **more)
    assert status == 0 and profiles(run) == []
    assert 1 <= len(said) <= 2 and said[0].startswith("heddle: no profile: ")
    return "\n".join(said)


def test_reason_tools_switched_off(run, runtime, build_program):
    environment = {"OMP_TOOL": "disabled", **on(runtime)}
    assert "OMP_TOOL=disabled" in reason(run, build_program(REGION), env=environment)


def test_reason_libgomp_offers_gomp(run, build_program):
    text = reason(run, build_program(REGION, compiler="gcc"))
    assert "libgomp" in text and "heddle run --gomp -- " in text


def test_reason_no_runtime(run):
    assert "links no OpenMP runtime" in reason(run, "true")


@pytest.mark.parametrize("compiler", ["clang", "gcc"])
def test_reason_no_construct_ran(run, runtime, build_program, compiler):
    options = ["--gomp"] if compiler == "gcc" else []
    program = build_program(NO_CONSTRUCT, compiler=compiler)
    assert "ran no OpenMP construct" in reason(run, *options, program, env=on(runtime))


def test_reason_killed_before_the_first_construct(run, build_program):
    program = build_program("#include <signal.h>\n" + NO_CONSTRUCT.replace("return 0", "return raise(SIGKILL)"))
    status, _, said = run(program)
    assert status == 137 and len(said) == 1 and "signal 9" in said[0]


@pytest.mark.parametrize("flag", ["-static", "-static-pie"])
def test_reason_statically_linked(run, build_program, flag):
    assert "statically linked" in reason(run, build_program(REGION, compiler="gcc", flags=[flag]))


def test_reason_script_names_its_interpreter(run):
    script = run.directory / "script"
    script.write_text("#!/usr/bin/env -S python3 -B\n")
    script.chmod(0o755)
    assert "script for python3" in reason(run, "./script")
    script.write_text("#!/bin/sh -e\ntrue\n")
    assert "script for /bin/sh" in reason(run, "./script")


def test_reason_set_user_id(run, build_program):
    if os.geteuid() != 0:
        assert "set-user-id" in reason(run, "su", "--version")  # root's, on every Debian
        return
    program = run.directory / "changes-user"
    shutil.copy("/bin/true", program)
    os.chown(program, 65534, 65534)
    program.chmod(0o4755)
    assert "set-user-id" in reason(run, program)


def test_reason_tool_cannot_be_loaded(run, runtime, build_program):
    broken = run.directory / "broken.so"
    broken.write_text("no library\n")
    text = reason(run, "--library", broken, build_program(REGION), env=on(runtime))
    assert "could not load the tool" in text and "broken.so" in text


def test_reason_tool_declines(run, runtime, build_program):
    declines = build_program("void *ompt_start_tool(unsigned v, const char *r);\n"
                             "void *ompt_start_tool(unsigned v, const char *r) { (void)v; (void)r; return 0; }\n",
                             flags=["-shared", "-fPIC"])
    assert "did not take" in reason(run, "--library", declines, build_program(REGION), env=on(runtime))


def test_reason_tool_gives_up(run, runtime, build_program):
    """A file of 4 KiB is too small for a profile; the library says so itself."""
    program = build_program(REGION)
    status, output, said = run("sh", "-c", f"ulimit -f 8; {program}", env=on(runtime))
    assert status == 0 and output == "threads 2\n" and len(said) == 2
    assert "not measuring" in said[0] and "libheddle.so was loaded, but gave up" in said[1]


# ---- --gomp ----


def test_gomp_profiles_a_program_built_by_gcc(run, runtime, build_program, export):
    program = build_program(REGION, compiler="gcc")
    status, output, said = run("--gomp", program, 3, env=on(runtime))
    assert status == 3 and output == "threads 2\n" and any("heddle: profile: " in line for line in said)
    assert region_of(export(only_profile(run)))["visits"] == 1


def test_gomp_works_with_closed_descriptors(run, build_program):
    program = build_program(REGION, compiler="gcc")
    done = subprocess.run(["sh", "-c", f"exec 0<&- 1>&-; {run.heddle} run --gomp {program}"], cwd=run.directory,
                          stderr=subprocess.PIPE, text=True, env=make_environment(run.store))
    assert done.returncode == 0 and "heddle: profile: " in done.stderr


def test_libomp_that_is_none_is_refused(run, build_program):
    other_library = build_program("int nothing;\n", flags=["-shared", "-fPIC"])
    for name in ("/no/such/libomp.so", other_library):
        status, output, said = run("--gomp", "--libomp", name, "echo", "ran")
        assert (status, output, len(said)) == (125, "", 1) and "libomp" in said[0]


# ---- mistakes ----


@pytest.mark.parametrize("arguments", [["--qiuet", "echo"], ["-x", "echo"], ["-o"], [], ["--quiet"], ["-d", "-1", "echo"],
                                       ["-d", "two", "echo"], ["-o", "%x", "echo"], ["--gomp=1", "echo"]])
def test_wrong_command_line_gives_usage_and_2(run, arguments):
    status, output, said = run(*arguments)
    assert status == 2 and output == ""
    assert said[0].startswith("heddle run: ") and any(line.startswith("Usage: heddle run ") for line in said)


def test_help_lists_the_options(run):
    status, output, said = run("--help")
    assert status == 0 and said == []
    for option in ("--output", "--gomp", "--libomp", "--library", "--callpath-depth", "--quiet", "--help"):
        assert option in output


def test_missing_library_gives_125(run):
    assert run("--library", "/no/such/libheddle.so", "echo", "ran")[:2] == (125, "")
    status, output, said = run("echo", "ran", env={"HEDDLE_LIBRARY": "/no/such/libheddle.so"})
    assert status == 125 and output == "" and len(said) == 1 and "/no/such/libheddle.so" in said[0]


def test_callpath_depth_reaches_the_library(run, build_program):
    show = ["sh", "-c", "echo $HEDDLE_CALLPATH_DEPTH"]
    assert run("-d", "2", *show)[1] == "2\n"
    assert run(*show, env={"HEDDLE_CALLPATH_DEPTH": "7"})[1] == "7\n"
