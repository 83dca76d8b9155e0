# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`heddle export -f paraver`: the three files follow Paraver's grammar, and say what the profile and the trace say."""
import collections
import csv
import io
import re
import resource

import pytest

from conftest import SOURCE
from trace_programs import LONG, run_phased

CALLPATH, REGION, CAUSE, TASK, CREATED, ACQUIRED, RELEASED, FUNCTION = range(9300001, 9300009)
IDLE, RUNNING, NOT_CREATED, WAITING, RUNTIME = 0, 1, 2, 5, 7

WORK = r"""
#include <omp.h>

int main(void) {
  static omp_lock_t lock;
  static int sum;
  omp_init_lock(&lock);
  for (int i = 0; i < 5; i++)
#pragma omp parallel num_threads(3) // mark: region
  {
#pragma omp single // mark: single
    for (int j = 0; j < 20; j++)
#pragma omp task // mark: task
    {
      omp_set_lock(&lock);
      sum++;
      omp_unset_lock(&lock);
    }
#pragma omp barrier // mark: barrier
  }
  return sum != 100;
}
"""


@pytest.fixture(scope="module")
def traced(build_program, run_heddle, tmp_path_factory):
    path = tmp_path_factory.mktemp("paraver") / "run.heddle"
    result = run_heddle("run", "-q", "--trace", "-o", path, "--", build_program(WORK))
    assert result.returncode == 0, result.stderr
    return path


class Paraver:
    """`states`: (begin, end, state) of each thread; `events`: (time, type, value) likewise; `labels`: {type: {value: text}},
    `kinds`: {type: text}, `state_names`; `rows`: names of threads."""

    def __init__(self, prv):
        header, *records = prv.read_text().splitlines()
        duration, threads = re.fullmatch(r"#Paraver \(\d\d/\d\d/\d\d at \d\d:\d\d\):(\d+)_ns:0:1:1\((\d+):1\)", header).groups()
        self.duration = int(duration)
        self.states, self.events = ([[] for _ in range(int(threads))] for _ in range(2))
        last = 0
        for record in records:
            kind, cpu, program, task, thread, *numbers = map(int, record.split(":"))
            assert (cpu, program, task) == (0, 1, 1) and 1 <= thread <= int(threads) and last <= numbers[0] <= self.duration
            last = numbers[0]
            if kind == 1:
                begin, end, state = numbers
                assert begin < end <= self.duration
                self.states[thread - 1].append((begin, end, state))
            else:
                assert kind == 2 and len(numbers) % 2 == 1 and len(numbers) > 1
                self.events[thread - 1] += [(last, *pair) for pair in zip(numbers[1::2], numbers[2::2], strict=True)]
        self.read_labels(prv.with_suffix(".pcf").read_text())
        level, *self.rows = prv.with_suffix(".row").read_text().splitlines()
        assert level == f"LEVEL THREAD SIZE {threads}" and len(self.rows) == int(threads)

    def read_labels(self, text):
        self.labels, self.kinds, self.state_names = {}, {}, {}
        for part in re.split(r"\n\n\n", text):
            name, *lines = part.strip().splitlines()
            if name == "STATES":
                self.state_names = {int(value): label for value, label in (line.split(None, 1) for line in lines)}
            elif name == "STATES_COLOR":
                assert all(re.fullmatch(r"\d+ +\{\d+,\d+,\d+\}", line) for line in lines)
            elif name == "EVENT_TYPE":
                gradient, kind, label = lines[0].split(None, 2)
                assert gradient == "0" and (len(lines) == 1 or lines[1] == "VALUES")
                self.kinds[int(kind)] = label
                self.labels[int(kind)] = {int(value): label for value, label in (line.split(None, 1) for line in lines[2:])}
            else:
                assert name in ("DEFAULT_OPTIONS", "DEFAULT_SEMANTIC")

    def values(self, kind):
        return [value for events in self.events for _, type_of, value in events if type_of == kind]


@pytest.fixture
def converted(run_heddle, tmp_path):
    def convert(path):
        result = run_heddle("export", "-f", "paraver", "--force", "-o", tmp_path / "out.prv", path)
        assert result.returncode == 0 and not result.stderr, result.stderr
        return Paraver(tmp_path / "out.prv")

    return convert


def test_states_are_those_of_the_profile(traced, converted, export):
    found, profile = converted(traced), export(traced)
    assert found.rows == [f"thread {row['thread']} ({row['kind']})" for row in profile["threads"]]
    for thread, states in zip(profile["threads"], found.states, strict=True):
        times = collections.Counter()
        for i, (begin, end, state) in enumerate(states):
            assert begin == (states[i - 1][1] if i else 0)
            times[state] += (end - begin) / 1e9
            assert state in found.state_names
        rows = [row for entry in profile["profiles"] for row in entry["threads"] if row["thread"] == thread["thread"]]
        slack = 1e-9 * len(states) + 1e-7
        assert times[RUNNING] == pytest.approx(sum(row["busy_s"] for row in rows), abs=slack)
        assert times[WAITING] == pytest.approx(sum(sum(row["wait_s"].values()) for row in rows), abs=slack)
        assert times[RUNTIME] == pytest.approx(sum(row["runtime_s"] for row in rows), abs=slack)
    assert [states[0][2] for states in found.states] == [RUNNING, NOT_CREATED, NOT_CREATED]


