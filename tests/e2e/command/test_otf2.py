# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`heddle export -f otf2`: OTF2's own readers take the archive, and find in it what the profile and the trace say."""
import collections
import csv
import io
import re
import resource
import subprocess

import pytest

from conftest import SOURCE
from trace_programs import LONG, PROGRAMS, TRACED, run_phased

otf2 = pytest.importorskip("otf2", reason="no python3-otf2")

# Tasks that create tasks and wait for them, on the same lines; a lock and a critical section; a barrier; a region in a
# region; a task outside all regions.
WORK = r"""
#include <omp.h>

static omp_lock_t lock;
static int leaves, outside;

static void tree(int depth) {
  if (depth == 0) {
    omp_set_lock(&lock);
    leaves++;
    omp_unset_lock(&lock);
    return;
  }
  for (int i = 0; i < 2; i++)
#pragma omp task // mark: task
    tree(depth - 1);
#pragma omp taskwait // mark: taskwait
}

int main(void) {
  static int sum, inner;
  omp_init_lock(&lock);
  omp_set_max_active_levels(2);
#pragma omp task // mark: outside
  outside = 1;
#pragma omp taskwait
  for (int i = 0; i < 3; i++)
#pragma omp parallel num_threads(3) // mark: region
  {
#pragma omp single
    tree(6);
#pragma omp for schedule(dynamic, 10) // mark: loop
    for (int j = 0; j < 100; j++)
#pragma omp critical // mark: critical
      sum++;
#pragma omp barrier // mark: barrier
  }
#pragma omp parallel num_threads(2) // mark: outer
#pragma omp parallel num_threads(2) // mark: inner
#pragma omp atomic
  inner++;
  return leaves != 3 * 64 || sum != 300 || inner != 4 || outside != 1;
}
"""


@pytest.fixture(scope="module")
def traced(build_program, run_heddle, tmp_path_factory):
    path = tmp_path_factory.mktemp("otf2") / "run.heddle"
    result = run_heddle("run", "-q", "--trace", "-o", path, "--", build_program(WORK))
    assert result.returncode == 0, result.stderr
    return path


@pytest.fixture
def archive(run_heddle, tmp_path):
    """archive(profile) -> the archive's folder."""

    def write(path, *options, status=0):
        folder = tmp_path / "archive"
        result = run_heddle("export", "-f", "otf2", "-o", folder, *options, path)
        assert result.returncode == status, result.stderr
        assert status or not result.stderr
        return folder

    return write


@pytest.fixture
def trace(run_heddle):
    def rows(path):
        result = run_heddle("trace", "--print", "--csv", path)
        assert result.returncode == 0, result.stderr
        return list(csv.DictReader(io.StringIO(result.stdout)))

    return rows


class Archive:
    """`threads`: the events of each; `busy`: those of the number of busy threads; `definitions`: the reader's."""

    def __init__(self, folder):
        with otf2.reader.open(str(folder / "traces.otf2")) as reader:
            self.definitions = reader.definitions
            self.threads = collections.defaultdict(list)
            self.busy = []
            for location, event in reader.events:
                of = self.busy if location.type == otf2.LocationType.METRIC else self.threads[location._ref]
                of.append(event)
            self.event_counts = {location._ref: location.number_of_events for location in reader.definitions.locations}
            self.per_second = reader.timer_resolution

    def of_kind(self, *kinds):
        return [(thread, event) for thread in self.threads for event in self.threads[thread] if isinstance(event, kinds)]


def name_of(event):
    """Of a task."""
    return event.thread_team._ref, event.creating_thread, event.generation_number


