# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`heddle recover`: whose profiles it saves, which it leaves alone, and what it never touches."""
import contextlib
import os
import pathlib
import re
import select
import signal
import socket
import stat
import subprocess

import pytest

from conftest import LIBRARY, clean_environment, environment_for, marks


@pytest.fixture
def store(tmp_path):
    """Where live files lie."""
    path = tmp_path / "store"
    path.mkdir()
    return path


@pytest.fixture
def recover(run_heddle, store, tmp_path):
    """recover(arguments...) in an empty directory: (status, lines on stdout, lines on stderr). Default: the store."""
    directory = tmp_path / "saved"
    directory.mkdir(exist_ok=True)

    def run(*arguments, of=None):
        result = run_heddle("recover", *arguments, *(of if of is not None else [store]), cwd=directory)
        return result.returncode, result.stdout.splitlines(), result.stderr.splitlines()

    run.directory = directory
    return run


@pytest.fixture
def start(build_program, store, heddle):
    """start(source, runtime=, under_run=, output=) -> the process, once it has said "running". All are killed at the end."""
    started = []

    def begin(source="endless.c", runtime=19, under_run=False, output=None):
        tool = {} if under_run else {"OMP_TOOL_LIBRARIES": str(LIBRARY)}
        tool.update({"HEDDLE_OUTPUT": str(output)} if output else {})
        (store.parent / "saved").mkdir(exist_ok=True)
        env = environment_for(runtime, 2, {**tool, "HEDDLE_STORE_DIR": str(store)})
        command = [heddle, "run", "-q"] if under_run else []
        process = subprocess.Popen([*command, build_program(source)], env=env, stdin=subprocess.PIPE, cwd=store.parent / "saved",
                                   stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, start_new_session=True)
        started.append(process)
        assert process.stdout.readline() == "running\n"
        return process

    yield begin
    for process in started:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)  # with its children, if any of them is left
        process.stdin.close()
        process.stdout.close()
        process.wait()


def kill(process):
    process.kill()
    process.wait()


def live_files(store):
    return sorted(store.glob("**/*.live*"))


def kill_writer(file):
    """The program behind a live file, of which this process is not the parent."""
    pid = int(file.name.split(".")[-2])
    descriptor = os.pidfd_open(pid)
    os.kill(pid, signal.SIGKILL)
    assert select.select([descriptor], [], [], 60)[0]
    os.close(descriptor)


@pytest.fixture
def killed(start, store):
    """The live file of a killed program."""
    process = start()
    kill(process)
    return live_files(store)[0]


def saved(recover):
    return sorted(recover.directory.iterdir())


def change_host(path):
    data = bytearray(path.read_bytes())
    name = socket.gethostname().encode()
    at = data.index(name + b"\0", 0, 4096)
    data[at:at + 1] = b"#"
    path.write_bytes(data)


# ---- what it saves ----


def test_profile_of_a_killed_program(start, store, recover, export, runtime):
    process = start(runtime=runtime)
    kill(process)
    file = live_files(store)[0]
    before = export(file)
    assert "'heddle recover' saves its profile" in " ".join(before["run"]["notes"])
    status, said, errors = recover()
    assert (status, len(said), errors) == (0, 1, [])
    path, = saved(recover)
    assert path.name == f"endless.{process.pid}.heddle" and said[0].startswith(f"{path}: ")
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert live_files(store) == []
    after = export(path)
    assert after["run"]["complete"] is False
    notes = " ".join(after["run"]["notes"])
    assert "was killed" in notes and "how long it continued is unknown" in notes
    assert after["program"]["elapsed_s"] == before["program"]["elapsed_s"]
    assert after.one(marks("endless.c")["region"], "parallel")["visits"] >= 10


def test_recovered_profile_has_checksums(killed, recover, run_heddle):
    """Its program had not come to that."""
    assert b"SEAL" not in killed.read_bytes()[:4096]
    assert recover()[0] == 0
    path, = saved(recover)
    data = bytearray(path.read_bytes())
    data[-100] ^= 1
    path.write_bytes(data)
    result = run_heddle("report", path)
    assert result.returncode == 1 and "is not the one that was saved (checksum)" in result.stderr