def test_events_are_those_of_the_trace(traced, converted, export, run_heddle):
    found = converted(traced)
    told = collections.Counter(row["event"] for row in csv.DictReader(io.StringIO(
        run_heddle("trace", "--print", "--csv", traced).stdout)))
    assert sorted(found.values(CREATED)) == list(range(1, 101)) and told["task_create"] == 100
    assert sorted(value for value in found.values(TASK) if value) == list(range(1, 101))
    assert found.values(ACQUIRED) == found.values(RELEASED) == [1] * told["lock_acquired"] == [1] * 100
    regions = [entry["id"] for entry in export(traced)["profiles"] if entry["kind"] == "parallel"]
    begun = [value for _, kind, value in found.events[0] if kind == REGION and value]
    assert set(begun) == set(regions) and len(begun) == told["region_begin"] == 5
    assert found.labels[REGION] == {0: "no region", **{region: found.labels[CALLPATH][region] for region in regions}}
    for kind in (CALLPATH, REGION, CAUSE):
        assert set(found.values(kind)) <= set(found.labels[kind])
    assert {"wait: barrier implicit", "wait: barrier explicit"} <= {found.labels[CAUSE][value] for value in found.values(CAUSE)}
    assert set(found.kinds) == set(range(CALLPATH, FUNCTION + 1))


@pytest.mark.needs("user-perf")
def test_samples_name_their_functions(build_program, run_heddle, converted, export, tmp_path):
    path = tmp_path / "sampled.heddle"
    result = run_heddle("run", "-q", "--trace", "--samples", "1000", "-o", path, "--", build_program("hot_functions.c"), "20")
    assert result.returncode == 0, result.stderr
    found, expected = converted(path), collections.Counter()
    for sample in (sample for entry in export(path)["profiles"] for sample in entry["samples"]):
        name = f"{sample['function']} (inlined into {sample['inlined_into']})" if sample["inlined_into"] else sample["function"]
        expected[name or sample["module"]] += sample["count"]
    told = collections.Counter(found.labels[FUNCTION][value] for value in found.values(FUNCTION))
    assert told == expected and told["work (inlined into three)"] > told["work (inlined into one)"] > 0


def test_times_of_callpaths_are_those_of_the_profile(traced, converted, export):
    """A thread's time in a callpath without a cause, after its begin, is what the profile calls busy."""
    found, profile = converted(traced), export(traced)
    for thread, events in enumerate(found.events):
        busy, at = collections.Counter(), {CALLPATH: 0, CAUSE: 0}
        since = next(begin for begin, _, state in found.states[thread] if state != NOT_CREATED)
        running = [(begin, end) for begin, end, state in found.states[thread] if state == RUNNING]
        changes = [(time, kind, value) for time, kind, value in events if kind in at]
        for time, kind, value in [*changes, (found.states[thread][-1][1], CALLPATH, 0)]:
            if at[CAUSE] == 0:
                busy[at[CALLPATH]] += sum(max(0, min(time, end) - max(since, begin)) for begin, end in running) / 1e9
            at[kind], since = value, time
        for entry in profile["profiles"]:
            expected = sum(row["busy_s"] for row in entry["threads"] if row["thread"] == thread)
            assert busy[entry["id"]] == pytest.approx(expected, abs=1e-6), entry["id"]


@pytest.mark.parametrize("program", [("tasks.c", "2"), ("nested.c", "5"), ("two_initials.c",), ("threads_short.c",), ("cancelled.c",)],
                         ids=" ".join)
def test_states_have_no_gap(profile, build_program, converted, program):
    path = profile(build_program(program[0]), *program[1:], runtime=19, threads=4,
                   env={"HEDDLE_TRACE": "64M", "HEDDLE_OVERHEAD": "off", "OMP_WAIT_POLICY": "passive"})
    found = converted(path)
    for states in found.states:
        assert states[0][0] == 0
        assert all(before[1] == after[0] for before, after in zip(states, states[1:])) and states[-1][1] == found.duration


def test_what_was_before_the_end_of_a_run_is_not_known(build_program, run_heddle, tmp_path):
    path = tmp_path / "end.heddle"
    result = run_heddle("run", "-q", "--trace-last", "200k", "-o", path, "--", build_program(LONG))
    assert result.returncode == 0, result.stderr
    result = run_heddle("export", "-f", "paraver", "-o", tmp_path / "end.prv", path)
    assert result.returncode == 0 and "the trace begins at " in result.stderr
    first, *rest = Paraver(tmp_path / "end.prv").states[0]
    assert first[0] == 0 < first[1] and first[2] == NOT_CREATED and RUNNING in {state for _, _, state in rest}