def check_stacks(events):
    """What a thread enters last it leaves first, and its teams are around regions; times never decrease."""
    stack, time = [], 0
    for event in events:
        assert event.time >= time
        time = event.time
        if isinstance(event, otf2.events.Enter):
            stack.append(event.region)
        elif isinstance(event, otf2.events.Leave):
            assert stack.pop() is event.region
        elif isinstance(event, otf2.events.ThreadFork):
            stack.append("fork")
        elif isinstance(event, otf2.events.ThreadTeamBegin):
            stack.append(event.thread_team)
        elif isinstance(event, otf2.events.ThreadTeamEnd):
            assert stack.pop() is event.thread_team
        elif isinstance(event, otf2.events.ThreadJoin):
            assert stack.pop() == "fork"
    assert not stack


def check_tasks(threads, created):
    """As readers that follow tasks see them: what a task enters it leaves itself, and none is left when all has ended."""
    stacks = collections.defaultdict(list)
    for thread, events in threads.items():
        current = thread
        for event in events:
            if isinstance(event, otf2.events.ThreadTaskSwitch):
                current = name_of(event) if event.generation_number else thread
                assert event.generation_number == 0 or current in created
            elif isinstance(event, otf2.events.ThreadTaskComplete):
                assert current == name_of(event) and not stacks.pop(current)
            elif isinstance(event, otf2.events.Enter):
                stacks[current].append(event.region)
            elif isinstance(event, otf2.events.Leave):
                assert stacks[current].pop() is event.region
        assert current == thread
    assert not any(stacks.values())


def check_locks(threads):
    """Who gives a lock back got it before, and that acquisition is told once."""
    for events in threads.values():
        held = set()
        for event in events:
            if isinstance(event, otf2.events.ThreadAcquireLock):
                held.add((event.lock_id, event.acquisition_order))
            elif isinstance(event, otf2.events.ThreadReleaseLock):
                held.remove((event.lock_id, event.acquisition_order))


def exclusive(archive, thread):
    """{region: seconds} without what is entered in it."""
    seconds, stack, since = collections.Counter(), [], 0
    for event in archive.threads[thread]:
        if isinstance(event, (otf2.events.Enter, otf2.events.Leave)):
            if stack:
                seconds[stack[-1]] += (event.time - since) / archive.per_second
            since = event.time
            if isinstance(event, otf2.events.Enter):
                stack.append(event.region)
            else:
                stack.pop()
    return seconds


@pytest.mark.parametrize("program", PROGRAMS, ids=" ".join)
def test_enters_and_leaves_balance(profile, build_program, archive, trace, runtime, program):
    path = profile(build_program(program[0]), *program[1:], runtime=runtime, threads=4, env=TRACED)
    found = Archive(archive(path))
    for events in found.threads.values():
        check_stacks(events)
    told = collections.Counter(row["event"] for row in trace(path))
    kinds = collections.Counter(type(event).__name__ for _, event in found.of_kind(object))
    assert kinds["Enter"] == kinds["Leave"] > 0 and kinds["ThreadFork"] == kinds["ThreadJoin"] == told["region_begin"]
    assert kinds["ThreadTeamBegin"] == kinds["ThreadTeamEnd"] == kinds["ThreadFork"] + told["team_member"]
    assert kinds["ThreadAcquireLock"] == told["lock_acquired"] and kinds["ThreadReleaseLock"] == told["lock_released"]
    assert kinds["ThreadTaskComplete"] == told["task_end"]
    assert found.event_counts == {**{thread: len(events) for thread, events in found.threads.items()},
                                  len(found.threads): len(found.busy)}


def test_times_are_those_of_the_profile(traced, archive, export):
    found = Archive(archive(traced))
    profile = export(traced)
    expected = collections.Counter()
    for entry in profile["profiles"]:
        for row in entry["threads"]:
            expected[row["thread"], entry["kind"], entry["line"] or 0] += row["busy_s"]
            for cause, seconds in (row["wait_s"] or {}).items():
                expected[row["thread"], "wait: " + cause.replace("_", " "), 0] += seconds
    times = collections.Counter()
    for thread in found.threads:
        for region, seconds in exclusive(found, thread).items():
            kind = region.name if region.name.startswith("wait: ") else region.description.replace(" ", "_")
            times[thread, kind, region.begin_line_number] += seconds
    assert len(found.threads) == len(profile["threads"]) >= 3
    busy = {key: seconds for key, seconds in times.items() if not key[1].startswith("of_any_")}
    for key in {**busy, **expected}:
        kind = "barrier" if key[1] == "barrier_explicit" else key[1]
        assert times[key[0], kind, key[2]] == pytest.approx(expected[key], abs=1e-6), key
    assert len({kind for _, kind, _ in busy}) > 10


