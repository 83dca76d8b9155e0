# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs that have, or leave themselves, less than usual: descriptors, limits, users, directories, disk space. With
Heddle they do what they do without it, and the profile is whole, or is where a line on standard error says, or is
missing for a reason that a line gives."""
import os
import pathlib
import re
import shutil
import stat
import subprocess

import pytest

from conftest import LIBRARY, TIMEOUT_S, environment_for, libomp_folder, marks

SOURCE = "host_resources.c"
REGIONS, THREADS = 90, 420
STAYS = re.compile(r"^heddle: cannot write (.*): (.*); the profile stays in (.*)$", re.M)
DECLINES = re.compile(r"^heddle: not measuring: .+$", re.M)


@pytest.fixture
def places(tmp_path):
    """Directories of the test's own for live files, for profiles, and to work in; other users may come here."""
    found = {name: tmp_path / name for name in ("store", "output", "work")}
    for place in found.values():
        place.mkdir()
        place.chmod(0o777)
    for parent in tmp_path.parents:
        if parent.stat().st_uid == os.getuid() and parent.name.startswith("pytest"):
            parent.chmod(0o755)
    tmp_path.chmod(0o755)
    return found


class Pair:
    """A program that did the same without and with Heddle."""

    def __init__(self, plain, result, places):
        ours = [line for line in result.stderr.splitlines(keepends=True) if line.startswith("heddle: ")]
        others = [line for line in result.stderr.splitlines(keepends=True) if line not in ours]
        assert (result.returncode, result.stdout, "".join(others)) == (plain.returncode, plain.stdout, plain.stderr)
        self.status, self.said = result.returncode, "".join(ours)
        self.live = sorted(places["store"].rglob("*.live"))
        self.saved = sorted(path for path in places["output"].rglob("*") if path.is_file())
        for path in self.live + self.saved:
            assert stat.S_IMODE(path.stat().st_mode) == 0o600

    def kept(self):
        """The only profile there is, and a line says that it is not where it should be."""
        stays = STAYS.search(self.said)
        assert stays and self.said == stays.group(0) + "\n"
        assert self.live == [pathlib.Path(stays.group(3))] and not self.saved
        return self.live[0]

    def only(self):
        """The profile that was saved; nothing else is left and nothing was said."""
        assert len(self.saved) == 1 and not self.live and self.said == "", (self.saved, self.live, self.said)
        return self.saved[0]


@pytest.fixture
def both(build_program, heddle, places):
    """both(arguments..., under_run=, before=, flags=) -> Pair; alone means with OMP_TOOL_LIBRARIES only; `before` begins
    the program's command line."""

    def run(*arguments, under_run=False, before=(), runtime=19, env=None, change=None, flags=()):
        program = build_program(SOURCE, flags=flags)
        if change:
            program = change(program)
        plain_env = environment_for(runtime, 2, {"OMP_WAIT_POLICY": "passive"})
        env = {**plain_env, "HEDDLE_OUTPUT": str(places["output"] / "p.heddle"), "HEDDLE_STORE_DIR": str(places["store"]),
               **({} if under_run else {"OMP_TOOL_LIBRARIES": str(LIBRARY)}), **(env or {})}
        command = [*before, program, *map(str, arguments)]
        command_with = [heddle, "run", "-q", "--", *command] if under_run else command
        ends = [subprocess.run(one, env=its, capture_output=True, text=True, timeout=TIMEOUT_S, cwd=places["work"])
                for one, its in ((command, plain_env), (command_with, env))]
        return Pair(*ends, places)

    return run


def assert_whole(loaded):
    """Nothing is missing in a profile of host_resources.c; its first region may be one of 8 and one of 2 threads."""
    region = marks(SOURCE)["region"]
    assert loaded["run"]["complete"] is True
    assert loaded.visits(region, "parallel") in (REGIONS + 1, REGIONS + 2)
    assert not [note for note in loaded["run"]["notes"] if "space" in note]


either_way = pytest.mark.parametrize("under_run", [False, True], ids=["alone", "run"])


# ---- what the program takes from itself ----

UNHINDERED = {
    "new privileges": ["privileges"],
    "permissions of new files": ["permissions"],
    "address space": ["address space", 64 << 20],
    "data": ["data", 64 << 20],
    "stack": ["stack", 1 << 20],
    "locked memory": ["locked memory", 64 << 10],
}
DESCRIPTORS = {"all of its own": ["descriptors"], "free": ["free descriptors"], "allowed": ["open files", 3]}


@either_way
@pytest.mark.parametrize("what", UNHINDERED)
def test_profile_is_saved_without(both, export, what, under_run):
    assert_whole(export(both(*UNHINDERED[what], under_run=under_run).only()))


@pytest.mark.parametrize("which", DESCRIPTORS)
@pytest.mark.parametrize("version", [14, 19])  # 16 ends such a program itself: Assertion failure at kmp_runtime.cpp(6918)
def test_profile_is_whole_without_descriptors(both, export, version, which):
    assert_whole(export(both(*DESCRIPTORS[which], runtime=version).kept()))


@pytest.mark.parametrize("which", DESCRIPTORS)
def test_profile_is_saved_for_a_program_without_descriptors(both, export, which):
    assert_whole(export(both(*DESCRIPTORS[which], under_run=True).only()))


def test_next_descriptor_has_the_same_number(both):
    assert both("next descriptor").status == 3


def test_missing_streams_stay_missing(both):
    pair = both("next descriptor", before=["sh", "-c", 'exec "$0" "$@" <&- >&- 2>&-'])
    assert pair.status == 0
    pair.only()