def test_profile_goes_where_it_was_to_go(killed, recover, run_heddle, tmp_path):
    """Wherever recover is run."""
    assert run_heddle("recover", killed, cwd=tmp_path).returncode == 0
    assert [path.name for path in saved(recover)] == [killed.name.replace(".live", ".heddle")]


def test_without_a_choice_it_only_lists(killed, store, run_heddle, recover):
    before = killed.read_bytes()
    result = run_heddle("recover", env={"HEDDLE_STORE_DIR": str(store)}, cwd=recover.directory)
    assert str(killed) in result.stdout and "'heddle recover --all' saves" in result.stdout
    assert killed.read_bytes() == before and saved(recover) == []
    assert run_heddle("recover", "--all", killed).returncode == 2 and killed.exists()


# The store is /dev/shm, and nothing else is in /tmp: --all must not find what other programs leave there. The command may
# be in /tmp itself: it is opened before.
ALONE = """exec 9<"$0" && mount --bind "$1" /mnt && mount -t tmpfs none /tmp && mkdir -p "$1" && mount --bind /mnt "$1" &&
           umount /mnt && mount --bind "$1/store" /dev/shm && cd "$1/saved" && exec /proc/self/fd/9 recover --all"""


@pytest.fixture
def recover_all(heddle, tmp_path):
    """recover_all() -> (status, sorted lines on stdout, stderr) of `heddle recover --all`, where the store is all there is."""
    env = {name: value for name, value in clean_environment().items() if name not in ("TMPDIR", "HEDDLE_STORE_DIR")}

    def run():
        result = subprocess.run(["unshare", "-m", "sh", "-c", ALONE, heddle, tmp_path], env=env, capture_output=True, text=True)
        return result.returncode, sorted(result.stdout.splitlines()), result.stderr

    return run


@pytest.mark.needs("root")
@pytest.mark.needs("own-mounts")
def test_all_that_were_killed_and_nobody_elses(start, store, recover, recover_all, export, tmp_path):
    (tmp_path / "wanted").mkdir()
    first, second = start(), start(output=tmp_path / "wanted" / "second.heddle")
    for process in (first, second):
        kill(process)
    kill(start(under_run=True))
    in_run, = store.glob("heddle.*/*.live")
    kill_writer(in_run)
    others = store / "endless.4711.live"
    others.write_bytes((store / f"endless.{first.pid}.live").read_bytes())
    os.chown(others, 65534, 65534)
    (store / "notes.4712.live").write_text("text\n")
    alive, under_run = start("until_told.c"), start("until_told.c", under_run=True)
    private, = store.glob("heddle.*/until_told.*.live")
    names = {tmp_path / "wanted" / "second.heddle", recover.directory / in_run.name.replace(".live", ".heddle"),
             recover.directory / f"endless.{first.pid}.heddle"}

    status, said, errors = recover_all()
    left = [f"/dev/shm/{private.parent.name}: still running under 'heddle run'; skipped",
            f"/dev/shm/until_told.{alive.pid}.live: until_told (pid {alive.pid}) still runs; skipped"]
    assert (status, errors) == (0, "") and sorted(line for line in said if "skipped" in line) == left
    assert {pathlib.Path(line.split(": ")[0]) for line in said if line not in left} == names
    assert set(saved(recover)) | set((tmp_path / "wanted").iterdir()) == names
    for loaded in map(export, names):
        assert loaded["run"]["complete"] is False and loaded.one(marks("endless.c")["region"], "parallel")["visits"] >= 10
    assert not in_run.parent.exists() and private.exists()
    files = {path.name for path in store.iterdir() if path.is_file()}
    assert files == {others.name, "notes.4712.live", f"until_told.{alive.pid}.live"}

    assert recover_all() == (0, left, "")  # once is enough
    for process in (alive, under_run):
        process.stdin.close()
        assert process.stdout.read() == "done\n" and process.wait() == 0
    assert [export(path)["run"]["complete"] for path in set(saved(recover)) - names] == [True, True]