def test_constructs_have_the_roles_of_openmp(traced, archive):
    regions = {(region.name.split()[0], region.region_role) for region in Archive(archive(traced)).definitions.regions
               if region.paradigm == otf2.Paradigm.OPENMP}
    role = otf2.RegionRole
    assert regions >= {("parallel", role.PARALLEL), ("loop", role.LOOP), ("barrier", role.BARRIER), ("critical", role.CRITICAL),
                       ("task", role.TASK), ("taskwait", role.TASK_WAIT), ("single", role.SINGLE), ("wait:", role.IMPLICIT_BARRIER),
                       ("wait:", role.TASK_WAIT)}


def test_teams_have_their_threads(traced, archive):
    found = Archive(archive(traced))
    sizes = collections.Counter(event.number_of_requested_threads for _, event in found.of_kind(otf2.events.ThreadFork))
    assert sizes == {3: 3, 2: 3}
    locations = found.definitions.groups[0]
    assert locations.group_type == otf2.GroupType.COMM_LOCATIONS and locations.paradigm == otf2.Paradigm.OPENMP
    for thread, event in found.of_kind(otf2.events.ThreadTeamBegin):
        members = event.thread_team.group.members
        assert thread in [member._ref for member in members]


def test_each_task_has_its_own_calls(traced, archive):
    found = Archive(archive(traced))
    created = [name_of(event) for _, event in found.of_kind(otf2.events.ThreadTaskCreate)]
    completed = [name_of(event) for _, event in found.of_kind(otf2.events.ThreadTaskComplete)]
    assert len(created) == len(set(created)) == 1 + 3 * 126 and sorted(created) == sorted(completed)
    assert {name[2] for name in created} >= {1, 2, 3}
    check_tasks(found.threads, created)


def test_locks_go_from_hand_to_hand(traced, archive):
    found = Archive(archive(traced))
    acquired = [(event.time, event.lock_id, event.acquisition_order, thread)
                for thread, event in found.of_kind(otf2.events.ThreadAcquireLock)]
    released = [(event.lock_id, event.acquisition_order, thread) for thread, event in found.of_kind(otf2.events.ThreadReleaseLock)]
    assert sorted(entry[1:] for entry in acquired) == sorted(released)
    orders = collections.defaultdict(list)
    for _, lock, order, _ in sorted(acquired):
        orders[lock].append(order)
    assert sorted(map(len, orders.values()))[-2:] == [3 * 64, 300]
    assert all(order == list(range(1, len(order) + 1)) for order in orders.values())


def test_the_number_of_busy_threads_is_a_metric(traced, archive, export):
    found = Archive(archive(traced))
    time_at, since = collections.Counter(), None
    for event in found.busy:
        if since is not None:
            time_at[since.values[0]] += (event.time - since.time) / found.per_second
        since = event
    assert since.values[0] == 0
    levels = export(traced)["program"]["time_at_k_s"]
    for level, seconds in enumerate(levels[1:], 1):
        assert time_at[level] == pytest.approx(seconds, abs=1e-6)


def test_otf2_print_reads_it(traced, archive):
    folder = archive(traced)
    found = Archive(folder)
    shown = {}
    for option in ("-G", "-A"):
        result = subprocess.run(["otf2-print", option, folder / "traces.otf2"], capture_output=True, text=True, check=True)
        assert not result.stderr
        shown[option] = result.stdout
    kinds = collections.Counter(re.findall(r"^([A-Z_]+) +\d+ +\d+ ", shown["-A"], re.M))
    assert kinds["ENTER"] == kinds["LEAVE"] == len(found.of_kind(otf2.events.Enter))
    assert kinds["THREAD_TASK_CREATE"] == 1 + 3 * 126 and kinds["THREAD_FORK"] == 6