def test_nothing_is_said_into_the_programs_own_file(both, places):
    file = places["work"] / "data"
    pair = both("stderr", file, env={"HEDDLE_OUTPUT": str(places["output"] / "missing" / "p.heddle")})
    assert file.read_text() == "data\n"
    assert pair.live and not pair.saved


def test_program_leaves_and_removes_its_directory(both, export, places):
    def gone():
        place = places["work"] / "gone"
        place.mkdir(exist_ok=True)
        return place

    enter = ["sh", "-c", 'mkdir -p "$0" && cd "$0" && exec "$@"', gone()]
    assert_whole(export(both("directory", gone(), before=enter).only()))


@either_way
def test_lower_limit_on_file_sizes(both, export, under_run):
    """What is mapped may grow all the same; a write beyond the limit would end the program by SIGXFSZ."""
    pair = both("file size", 4096, under_run=under_run)
    assert_whole(export(pair.only() if under_run else pair.kept()))


@pytest.mark.skipif(os.getuid() != 0, reason="only root may")
class TestAsRoot:
    @either_way
    def test_program_gives_up_its_user(self, both, export, under_run):
        pair = both("user", under_run=under_run)
        assert_whole(export(pair.only()))

    @either_way
    def test_program_changes_its_root(self, both, export, places, under_run):
        jail = places["work"] / "jail"
        jail.mkdir()
        pair = both("root", jail, under_run=under_run)
        assert_whole(export(pair.only() if under_run else pair.kept()))
        assert list(jail.iterdir()) == []

    def test_set_user_id_program_is_not_measured(self, both, places):
        """It takes no settings from who starts it, and leaves no files where that one says."""

        def make_set_user_id(program):
            copy = places["work"] / "set_user_id"
            shutil.copy(program, copy)
            os.chown(copy, 65534, 65534)
            copy.chmod(0o4755)
            return copy

        pair = both("", change=make_set_user_id, flags=(f"-Wl,-rpath,{libomp_folder(19)}",))
        assert not pair.live and not pair.saved
        assert DECLINES.fullmatch(pair.said.strip()) and "set-user-id" in pair.said
        assert [path.name for path in places["work"].iterdir()] == ["set_user_id"]


# ---- disks ----


def on_small_disk(place, kib):
    """The command after it sees an empty disk of that size, of its own, at `place`."""
    mount = f'mount -t tmpfs -o size={kib}k,mode=1777 none "$0" && exec "$@"'
    return ["unshare", "-m", "sh", "-c", mount, place]


@pytest.mark.skipif(os.getuid() != 0, reason="only root may mount")
class TestDisks:
    @pytest.mark.parametrize("kib", [4, 64, 120])
    def test_no_room_for_live_file(self, both, export, places, kib):
        """Another place is taken."""
        assert_whole(export(both(before=on_small_disk(places["store"], kib)).only()))

    @pytest.mark.parametrize("kib", [200, 320])
    def test_little_room_for_live_file(self, both, export, places, kib):
        loaded = export(both(before=on_small_disk(places["store"], kib)).only())
        assert [note for note in loaded["run"]["notes"] if "space" in note]
        assert loaded["run"]["complete"] is True

    def test_others_fill_the_disk(self, both, export, places):
        """What was reserved is Heddle's."""
        loaded = export(both("disk", places["store"] / "large", before=on_small_disk(places["store"], 4096)).only())
        assert [note for note in loaded["run"]["notes"] if "space" in note]
        assert loaded.visits(marks(SOURCE)["region"], "parallel") <= REGIONS + 1

    def test_no_room_for_profile(self, both, export, places):
        assert_whole(export(both(before=on_small_disk(places["output"], 64)).kept()))

    def test_output_cannot_be_written(self, both, export, places):
        bind = 'mount --bind "$0" "$0" && mount -o remount,ro,bind "$0" && exec "$@"'
        before = ["unshare", "-m", "sh", "-c", bind, places["output"]]
        assert_whole(export(both(before=before).kept()))

    @pytest.mark.parametrize("mount", [
        "mount -t tmpfs -o size=64k none /dev/shm",
        "mount -t tmpfs -o ro none /dev/shm",
        "mount -t tmpfs none . && touch null && mount --bind /dev/null null && mount --rbind . /dev",
    ], ids=["small", "read-only", "absent"])
    def test_dev_shm_is_of_no_use(self, both, export, mount, tmp_path):
        """The temporary directory is taken."""
        temporary = tmp_path / "temporary"
        temporary.mkdir()
        pair = both(before=["unshare", "-m", "sh", "-c", f'{mount} && exec "$@"', "sh"],
                    env={"HEDDLE_STORE_DIR": "", "TMPDIR": str(temporary)})
        assert_whole(export(pair.only()))
        assert list(temporary.iterdir()) == []

    def test_no_place_at_all(self, both):
        small = "".join(f"mount -t tmpfs -o size=64k none {place} && " for place in ("/dev/shm", "/tmp"))
        pair = both(before=["unshare", "-m", "sh", "-c", f'exec 9<"$1" && {small} exec /proc/self/fd/9', "sh"],
                    env={"HEDDLE_STORE_DIR": ""})
        assert DECLINES.fullmatch(pair.said.strip()) and not pair.saved


def test_output_directory_is_missing(both, export, places):
    assert_whole(export(both(env={"HEDDLE_OUTPUT": str(places["output"] / "missing" / "p.heddle")}).kept()))