def test_dead_program_of_a_heddle_run_that_goes_on_elsewhere(start, store, recover):
    """As of a program that could not use the private directory: named or not, its heddle run will save it."""
    start(under_run=True)
    live = live_files(store)[0]
    copy = store / f"{live.name}-{live.parent.name.split('.')[-1]}"
    copy.write_bytes(live.read_bytes()[:1 << 22])
    for of in ([copy], [store]):
        _, said, _ = recover(of=of)
        assert any(line.startswith(f"{copy}: still running under 'heddle run'") for line in said), said
    assert copy.exists() and saved(recover) == []


def test_file_that_is_named(killed, recover):
    status, said, errors = recover("-o", "here.heddle", of=[killed])
    assert (status, len(said), errors) == (0, 1, [])
    assert [path.name for path in saved(recover)] == ["here.heddle"] and not killed.exists()


def test_profiles_of_a_killed_heddle_run_and_its_killed_program(start, store, recover, export):
    kill(start(under_run=True))
    kill_writer(live_files(store)[0])
    status, said, errors = recover()
    assert (status, len(said), errors) == (0, 1, [])
    assert export(saved(recover)[0])["run"]["complete"] is False
    assert list(store.iterdir()) == []


def test_program_that_outlives_heddle_run_saves_its_profile_itself(start, store, recover, export):
    process = start("until_told.c", under_run=True)
    kill(process)
    file, = live_files(store)
    assert recover()[1][0].endswith("still runs; skipped") and file.exists()
    process.stdin.close()
    assert process.stdout.read() == "done\n"  # until all who could write to it are gone
    path, = (store.parent / "saved").glob("*.heddle")
    assert export(path)["run"]["complete"] is True
    assert recover() == (0, ["nothing to recover: no killed program left a profile"], [])
    assert list(store.iterdir()) == [] and saved(recover) == [path]


def test_parent_that_was_killed_although_its_child_has_its_memory(start, store, recover):
    process = start("until_told_by_child.c")
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    status, said, _ = recover()
    assert status == 0 and len(saved(recover)) == 1, said
    process.stdin.close()
    assert process.stdout.read() == "done\n"


def test_number_that_another_process_has_by_now(killed, recover):
    file = killed.rename(killed.with_name(f"endless.{os.getpid()}.live"))
    assert recover()[0] == 0
    assert len(saved(recover)) == 1 and not file.exists()


def test_two_files_of_one_number(killed, recover):
    killed.with_name(killed.name + ".5f3e").write_bytes(killed.read_bytes())
    status, said, _ = recover()
    assert status == 0 and len(said) == 2
    first, second = saved(recover)
    assert second.name == first.name + ".1"


@pytest.mark.parametrize("zeros, size", [(4096, 4096), (0, 1 << 28), (65536, 1 << 28)])
def test_blank_file_is_removed(store, recover, zeros, size):
    """A live file before anything is written to it: some zeros, the rest is a hole."""
    file = store / "app.99999999.live"
    file.write_bytes(bytes(zeros))
    os.truncate(file, size)
    status, said, _ = recover()
    assert status == 0 and said[0].endswith("removed") and not file.exists() and saved(recover) == []


# ---- what it leaves alone ----


def test_running_program(start, store, recover, export):
    start()
    file, = live_files(store)
    status, said, errors = recover()
    assert (status, errors) == (0, []) and said == [f"{file}: endless (pid {file.name.split('.')[1]}) still runs; skipped"]
    status, said, errors = recover(of=[file])
    assert status == 1 and said[0].endswith("skipped")
    assert file.exists() and saved(recover) == []
    assert export(file)["run"]["notes"]  # it is still read


def test_heddle_run_that_goes_on(start, store, recover):
    start(under_run=True)
    private = live_files(store)[0].parent
    assert recover() == (0, [f"{private}: still running under 'heddle run'; skipped"], [])
    assert live_files(store) and saved(recover) == []