def test_what_was_killed_is_balanced(build_program, run_heddle, archive, tmp_path):
    path = tmp_path / "killed.heddle"
    result = run_heddle("run", "-q", "--trace", "-o", path, "--", "sh", "-c",
                        f"timeout -s KILL 1 {build_program('floods.c')} critical 60; true",
                        env={"OMP_NUM_THREADS": "2", "OMP_WAIT_POLICY": "passive"})
    assert result.returncode == 0, result.stderr
    found = Archive(archive(path))
    for events in found.threads.values():
        check_stacks(events)
    assert len(found.of_kind(otf2.events.Enter)) > 100


def test_the_end_of_a_run_is_balanced(build_program, run_heddle, tmp_path):
    path = tmp_path / "end.heddle"
    result = run_heddle("run", "-q", "--trace-last", "200k", "-o", path, "--", build_program(LONG))
    assert result.returncode == 0, result.stderr
    result = run_heddle("export", "-f", "otf2", "-o", tmp_path / "archive", path)
    assert result.returncode == 0 and "the trace begins at " in result.stderr
    found = Archive(tmp_path / "archive")
    for events in found.threads.values():
        check_stacks(events)
    assert len(found.of_kind(otf2.events.ThreadAcquireLock)) > 1000


def test_a_part_is_balanced_and_has_what_is_in_it(traced, archive, trace, tmp_path):
    whole = Archive(archive(traced))
    times = sorted({event.time for _, event in whole.of_kind(otf2.events.Enter)})
    rows = [float(row["time_s"]) for row in trace(traced)]
    begin, end = rows[len(rows) // 3], rows[2 * len(rows) // 3]
    (tmp_path / "archive").rename(tmp_path / "whole")
    part = Archive(archive(traced, "--from", f"{begin:.9f}", "--to", f"{end:.9f}"))
    created = [name_of(event) for _, event in part.of_kind(otf2.events.ThreadTaskCreate)]
    for events in part.threads.values():
        check_stacks(events)
    check_tasks(part.threads, created)
    check_locks(part.threads)
    first, last = (pick(event.time for _, event in part.of_kind(object)) for pick in (min, max))
    assert (last - first) / part.per_second == pytest.approx(end - begin, abs=3e-9) and times[0] < first < last
    for kind in (otf2.events.ThreadAcquireLock, otf2.events.ThreadFork, otf2.events.ThreadTaskCreate):
        inside = [[(thread, event.time) for thread, event in archive.of_kind(kind) if first < event.time < last] for archive in (whole, part)]
        assert sorted(inside[0]) == sorted(inside[1])


def test_stretches_are_balanced_and_nothing_lies_between(build_program, run_heddle, export, trace, tmp_path):
    path = run_phased(build_program, run_heddle, SOURCE, tmp_path / "phased.heddle")
    result = run_heddle("export", "-f", "otf2", "-o", tmp_path / "archive", path)
    assert result.returncode == 0 and "the trace has 12 stretches" in result.stderr
    found = Archive(tmp_path / "archive")
    stretches = export(path)["program"]["trace"]["stretches_s"]
    first = min(event.time for _, event in found.of_kind(object))  # where the first stretch begins

    def within(events, begin, end):
        return [event for event in events if begin - 2e-9 <= stretches[0][0] + (event.time - first) / found.per_second <= end + 2e-9]

    told = collections.Counter()
    created = [name_of(event) for _, event in found.of_kind(otf2.events.ThreadTaskCreate)]
    for begin, end in stretches:
        there = {thread: within(events, begin, end) for thread, events in found.threads.items()}
        kinds = collections.Counter(type(event).__name__ for events in there.values() for event in events)
        for events in there.values():
            check_stacks(events)
        check_tasks(there, created)
        check_locks(there)
        assert kinds["Enter"] == kinds["Leave"] > 0 and kinds["ThreadFork"] == kinds["ThreadJoin"]
        busy = within(found.busy, begin, end)
        assert busy[0].values[0] > 0 and busy[-1].values[0] == 0
        told += kinds + collections.Counter(busy=len(busy))
    rows = collections.Counter(row["event"] for row in trace(path))
    assert told["busy"] == len(found.busy) and told.total() == told["busy"] + len(found.of_kind(object))
    assert told["ThreadFork"] == rows["region_begin"] == 3
    assert told["ThreadTaskCreate"] == rows["task_create"] == 3 * 21 and told["ThreadTaskComplete"] == rows["task_end"] == 3 * 20
    assert told["ThreadAcquireLock"] == rows["lock_acquired"] == 3 * (20 + 3 + 2)
    assert told["ThreadReleaseLock"] == 3 * (20 + 3) and rows["lock_released"] == 3 * (20 + 3 + 1)  # got in the gap


def test_memory_does_not_grow_with_the_trace(build_program, run_heddle, export, tmp_path):
    """The profile's file itself is read into memory. Without samples: their functions are looked up each time, in any library."""
    path = tmp_path / "long.heddle"
    result = run_heddle("run", "-q", "--trace=64M", "--samples", "off", "-o", path, "--", build_program(LONG))
    assert result.returncode == 0, result.stderr
    assert export(path)["program"]["trace"]["bytes"] > 8 << 20
    most = path.stat().st_size + (8 << 20)
    result = run_heddle("export", "-f", "otf2", "-o", tmp_path / "archive", path,
                        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_DATA, (most, most)))
    assert result.returncode == 0, result.stderr
    assert sum(file.stat().st_size for file in (tmp_path / "archive").rglob("*.evt")) > most