def test_a_part_has_the_states_of_the_whole(traced, converted, export, run_heddle, tmp_path):
    whole = converted(traced)
    since = max(next(begin for begin, _, state in states if state != NOT_CREATED) for states in whole.states)
    begin, end = ((whole.duration - since) * i // 3 + since for i in (1, 2))
    result = run_heddle("export", "-f", "paraver", "--from", f"{begin / 1e9:.9f}", "--to", f"{end / 1e9:.9f}", "-o", tmp_path / "part.prv",
                        traced)
    assert result.returncode == 0 and result.stderr == "", result.stderr
    part = Paraver(tmp_path / "part.prv")
    assert abs(part.duration - end) <= 1
    for before, states in zip(whole.states, part.states, strict=True):
        first, *known = states
        assert first[0] == 0 and first[2] == NOT_CREATED and abs(first[1] - begin) <= 1
        wanted = [(max(since, begin), min(until, end), state) for since, until, state in before if since < end - 1 and until > begin + 1]
        assert [state for *_, state in known] == [state for *_, state in wanted]
        for one, other in zip(known, wanted, strict=True):
            assert one == pytest.approx(other, abs=2)


def test_nothing_is_known_between_stretches(build_program, run_heddle, export, tmp_path):
    """Threads have no state there, no callpath, no cause and no task."""
    path = run_phased(build_program, run_heddle, SOURCE, tmp_path / "phased.heddle")
    result = run_heddle("export", "-f", "paraver", "-o", tmp_path / "phased.prv", path)
    assert result.returncode == 0 and "the trace has 12 stretches" in result.stderr
    found = Paraver(tmp_path / "phased.prv")
    stretches = [[round(1e9 * at) for at in stretch] for stretch in export(path)["program"]["trace"]["stretches_s"]]
    gaps = [(before[1] + 2, after[0] - 2) for before, after in zip([[0, 0], *stretches], [*stretches, [found.duration + 4] * 2])]
    gaps = [(begin, end) for begin, end in gaps if begin < end]
    assert len(gaps) >= 12
    for states, events in zip(found.states, found.events, strict=True):
        assert states[0][0] == 0 and states[-1][1] == found.duration
        assert all(before[1] == after[0] for before, after in zip(states, states[1:]))
        for begin, end in gaps:
            assert {state for since, until, state in states if since < end and until > begin} == {NOT_CREATED}
            assert not [time for time, _, _ in events if begin <= time <= end]
            last = {kind: value for time, kind, value in events if time < begin}
            assert not any(last.get(kind, 0) for kind in (CALLPATH, REGION, CAUSE, TASK)), last
    assert len(found.values(ACQUIRED)) == 3 * (20 + 3 + 2) and len(found.values(CREATED)) == 3 * 21
    assert len([value for value in found.values(TASK) if value]) == 3 * 21


def test_memory_does_not_grow_with_the_trace(build_program, run_heddle, export, tmp_path):
    """The profile's file itself is read into memory. Without samples: their functions are looked up each time, in any library."""
    path = tmp_path / "long.heddle"
    result = run_heddle("run", "-q", "--trace=64M", "--samples", "off", "-o", path, "--", build_program(LONG))
    assert result.returncode == 0, result.stderr
    assert export(path)["program"]["trace"]["bytes"] > 8 << 20  # and the names of places are in the file now
    most = path.stat().st_size + (6 << 20)
    result = run_heddle("export", "-f", "paraver", "-o", tmp_path / "out.prv", path,
                        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_DATA, (most, most)))
    assert result.returncode == 0, result.stderr
    assert (tmp_path / "out.prv").stat().st_size > 3 * most


def test_what_cannot_be_written_is_said(traced, profile, build_program, run_heddle, tmp_path):
    def refused(status, *arguments):
        result = run_heddle("export", "-f", "paraver", *arguments)
        assert result.returncode == status and not result.stdout
        return result.stderr

    plain = profile(build_program("counts.c"), runtime=19)
    assert refused(1, "-o", tmp_path / "a.prv", plain) == f"heddle: {plain} has no trace: 'heddle run --trace' makes one\n"
    assert "-f paraver writes more than one file: it needs -o OUT" in refused(2, traced)
    said = refused(1, "-o", tmp_path / "a.txt", traced)
    assert said == f"heddle: {tmp_path}/a.txt: -f paraver needs -o NAME.prv: it writes NAME.pcf and NAME.row, too\n"
    assert not list(tmp_path.glob("a.*"))
    (tmp_path / "b.row").write_text("mine")
    assert refused(1, "-o", tmp_path / "b.prv", traced).startswith(f"heddle: {tmp_path}/b.row: file already exists; --force")
    assert (tmp_path / "b.row").read_text() == "mine" and [file.name for file in tmp_path.glob("b.*")] == ["b.row"]