def test_list_changes_nothing(killed, recover, store):
    before = killed.read_bytes()
    status, said, errors = recover("--list")
    assert (status, len(said), errors) == (0, 1, []) and said[0].startswith(f"{killed}: ")
    assert killed.read_bytes() == before and list(store.iterdir()) == [killed] and saved(recover) == []


def test_nothing(store, recover):
    assert recover() == (0, ["nothing to recover: no killed program left a profile"], [])


@pytest.mark.needs("root")
def test_file_of_another_user(killed, recover):
    os.chown(killed, 65534, 65534)
    assert recover() == (0, ["nothing to recover: no killed program left a profile"], [])
    assert recover(of=[killed])[0] == 1
    assert killed.exists() and saved(recover) == []


def test_file_of_another_host_only_when_it_is_named(killed, recover):
    change_host(killed)
    status, said, _ = recover()
    assert status == 0 and re.search(r"made on #.*; skipped", said[0]) and killed.exists()
    assert recover(of=[killed])[0] == 0
    assert len(saved(recover)) == 1 and not killed.exists()


def test_links_are_not_followed(killed, store, recover, tmp_path):
    elsewhere = killed.rename(tmp_path / "elsewhere.1.live")
    link = store / "app.7.live"
    link.symlink_to(elsewhere)
    (store / "heddle.abcdef").symlink_to(tmp_path)
    status, said, _ = recover()
    assert status == 0 and said[0].startswith("nothing")
    assert recover(of=[link])[0] == 1
    assert elsewhere.exists() and link.is_symlink() and saved(recover) == []


@pytest.mark.parametrize("content", [b"", b"text\n", bytes(4096) + b"text\n"])
def test_other_files_of_such_a_name(store, recover, content):
    file = store / "app.99999999.live"
    file.write_bytes(content)
    assert recover()[1][0].startswith("nothing")
    assert file.read_bytes() == content


def test_other_directories_of_such_a_name(store, recover, killed):
    private = store / "heddle.abcdef"
    private.mkdir(mode=0o700)
    (private / "kept").write_text("mine")
    killed.rename(private / killed.name)
    assert recover()[1][0].startswith("nothing")
    assert sorted(path.name for path in private.iterdir()) == sorted(["kept", killed.name])


def test_damaged_profile_stays(killed, recover):
    data = killed.read_bytes()
    killed.write_bytes(data[:4096] + bytes(4096) + data[8192:])
    status, said, errors = recover()
    assert status == 1 and said == [] and len(errors) == 1 and str(killed) in errors[0]
    assert killed.exists() and saved(recover) == []


def test_saved_profile_needs_no_recovery(killed, recover):
    path = killed.rename(killed.with_name("app.heddle"))
    status, said, errors = recover(of=[path])
    assert status == 1 and said == [] and f"heddle report {path}" in errors[-1]
    assert path.exists()


@pytest.mark.parametrize("missing", ["/no/such/app.5.live", "/no/such/app.heddle", "/no/such/"])
def test_file_that_is_not_there(recover, missing):
    assert recover(of=[missing]) == (1, [], [f"heddle: {missing}: No such file or directory"])


# ---- where it writes ----


def test_nothing_is_overwritten_and_no_link_followed(killed, recover):
    name = killed.name.replace(".live", ".heddle")
    victim = recover.directory.parent / "victim"
    victim.write_text("mine\n")
    (recover.directory / name).symlink_to(victim)
    (recover.directory / (name + ".1")).write_text("mine, too\n")
    assert recover()[0] == 0
    assert victim.read_text() == "mine\n" and (recover.directory / (name + ".1")).read_text() == "mine, too\n"
    assert (recover.directory / (name + ".2")).stat().st_size > 4096


def test_place_that_cannot_be_written_keeps_the_file(killed, recover):
    status, said, errors = recover("-o", "/proc/no/such/%n.heddle")
    assert status == 1 and said == [] and len(errors) == 1
    assert "/proc/no/such/endless.heddle" in errors[0] and str(killed) in errors[0]
    assert killed.exists()


@pytest.mark.parametrize("arguments", [["-o", "%x"], ["--lits"], ["-o"]])
def test_wrong_options(recover, arguments):
    assert recover(*arguments, of=[])[0] == 2