def test_what_cannot_be_written_is_said(traced, profile, build_program, run_heddle, archive, tmp_path):
    plain = profile(build_program("counts.c"), runtime=19)
    result = run_heddle("export", "-f", "otf2", "-o", tmp_path / "none", plain)
    assert result.returncode == 1 and result.stderr == f"heddle: {plain} has no trace: 'heddle run --trace' makes one\n"
    assert not (tmp_path / "none").exists()
    result = run_heddle("export", "-f", "otf2", traced)
    assert result.returncode == 2 and "-f otf2 writes more than one file: it needs -o OUT" in result.stderr
    result = run_heddle("export", "-f", "otf2", "-o", tmp_path / "cut", "--depth", "1", traced)
    assert result.returncode == 1 and "its trace has whole callpaths: leave --depth out" in result.stderr
    result = run_heddle("export", "-f", "otf2", "-o", tmp_path / "part", "--since", traced, traced)
    assert result.returncode == 2 and "-f otf2 writes a trace, which has parts (--from, --to): leave --since out" in result.stderr
    result = run_heddle("export", "-f", "otf2", "-o", tmp_path / "part", "--from", "1000", traced)
    assert result.returncode == 1 and "nothing lies between 1000 s and" in result.stderr and not (tmp_path / "part").exists()
    folder = archive(traced)
    result = run_heddle("export", "-f", "otf2", "-o", folder, traced)
    assert result.returncode == 1 and re.fullmatch(rf"heddle: {folder}: .*\n", result.stderr) and "--force" in result.stderr
    before = len(Archive(folder).of_kind(object))
    archive(traced, "--force")
    assert len(Archive(folder).of_kind(object)) == before
    (folder / "notes").write_text("mine")
    result = run_heddle("export", "-f", "otf2", "--force", "-o", folder, traced)
    assert result.returncode == 1 and "holds something else than an OTF2 archive" in result.stderr
    assert (folder / "notes").read_text() == "mine" and (folder / "traces.otf2").exists()
