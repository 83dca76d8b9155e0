# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs that have, or leave themselves, less than usual: descriptors, limits, users, directories, disk space. With
Heddle they do what they do without it, and the profile is whole, or is where a line on standard error says, or is
missing for a reason that a line gives."""
import contextlib
import os
import pathlib
import shutil
import subprocess

import pytest

from conftest import environment_for, libomp_folder, marks
from host_program import DECLINES, either_way

SOURCE = "host_resources.c"
REGIONS, THREADS = 90, 420


def what_lacked_room(loaded):
    return [note for note in loaded["run"]["notes"] if "space" in note or "could not grow" in note]


def assert_whole(loaded):
    """Nothing is missing in a profile of host_resources.c; its first region may be one of 8 and one of 2 threads."""
    region = marks(SOURCE)["region"]
    assert loaded["run"]["complete"] is True
    assert loaded.visits(region, "parallel") in (REGIONS + 1, REGIONS + 2)
    assert not what_lacked_room(loaded)


# ---- what the program takes from itself ----

UNHINDERED = {
    "all descriptors": ["descriptors"],
    "new privileges": ["privileges"],
    "permissions of new files": ["permissions"],
    "address space": ["address space", 64 << 20],
    "data": ["data", 64 << 20],
    "stack": ["stack", 1 << 20],
    "locked memory": ["locked memory", 64 << 10],
}
DESCRIPTORS = {"free": ["free descriptors"], "allowed": ["open files", 3]}


@either_way
@pytest.mark.parametrize("what", UNHINDERED)
def test_profile_is_saved_without(both, export, what, under_run):
    assert_whole(export(both(SOURCE, *UNHINDERED[what], under_run=under_run).only()))


@pytest.mark.parametrize("which", DESCRIPTORS)
@pytest.mark.parametrize("version", [14, 19])  # 16 ends such a program itself: Assertion failure at kmp_runtime.cpp(6918)
def test_profile_is_whole_without_descriptors(both, export, version, which):
    assert_whole(export(both(SOURCE, *DESCRIPTORS[which], runtime=version).kept()))


@pytest.mark.parametrize("which", DESCRIPTORS)
def test_profile_is_saved_for_a_program_without_descriptors(both, export, which):
    assert_whole(export(both(SOURCE, *DESCRIPTORS[which], under_run=True).only()))


def test_next_descriptor_has_the_same_number(both):
    assert both(SOURCE, "next descriptor").status == 3


def test_missing_streams_stay_missing(both):
    pair = both(SOURCE, "next descriptor", before=["sh", "-c", 'exec "$0" "$@" <&- >&- 2>&-'])
    assert pair.status == 0
    pair.only()


def test_nothing_is_said_into_the_programs_own_file(both, places):
    file = places["work"] / "data"
    pair = both(SOURCE, "stderr", file, env={"HEDDLE_OUTPUT": str(places["output"] / "missing" / "p.heddle")})
    assert file.read_text() == "data\n"
    assert list(places["work"].glob("*.heddle")) and not pair.saved


@pytest.fixture
def gone(places):
    """A directory, and what begins the command line of a program that is in it."""
    place = places["work"] / "gone"
    place.mkdir()
    return place, ["sh", "-c", 'mkdir -p "$0" && cd "$0" && exec "$@"', place]


def test_program_leaves_and_removes_its_directory(both, export, gone):
    assert_whole(export(both(SOURCE, "directory", gone[0], before=gone[1]).only()))


def test_directory_is_gone_from_the_start(both, export, gone, tmp_path):
    """A relative name leads nowhere then."""
    enter = [*gone[1], "sh", "-c", 'rmdir "$0" && exec "$@"', gone[0]]
    pair = both(SOURCE, before=enter, env={"HEDDLE_OUTPUT": "p.heddle", "TMPDIR": str(tmp_path)})
    assert_whole(export(pair.instead(tmp_path)))


@either_way
def test_lower_limit_on_file_sizes(both, export, under_run):
    """What is mapped may grow all the same; a write beyond the limit would end the program by SIGXFSZ."""
    pair = both(SOURCE, "file size", 4096, under_run=under_run)
    assert_whole(export(pair.only() if under_run else pair.kept()))


@pytest.mark.needs("root")
class TestAsRoot:
    @either_way
    def test_program_gives_up_its_user(self, both, export, under_run):
        pair = both(SOURCE, "user", under_run=under_run)
        assert_whole(export(pair.only()))

    @pytest.mark.parametrize("mode", [0o777, 0o755])
    def test_program_gives_up_its_user_before_its_first_construct(self, both, export, places, mode):
        """Then it cannot use the private directory of `heddle run`, and perhaps not write the profile."""
        places["output"].chmod(mode)
        pair = both(SOURCE, "user", "", "first", under_run=True)
        assert_whole(export(pair.saved[0]))
        stays, saved = pair.said.splitlines()
        live = stays.rpartition(" the profile stays in ")[2]
        assert saved == f"heddle: saved {live} as {pair.saved[0]}" and not pathlib.Path(live).exists()
        assert export(pair.saved[0])["run"]["exit"] == 3

    @pytest.mark.parametrize("mode", [0o777, 0o755])
    def test_user_may_not_write_profile(self, both, export, places, mode):
        places["output"].chmod(0o755)
        places["work"].chmod(mode)
        temporary = places["store"].parent / "temporary"
        temporary.mkdir()
        temporary.chmod(0o777)
        pair = both(SOURCE, "user", "", "first", env={"TMPDIR": str(temporary)})
        assert_whole(export(pair.instead(places["work"] if mode == 0o777 else temporary)))

    @either_way
    def test_program_changes_its_root(self, both, export, places, under_run):
        jail = places["work"] / "jail"
        jail.mkdir()
        pair = both(SOURCE, "root", jail, under_run=under_run)
        assert_whole(export(pair.only() if under_run else pair.kept()))
        assert list(jail.iterdir()) == []

    def test_set_user_id_program_is_not_measured(self, both, places, for_anybody):
        """It takes no settings from who starts it, and leaves no files where that one says."""

        def make_set_user_id(program):
            copy = places["work"] / "set_user_id"
            shutil.copy(program, copy)
            os.chown(copy, 65534, 65534)
            copy.chmod(0o4755)
            return copy

        libomp = for_anybody(libomp_folder(19) / "libomp.so.5")
        pair = both(SOURCE, "", change=make_set_user_id, flags=(f"-Wl,-rpath,{libomp.parent}",))
        assert not pair.live and not pair.saved
        assert DECLINES.fullmatch(pair.said.strip()) and "set-user-id" in pair.said
        assert [path.name for path in places["work"].iterdir()] == ["set_user_id"]


# ---- disks ----


def on_small_disk(place, kib):
    """The command after it sees an empty disk of that size, of its own, at `place`."""
    mount = f'mount -t tmpfs -o size={kib}k,mode=1777 none "$0" && exec "$@"'
    return ["unshare", "-m", "sh", "-c", mount, place]


@pytest.mark.needs("own-mounts")
class TestDisks:
    @pytest.mark.parametrize("kib", [4, 64, 120])
    def test_no_room_for_live_file(self, both, export, places, kib):
        """Another place is taken."""
        assert_whole(export(both(SOURCE, before=on_small_disk(places["store"], kib)).only()))

    @pytest.mark.parametrize("kib", [200, 240])
    def test_little_room_for_live_file(self, both, export, places, kib):
        loaded = export(both(SOURCE, before=on_small_disk(places["store"], kib)).only())
        assert what_lacked_room(loaded)
        assert loaded["run"]["complete"] is True

    def test_others_fill_the_disk(self, both, export, places):
        """What was reserved is Heddle's."""
        loaded = export(both(SOURCE, "disk", places["store"] / "large", before=on_small_disk(places["store"], 4096)).only())
        assert what_lacked_room(loaded)
        assert loaded.visits(marks(SOURCE)["region"], "parallel") <= REGIONS + 1

    def test_no_room_for_profile(self, both, export, places):
        assert_whole(export(both(SOURCE, before=on_small_disk(places["output"], 64)).instead(places["work"])))

    def test_output_cannot_be_written(self, both, export, places):
        bind = 'mount --bind "$0" "$0" && mount -o remount,ro,bind "$0" && exec "$@"'
        before = ["unshare", "-m", "sh", "-c", bind, places["output"]]
        assert_whole(export(both(SOURCE, before=before).instead(places["work"])))

    @pytest.mark.parametrize("mount", [
        "mount -t tmpfs -o size=64k none /dev/shm",
        "mount -t tmpfs -o ro none /dev/shm",
        "mount -t tmpfs none . && touch null && mount --bind /dev/null null && mount --rbind . /dev",
    ], ids=["small", "read-only", "absent"])
    def test_dev_shm_is_of_no_use(self, both, export, mount, tmp_path):
        """The temporary directory is taken."""
        temporary = tmp_path / "temporary"
        temporary.mkdir()
        pair = both(SOURCE, before=["unshare", "-m", "sh", "-c", f'{mount} && exec "$@"', "sh"],
                    env={"HEDDLE_STORE_DIR": "", "TMPDIR": str(temporary)})
        assert_whole(export(pair.only()))
        assert list(temporary.iterdir()) == []

    SMALL = "".join(f"mount -t tmpfs -o size=64k none {place} && " for place in ("/dev/shm", "/tmp"))

    def test_no_place_at_all(self, both):
        before = ["unshare", "-m", "sh", "-c", f'exec 9<"$1" && {self.SMALL} exec /proc/self/fd/9', "sh"]
        pair = both(SOURCE, before=before, env={"HEDDLE_STORE_DIR": ""})
        assert DECLINES.fullmatch(pair.said.strip()) and not pair.saved

    def test_no_place_but_the_output_directory(self, both, export, places):
        script = f'exec 9<"$1" && mount --bind "$0" /mnt && {self.SMALL} exec /proc/self/fd/9'
        pair = both(SOURCE, before=["unshare", "-m", "sh", "-c", script, places["output"]],
                    env={"HEDDLE_STORE_DIR": "", "HEDDLE_OUTPUT": "/mnt/p.heddle"})
        assert_whole(export(pair.only()))


