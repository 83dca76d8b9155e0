# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`heddle run`: what the program must not notice, signals, and where its profile goes."""
import contextlib
import os
import pty
import re
import resource
import signal
import stat
import subprocess
from pathlib import Path

import pytest

from run_program import REGION, SIGNALLED, make_environment, only_profile, profiles, region_of, start
from scale_program import wait_until


# ---- what the program must not notice ----


@pytest.mark.parametrize("status", [0, 3, 200])
def test_exit_status_is_the_programs(run, run_heddle, build_program, export, status):
    assert run(build_program(REGION), status)[0] == status
    loaded = export(only_profile(run))["run"]
    assert loaded["exit"] == status and loaded["signal"] is None
    assert f", exit status {status}\n" in run_heddle("report", "-v", only_profile(run)).stdout


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
    child = start(heddle, run, build_program(SIGNALLED), 600)
    assert child.stdout.readline() == "ready\n"
    child.send_signal(signal.SIGTERM)
    _, said = child.communicate(timeout=60)
    assert child.returncode == 128 + signal.SIGTERM and "heddle: profile: " in said
    exported = export(only_profile(run))
    assert exported["run"]["exit"] == 143 and exported["run"]["complete"] is False


@pytest.mark.needs("terminal")
def test_interrupt_from_the_terminal_reaches_the_program_once(heddle, run, build_program):
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
    found = []
    for path in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(FileNotFoundError, ProcessLookupError):  # it has ended meanwhile
            state, ppid, *_ = path.read_text().rsplit(")", 1)[1].split()
            found += [state] * (int(ppid) == parent)
    return found


def test_stopped_job_can_be_continued(heddle, run, build_program):
    child = start(heddle, run, build_program(SIGNALLED), 0.5, process_group=0)
    assert child.stdout.readline() == "ready\n"
    os.killpg(child.pid, signal.SIGTSTP)
    _, status = os.waitpid(child.pid, os.WUNTRACED)
    assert os.WIFSTOPPED(status)
    wait_until(lambda: states_of_children(child.pid) == ["T"], "the program was not stopped")
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