@pytest.mark.needs("own-mounts")
def test_nobody_has_mounted_proc(build_program, heddle, export, tmp_path):
    """As in a chroot: heddle, its library and the program's names are found by what was executed."""
    command = [heddle, "run", "-o", tmp_path / "p.heddle", "--", build_program(SOURCE)]
    result = subprocess.run(["unshare", "-m", "sh", "-c", 'mount -t tmpfs none /proc && exec "$@"', "sh", *command],
                            env=environment_for(19, 2, {}), capture_output=True, text=True, cwd=tmp_path)
    assert "heddle: profile: " in result.stderr, result.stderr
    loaded = export(tmp_path / "p.heddle")
    assert_whole(loaded)
    assert loaded["run"]["program"] == command[-1].name and loaded["run"]["exit"] == result.returncode


def test_output_directory_is_missing(both, export, places):
    missing = places["output"] / "missing"
    pair = both(SOURCE, env={"HEDDLE_OUTPUT": str(missing / "p.heddle")})
    assert_whole(export(pair.instead(places["work"])))


@either_way
@pytest.mark.parametrize("ending", ["", "/"])
def test_output_is_a_directory(both, export, places, under_run, ending):
    pair = both(SOURCE, env={"HEDDLE_OUTPUT": str(places["output"]) + ending}, under_run=under_run)
    assert_whole(export(pair.only()))
    assert pair.saved[0].parent == places["output"] and pair.saved[0].name.endswith(".heddle")


def test_output_is_a_device(both, export, places):
    """No files beside it. (`heddle run` refuses such a name: test_run_says.py.)"""
    pair = both(SOURCE, env={"HEDDLE_OUTPUT": "/dev/null"}, under_run=False)
    assert_whole(export(pair.instead(places["work"])))


# ---- the C library says no ----


@pytest.fixture
def failing(both, build_program, places):
    """failing(first, last) -> (Pair, requests made): these of Heddle's requests fail."""
    shim = build_program("failing.c", "gcc", ("-shared", "-fPIC", "-fno-openmp"))
    count = places["work"] / "count"

    def run(first, last):
        for place in (places["store"], places["output"]):
            for file in place.iterdir():
                file.unlink()
        pair = both(SOURCE, env={"LD_PRELOAD": str(shim), "FAIL_FROM": str(first), "FAIL_TO": str(last),
                                 "FAIL_COUNT": str(count)})
        return pair, int(count.read_text())

    yield run
    remove_empty_files_of_the_dead()


def remove_empty_files_of_the_dead():
    """Who may not even remove a file leaves it. Without the program's name it is "program"."""
    for name in ("host_resources", "program"):
        for file in pathlib.Path("/dev/shm").glob(f"{name}.*.live*"):
            pid = file.name.split(".")[1]
            with contextlib.suppress(FileNotFoundError):  # another test did it
                if file.stat().st_size == 0 and not os.path.exists(f"/proc/{pid}"):
                    file.unlink()


def test_any_failed_request_leaves_a_profile_or_a_reason(failing, export):
    pair, requests = failing(0, 0)
    assert_whole(export(pair.only()))
    assert requests > 100
    told = 0
    for number in range(1, requests + 1, 7):
        pair, _ = failing(number, number)
        told += pair.said != ""
        assert pair.saved or pair.said, number
        for path in pair.saved + pair.live:
            export(path)
    assert told > 0


@pytest.mark.parametrize("first", [1, 20, 60, 100, 140, 180, 220])
def test_all_later_requests_fail(failing, export, first):
    """Not even a reason can be told."""
    pair, _ = failing(first, 1 << 40)
    assert pair.said == ""
    for path in pair.saved:
        export(path)
