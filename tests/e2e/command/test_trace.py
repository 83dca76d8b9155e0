# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`heddle run --trace` and `heddle trace`: when threads did what. That a trace adds up to its profile whatever the program
does is the unit tests' concern, too (test_trace.c): here are real runtimes, and the outputs."""
import csv
import io
import json
import re

import pytest

from trace_programs import PROGRAMS, TRACED

ADDS_UP = "The trace adds up to the profile: every thread's time in every callpath and state, to the tick.\n"

WORK = r"""
#include <omp.h>

static void spin(double seconds) {
  const double end = omp_get_wtime() + seconds;
  while (omp_get_wtime() < end)
    ;
}

__attribute__((noinline)) static void region(int which) { // the third is the slowest
#pragma omp parallel num_threads(2) // mark: region
  if (omp_get_thread_num() == 1)
    spin(which == 2 ? 0.6 : 0.01);
}

int main(void) {
  for (int i = 0; i < 5; i++)
    region(i);
  return 0;
}
"""

FLOOD = r"""
int main(void) {
  int sum = 0;
  for (int i = 0; i < 60000; i++)
#pragma omp parallel num_threads(2) reduction(+ : sum)
    sum++;
  return sum != 120000;
}
"""

ORDERED = r"""
#include <omp.h>

int main(void) {
  static omp_lock_t lock;
  static int x, y, sum;
  omp_init_lock(&lock);
#pragma omp parallel num_threads(2)
#pragma omp single
  {
    for (int i = 0; i < 20; i++)
#pragma omp task depend(inout : x) // mark: task
    {
      omp_set_lock(&lock);
      x++;
      omp_unset_lock(&lock);
    }
#pragma omp task depend(in : x) depend(out : y) // mark: last
    y = x;
#pragma omp taskwait
  }
#pragma omp parallel for num_threads(2) schedule(dynamic, 30) // mark: loop
  for (int i = 0; i < 1000; i++)
#pragma omp critical
    sum++;
  return sum != 1000 || y != 20;
}
"""


@pytest.fixture
def trace(run_heddle):
    def run(path, *options, status=0):
        result = run_heddle("trace", *options, path)
        assert result.returncode == status, result.stderr
        return result.stderr if status else result.stdout

    return run


@pytest.fixture(scope="module")
def path(build_program, run_heddle, tmp_path_factory):
    path = tmp_path_factory.mktemp("trace") / "run.heddle"
    result = run_heddle("run", "-q", "--trace", "-o", path, "--", build_program(WORK), env={"OMP_WAIT_POLICY": "passive"})
    assert result.returncode == 0, result.stderr
    return path


def rows(text):
    return list(csv.DictReader(io.StringIO(text)))


@pytest.mark.parametrize("program", PROGRAMS, ids=" ".join)
def test_it_adds_up_to_the_profile(profile, build_program, trace, runtime, program):
    made = profile(build_program(program[0]), *program[1:], runtime=runtime, threads=4, env=TRACED)
    assert trace(made, "--check") == ADDS_UP


def test_it_adds_up_where_events_are_switched_off(profile, build_program, trace):
    env = {**TRACED, "HEDDLE_OVERHEAD": "0.5"}
    made = profile(build_program("floods.c"), "critical", "1", runtime=19, threads=2, env=env)
    assert trace(made, "--check") == ADDS_UP


def test_events_are_in_the_order_of_time(path, trace, export):
    found = rows(trace(path, "--print", "--csv"))
    times = [float(row["time_s"]) for row in found]
    assert times == sorted(times) and {row["thread"] for row in found} == {"0", "1"}
    assert [row["event"] for row in found].count("region_begin") == 5 == [row["event"] for row in found].count("team_join")
    begun = [row for row in found if row["event"] == "team_begin"]
    assert all(row["number"] == "2" and row["function"] == "region" for row in begun)
    for thread in ("0", "1"):
        own = [row for row in found if row["thread"] == thread]
        assert own[0]["event"] == "thread_begin" and own[-1]["event"] == "thread_end"
    busy = {row["id"]: 0.0 for row in found}
    since = {}
    for row in found:
        if row["thread"] in since and since[row["thread"]]["state"] == "busy":
            busy[since[row["thread"]]["id"]] += float(row["time_s"]) - float(since[row["thread"]]["time_s"])
        since[row["thread"]] = row
    for entry in export(path)["profiles"][1:]:
        if entry["kind"] == "parallel":
            assert busy[str(entry["id"])] == pytest.approx(entry["busy_s"], abs=1e-6)


def test_a_part_is_chosen_by_time_and_thread(path, trace):
    whole = rows(trace(path, "--print", "--csv"))
    times = [float(row["time_s"]) for row in whole]
    after = next(i for i in range(len(whole) // 2, len(whole)) if times[i] - times[i - 1] > 1e-7)
    middle = (times[after - 1] + times[after]) / 2
    part = rows(trace(path, "--print", "--csv", "--from", f"{middle:.9f}", "--thread", "1"))
    assert part == [row for row in whole if float(row["time_s"]) >= middle and row["thread"] == "1"]
    assert rows(trace(path, "--print", "--csv", "--to", "0")) == []
    text = trace(path, "--print", "--to", f"{middle:.9f}").splitlines()
    assert len(text) == 1 + len([row for row in whole if float(row["time_s"]) <= middle])


def test_a_callpath_is_chosen(ordered, trace, export):
    task, = (entry["id"] for entry in export(ordered)["profiles"] if entry["kind"] == "task" and entry["visits"] == 20)
    found, whole = (rows(trace(ordered, "--print", "--csv", *options)) for options in (("--region", task), ()))
    assert len([row for row in found if row["event"] == "enter" and row["id"] == str(task)]) == 20
    assert 40 <= len(found) < len(whole) and {row["id"] for row in found} != {row["id"] for row in whole}


def test_changes_of_concurrency_are_counted(path, trace, export):
    found = rows(trace(path, "--concurrency", "--csv"))
    time_at, level, since = {}, 0, None
    for row in found:
        if since is not None:
            time_at[level] = time_at.get(level, 0) + float(row["time_s"]) - since
        assert int(row["busy_threads"]) - level == (1 if row["change"] == "busy" else -1)
        level, since = int(row["busy_threads"]), float(row["time_s"])
    program = export(path)["program"]
    for level in range(2, len(program["time_at_k_s"])):  # in the time before the tool was loaded it was 1
        assert time_at.get(level, 0) == pytest.approx(program["time_at_k_s"][level], abs=1e-6)
    assert re.search(r"^ +[\d.]+ +[12]  \+1 parallel ", trace(path, "--concurrency"), re.M)


def test_the_summary_tells_instances_apart(path, trace, export):
    text = trace(path)
    number, = (entry["id"] for entry in export(path)["profiles"] if entry["kind"] == "parallel")
    assert re.search(r"^trace +\d+ events of 2 threads in [\d.]+ MB, [\d.]+ bytes each$", text, re.M)
    assert re.search(r"^time +from [\d.]+ m?s to [\d.]+ m?s: whole$", text, re.M)
    found, = re.findall(rf"^ +5 .* {number} parallel .* in region$", text, re.M)
    assert found.split()[0] == "5"


def test_an_instance_is_drawn_by_thread(path, trace, export):
    number, = (entry["id"] for entry in export(path)["profiles"] if entry["kind"] == "parallel")
    slowest = trace(path, "--instance", "slowest", "--region", number, "--width", "60")
    assert "instance 3 of 5: from " in slowest
    alone, busy = re.findall(r"^ +[01] ([#.ltr ]+)$", slowest, re.M)
    assert len(alone) <= 54 and busy.count("#") > alone.count("#") and alone.count(".") > 20
    hint = " ".join(slowest.split()).partition("The profile of this instance")[2].split()
    part = export(path, *hint[hint.index("report") + 1:-1])
    assert part.one(part["profiles"][number]["line"], "parallel")["instances"] == 1
    for which, words in (("first", "instance 1 of 5"), ("last", "instance 5 of 5")):
        assert words in trace(path, "--instance", which, "--region", number)
    assert "instance 3 of 5" not in trace(path, "--instance", "median", "--region", number)
    assert trace(path, "--instance", "3", "--region", number, "--width", "60") == slowest
    for which in ("0", "6"):
        assert "there are 5 instances in the trace" in trace(path, "--instance", which, "--region", number, status=1)


@pytest.fixture(scope="module")
def ordered(build_program, run_heddle, tmp_path_factory):
    path = tmp_path_factory.mktemp("ordered") / "run.heddle"
    result = run_heddle("run", "-q", "--trace", "-o", path, "--", build_program(ORDERED))
    assert result.returncode == 0, result.stderr
    return path


def test_tasks_are_followed_from_creation_to_end(ordered, trace):
    found = rows(trace(ordered, "--print", "--csv"))
    created = [row["number"] for row in found if row["event"] == "task_create"]
    assert created == [str(1 + i) for i in range(21)]
    at = {(row["event"], row["number"]): i for i, row in enumerate(found)}
    for number in created:  # who depends on it began when it had ended
        assert at["task_create", number] < at["task_switch", number] < at["task_end", number]
        if number != "1":
            assert at["task_end", str(int(number) - 1)] < at["task_switch", number]
    depends = [(row["event"], row["number"], row["second"]) for row in found if row["event"].startswith("task_depends")]
    assert depends == [*(("task_depends_out", number, "1") for number in created[:-1]),
                       ("task_depends_in", "21", "1"), ("task_depends_out", "21", "2")]
    assert [row["event"] for row in found].count("taskwait_end") == 1


def test_locks_are_followed_from_hand_to_hand(ordered, trace):
    found = rows(trace(ordered, "--print", "--csv"))
    taken = [row["number"] for row in found if row["event"] == "lock_acquired"]
    assert sorted(taken) == ["1"] * 20 + ["2"] * 1000
    for event in ("lock_wait", "lock_released"):
        assert sorted(row["number"] for row in found if row["event"] == event) == sorted(taken)


def test_chunks_have_their_iterations(ordered, trace, export):
    loop, = (entry for entry in export(ordered)["profiles"] if entry["loop"])
    chunks = [row for row in rows(trace(ordered, "--print", "--csv")) if row["event"] == "chunk"]
    assert {row["id"] for row in chunks} == {str(loop["id"])} and len(chunks) == loop["loop"]["chunks"] == 34
    assert sorted((int(row["number"]), int(row["second"])) for row in chunks) == [
        (30 * i, 30 if i < 33 else 10) for i in range(34)]
    assert re.search(r"^ +[\d.]+ +[01]  busy +chunk +990,10  loop dynamic ", trace(ordered, "--print"), re.M)


def test_the_order_of_things_is_traced_beside_other_measurements(build_program, run_heddle, trace, tmp_path):
    path = tmp_path / "all.heddle"
    result = run_heddle("run", "-q", "--trace", "--critical-path", "--locks", "-o", path, "--", build_program(ORDERED))
    assert result.returncode == 0, result.stderr
    assert trace(path, "--check") == ADDS_UP
    events = [row["event"] for row in rows(trace(path, "--print", "--csv"))]
    assert events.count("task_create") == events.count("task_end") == 21 and events.count("lock_acquired") == 1020


def test_chrome_has_slices_of_each_thread(path, run_heddle, export):
    """Slices end in the order in which they began; what they cover is what the profile says."""
    events = json.loads(run_heddle("export", "-f", "chrome", path).stdout)["traceEvents"]
    profile = export(path)
    times, open_slices = {}, {}
    for event in events:
        stack = open_slices.setdefault(event.get("tid"), [])
        if event["ph"] == "B":
            stack.append(event)
        elif event["ph"] == "E":
            begun = stack.pop()
            assert begun["ts"] <= event["ts"]
            key = event["tid"], begun["name"]
            times[key] = times.get(key, 0) + (event["ts"] - begun["ts"]) / 1e6
    assert not any(open_slices.values())
    assert [event["args"]["name"] for event in events if event.get("name") == "thread_name"] == ["thread 0 (initial)", "thread 1 (worker)"]
    region, = (entry for entry in profile["profiles"] if entry["kind"] == "parallel")
    name = next(name for thread, name in times if name.startswith("parallel "))
    for row in region["threads"]:
        whole = sum(other["busy_s"] + other["wait_s"].get("barrier_implicit", 0) + other["runtime_s"]
                    for entry in profile["profiles"][1:] for other in entry["threads"] if other["thread"] == row["thread"])
        assert times[row["thread"], name] == pytest.approx(whole, abs=1e-5)
    counts = [event["args"]["threads"] for event in events if event["ph"] == "C"]
    assert max(counts) in (1, 2) and counts[-1] == 0
    cut = json.loads(run_heddle("export", "-f", "chrome", "--depth", "1", path).stdout)["traceEvents"]
    assert {event["ph"] for event in cut} == {"M", "C"}


def slices(events):
    """(thread, name, begin, end) of each"""
    found, open_slices = [], {}
    for event in events:
        if event["ph"] == "B":
            open_slices.setdefault(event["tid"], []).append(event)
        elif event["ph"] == "E":
            begun = open_slices[event["tid"]].pop()
            found.append((event["tid"], begun["name"], begun["ts"], event["ts"]))
    assert not any(open_slices.values())
    return found


def cut_slices(found, begin, end):
    """What is in a part; in nanoseconds."""
    cut = [(thread, name, round(1e3 * max(since, begin)), round(1e3 * min(until, end))) for thread, name, since, until in found]
    return sorted(slice for slice in cut if slice[2] < slice[3])


def test_chrome_of_a_part_is_that_part(path, run_heddle, export):
    """The middle half, and the first one: slices are cut at its ends, and counts begin and end with nothing."""
    elapsed = 1e6 * export(path)["program"]["elapsed_s"]
    whole = slices(json.loads(run_heddle("export", "-f", "chrome", path).stdout)["traceEvents"])
    for begin, end in ((elapsed / 4, 3 * elapsed / 4), (0, elapsed / 2)):
        options = ["--to", f"{end / 1e6:.9f}"] + (["--from", f"{begin / 1e6:.9f}"] if begin else [])
        result = run_heddle("export", "-f", "chrome", *options, path)
        assert result.returncode == 0 and result.stderr == "", result.stderr
        events = json.loads(result.stdout)["traceEvents"]
        found = cut_slices(slices(events), begin, end)
        wanted = cut_slices(whole, begin, end)
        assert len(found) == len(wanted) > 3
        for one, other in zip(found, wanted, strict=True):
            assert one[:2] == other[:2] and one[2:] == pytest.approx(other[2:], abs=2)
        assert all(begin - 2e-3 <= event["ts"] <= end + 2e-3 for event in events if "ts" in event)
        assert [event["args"]["threads"] for event in events if event["ph"] == "C"][-1] == 0


def test_a_part_has_the_tasks_and_locks_in_it(ordered, run_heddle, trace):
    """Whatever its ends cut: slices are balanced, and arrows lead from and to what is in it."""
    times = [float(row["time_s"]) for row in rows(trace(ordered, "--print", "--csv"))]
    for first in range(1, 8):
        begin, end = times[first * len(times) // 10], times[(first + 2) * len(times) // 10]
        events = json.loads(run_heddle("export", "-f", "chrome", "--from", begin, "--to", end, ordered).stdout)["traceEvents"]
        assert slices(events)
        flows(events, "task"), flows(events, "lock")
        assert all(begin * 1e6 - 2e-3 <= event["ts"] <= end * 1e6 + 2e-3 for event in events if "ts" in event)


def flows(events, kind):
    """{id: (begin, end)}"""
    begun, ended = ({event["id"]: event for event in events if event["ph"] == phase and event["cat"] == kind} for phase in "sf")
    assert set(ended) <= set(begun)
    return {number: (begun[number], event) for number, event in ended.items()}


def test_chrome_has_arrows_to_tasks(ordered, run_heddle):
    events = json.loads(run_heddle("export", "-f", "chrome", ordered).stdout)["traceEvents"]
    found = flows(events, "task")
    assert set(found) == set(range(1, 22))
    for created, begun in found.values():
        assert created["ts"] <= begun["ts"]
        after = next(event for event in events[events.index(begun):] if event["ph"] == "B" and event["tid"] == begun["tid"])
        assert after["ts"] == begun["ts"] and after["name"].startswith("task ")


def test_chrome_has_arrows_between_holders_of_a_lock(build_program, run_heddle, tmp_path):
    program = build_program(r"""
#include <omp.h>
#include <unistd.h>
int main(void) {
  omp_lock_t lock;
  omp_init_lock(&lock);
#pragma omp parallel num_threads(2)
  {
    if (omp_get_thread_num() == 0)
      omp_set_lock(&lock);
#pragma omp barrier
    if (omp_get_thread_num() == 1)
      omp_set_lock(&lock);
    else
      usleep(100000);
    omp_unset_lock(&lock);
  }
  return 0;
}
""")
    path = tmp_path / "run.heddle"
    result = run_heddle("run", "-q", "--trace", "-o", path, "--", program)
    assert result.returncode == 0, result.stderr
    events = json.loads(run_heddle("export", "-f", "chrome", path).stdout)["traceEvents"]
    (released, acquired), = flows(events, "lock").values()
    assert (released["tid"], acquired["tid"]) == (0, 1) and acquired["bp"] == "e" and released["ts"] <= acquired["ts"]
    waits = [event for event in events[:events.index(acquired)] if event.get("tid") == 1 and event["ph"] in "BE"]
    assert waits[-1]["ph"] == "B" and waits[-1]["cat"] == "wait" and acquired["ts"] - waits[-1]["ts"] > 50000


def part_of(export, path, *options):
    """What a trace knows, too, of each callpath and thread."""
    keys = ("visits", "visits_concurrent", "instances", "elapsed_s", "capacity_s", "team_busy_s", "team_idle_s", "imbalance",
            "running_s", "active_s", "busy_s", "busy_inclusive_s", "wait_s", "runtime_s", "runtime_by_s", "idle_s", "entries",
            "elapsed_at_k_s", "thread_time_at_k_s", "team_size")
    made = export(path, *options)
    return {"run": {key: made["program"][key] for key in ("elapsed_s", "inside_regions_s", "time_at_k_s", "busy_s", "idle_s")},
            "profiles": [{key: entry[key] for key in keys} for entry in made["profiles"]],
            "threads": [{key: entry[key] for key in ("busy_s", "wait_s", "runtime_s", "idle_s")} for entry in made["threads"]],
            "overlaps": made["overlaps"]}


@pytest.mark.parametrize("program", PROGRAMS, ids=" ".join)
def test_its_profile_is_that_of_the_run(profile, build_program, export, runtime, program):
    made = profile(build_program(program[0]), *program[1:], runtime=runtime, threads=4, env=TRACED)
    assert part_of(export, made, "--to", "1000") == part_of(export, made)


def test_a_trace_knows_critical_path_and_locks(build_program, run_heddle, export, tmp_path):
    followed, traced = tmp_path / "followed.heddle", tmp_path / "traced.heddle"
    for path, options in ((followed, ("--critical-path", "--locks", "--trace")), (traced, ("--trace",))):
        result = run_heddle("run", "-q", *options, "-o", path, "--", build_program(ORDERED))
        assert result.returncode == 0, result.stderr
    for view in ("--critical-path", "--locks"):
        own, found = (run_heddle("report", view, "--csv", *options).stdout for options in ((followed,), ("--to", "1000", followed)))
        assert own == found and len(found.splitlines()) >= 3
        assert len(run_heddle("report", view, "--csv", traced).stdout.splitlines()) >= 3
    assert "The critical path: " in run_heddle("export", "-f", "dot", traced).stdout
    part = run_heddle("report", "--critical-path", "--from", "0.001", traced)
    assert "it is known of whole runs only, not of parts" in " ".join(part.stdout.split())


def test_parts_add_up_to_the_whole(path, export):
    whole = export(path)
    middle = str(whole["program"]["elapsed_s"] / 2)
    first, second = export(path, "--to", middle), export(path, "--from", middle)
    for key in ("elapsed_s", "busy_s", "idle_s", "inside_regions_s"):
        assert first["program"][key] + second["program"][key] == pytest.approx(whole["program"][key], abs=1e-8), key
    for i, entry in enumerate(whole["profiles"]):
        for key in ("busy_s", "busy_inclusive_s") if entry["measured"] else ():
            assert first["profiles"][i][key] + second["profiles"][i][key] == pytest.approx(entry[key], abs=1e-8)
    assert second["program"]["measured_from_s"] == pytest.approx(float(middle), abs=1e-6)
    assert 0 < sum(entry["visits"] or 0 for entry in second["profiles"]) < sum(entry["visits"] or 0 for entry in whole["profiles"])
    for part in (first, second):
        assert any("this is the part of the run from" in note and "from its trace" in note for note in part["run"]["notes"])
        assert part["run"]["overhead"] is None and {entry["overhead_s"] for entry in part["profiles"]} == {None}


def test_all_views_show_parts(path, run_heddle, tmp_path):
    page = tmp_path / "part.html"
    for command in (("report",), ("report", "--tree"), ("explain",), ("html", "-o", page)):
        result = run_heddle(*command, "--from", "0.001", "--to", "1000", path)
        assert result.returncode == 0, result.stderr
        assert "this is the part of the run" in (page.read_text() if "html" in command else result.stdout) or "explain" in command


def test_parts_that_there_are_not_are_refused(path, profile, build_program, run_heddle, tmp_path):
    plain = tmp_path / "plain.heddle"
    assert run_heddle("run", "-q", "-o", plain, "--", build_program(ORDERED)).returncode == 0
    for arguments, status, why in (((path, "--from", "1000"), 1, "nothing lies between 1000 s and"),
                                   ((path, "--from", "0.1", "--to", "0.05"), 1, "nothing lies between 0.1 s and 0.05"),
                                   ((path, "--from", "soon"), 2, "--from expects seconds since the program's start, not 'soon'"),
                                   ((path, "--from", "1", "--since", path), 2, "either --since or --from and --to"),
                                   ((plain, "--to", "1"), 1, "it has no trace ('heddle run --trace'): only the whole run is known")):
        result = run_heddle("report", *arguments)
        assert result.returncode == status and why in result.stderr and result.stdout == "", result.stderr


# Instances of a region, and routines that call it if they are instrumented; then one region for the rest of the run.
ROUNDS = r"""
#include <omp.h>

static int sum;

__attribute__((noinline)) static void region(void) {
#pragma omp parallel num_threads(2) // mark: region
  {
#pragma omp for
    for (int i = 0; i < 4; i++)
#pragma omp atomic
      sum++;
#pragma omp critical
    sum++;
  }
}

__attribute__((noinline)) static void round_of_regions(void) {
  for (int i = 0; i < 10; i++)
    region();
}

int main(int argc, char **argv) {
  (void)argv;
  for (int i = 0; i < 2000; i++)
    round_of_regions();
#pragma omp parallel num_threads(2) if (argc > 1)
  for (int i = 0; i < 100000 && argc > 1; i++)
#pragma omp critical
    sum++;
  return 0;
}
"""


@pytest.fixture(scope="module")
def record_end(build_program, run_heddle, tmp_path_factory):
    """record_end(arguments...) -> the end of a run"""

    def run(*arguments, flags=()):
        path = tmp_path_factory.mktemp("end") / "run.heddle"
        result = run_heddle("run", "-q", "--trace-last", "200k", "-o", path, "--", build_program(ROUNDS, flags=flags), *arguments,
                            env={"OMP_WAIT_POLICY": "passive"})
        assert result.returncode == 0, result.stderr
        return path

    return run


def check_part(trace, export, path, begin, end):
    """The profile of the part has what the trace has of it: instances that began in it, threads' times, all its wall time."""
    made = export(path, "--from", f"{begin:.9f}", "--to", f"{end:.9f}")
    since = made["program"]["measured_from_s"]
    found = [row for row in rows(trace(path, "--print", "--csv")) if since + 1e-9 < float(row["time_s"]) <= end + 1e-9]
    for entry in (entry for entry in made["profiles"] if entry["kind"] == "parallel" and entry["visits"]):
        begun = [row for row in found if row["event"] == "region_begin" and row["id"] == str(entry["id"])]
        assert entry["instances"] == len(begun)
        assert len(begun) == 1 or entry["team_size"] == {"min": 2, "max": 2}
    assert max(entry["instances"] or 0 for entry in made["profiles"]) > 5
    assert made["program"]["elapsed_s"] == pytest.approx(end - since, abs=1e-8)
    ends = {row["thread"]: float(row["time_s"]) for row in found if row["event"] == "thread_end"}
    for thread in made["threads"]:
        lived = thread["busy_s"] + thread["wait_s"] + thread["runtime_s"] + thread["idle_s"]
        assert lived == pytest.approx(ends.get(str(thread["thread"]), end) - since, abs=1e-7)
    assert sum(made["program"]["time_at_k_s"]) == pytest.approx(end - since, abs=1e-8)
    return made


def test_a_part_of_the_end_of_a_run(record_end, trace, export, run_heddle):
    path = record_end()
    begins, elapsed = export(path)["program"]["trace"]["whole_from_s"], export(path)["program"]["elapsed_s"]
    assert 0.01 < begins < elapsed
    middle = (begins + elapsed) / 2
    check_part(trace, export, path, middle, elapsed)
    made = check_part(trace, export, path, begins, middle)
    assert begins <= made["program"]["measured_from_s"] < (begins + middle) / 2
    assert any("this is the part of the run from" in note for note in made["run"]["notes"])
    assert any("the trace begins at" in note and "not with the run" in note for note in made["run"]["notes"])
    assert export(path, "--to", f"{middle:.9f}")["profiles"] == made["profiles"]
    for command in (("report",), ("explain",), ("html", "-o", path.with_suffix(".html"))):
        result = run_heddle(*command, "--from", f"{middle:.9f}", path)
        assert result.returncode == 0, result.stderr
    result = run_heddle("report", "--from", "0.001", "--to", f"{begins / 2:.9f}", path)
    assert result.returncode == 1 and "nothing lies between 0.001 s and" in result.stderr


def test_how_routines_were_called_before_the_trace_is_not_known(record_end, export):
    path = record_end(flags=("-finstrument-functions",))
    end = export(path)["program"]["elapsed_s"]
    made = export(path, "--to", f"{end:.9f}")
    routine, = (entry for entry in made["profiles"] if entry["name"] == "region" and entry["kind"] == "routine")
    assert routine["visits"] > 10 and routine["busy_s"] > 0 and routine["entries"] is None
    assert any("threads had called routines before the trace begins" in note for note in made["run"]["notes"])


def test_a_region_that_was_open_all_the_time(record_end, trace, run_heddle):
    """Who its team is, is not known: there is no profile, but all that happened is there."""
    path = record_end("long")
    taken = [float(row["time_s"]) for row in rows(trace(path, "--print", "--csv")) if row["event"] == "lock_acquired"]
    middle = taken[len(taken) // 2]
    result = run_heddle("report", "--to", f"{middle:.9f}", path)
    assert result.returncode == 1 and result.stdout == ""
    assert re.search(r"from [\d.]+ s, where its trace begins, to [\d.]+ s there is no moment without an open parallel region", result.stderr)
    assert slices(json.loads(run_heddle("export", "-f", "chrome", "--to", "1000", path).stdout)["traceEvents"])


def test_only_concurrency_is_traced_if_that_is_asked_for(build_program, run_heddle, trace, export, tmp_path):
    full, made = tmp_path / "full.heddle", tmp_path / "only.heddle"
    for path, option in ((full, "--trace"), (made, "--trace=concurrency,1M")):
        result = run_heddle("run", "-q", option, "-o", path, "--", build_program(ORDERED))
        assert result.returncode == 0, result.stderr
    said = export(made)["program"]["trace"]
    assert said["only_concurrency"] is True and said["limit_bytes"] == 1 << 20
    assert export(full)["program"]["trace"]["only_concurrency"] is False
    assert "whole; only changes of the number of busy threads" in re.sub(r"\s+", " ", trace(made))
    program, at, busy, spent = export(made)["program"], None, 0, [0.0] * 3
    for row in rows(trace(made, "--concurrency", "--csv")):
        if at is not None:
            spent[busy] += float(row["time_s"]) - at
        at, busy = float(row["time_s"]), int(row["busy_threads"])
    assert spent[2] == pytest.approx(program["time_at_k_s"][2], abs=1e-7)
    assert {row["event"] for row in rows(trace(made, "--print", "--csv"))} <= {"", "thread_begin", "thread_end"}
    for command in (("trace", "--check"), ("report", "--to", "1"), ("trace", "--instance", "slowest", "--region", "1")):
        result = run_heddle(*command, made)
        assert result.returncode == 1 and "its trace has only changes of the number of busy threads: 'heddle run --trace' has all" in result.stderr


def test_a_limit_is_kept_and_said(build_program, run_heddle, trace, export, tmp_path):
    made = tmp_path / "limited.heddle"
    result = run_heddle("run", "-q", "--trace=100k", "-o", made, "--", build_program(FLOOD))
    assert result.returncode == 0, result.stderr
    assert made.stat().st_size < 2 << 20
    said = export(made)["program"]["trace"]
    assert said["bytes"] <= said["limit_bytes"] == 100 << 10 and said["whole_until_s"] > 0
    assert "not with the run: it had its 0.1 MB then" in re.sub(r"\s+", " ", trace(made))
    result = run_heddle("trace", "--check", made)
    assert result.returncode == 1 and "it cannot add up to the profile" in re.sub(r"\s+", " ", result.stdout)


def test_the_end_of_a_run_is_kept(build_program, run_heddle, trace, export, tmp_path):
    made = tmp_path / "last.heddle"
    result = run_heddle("run", "-q", "--trace-last=200k", "-o", made, "--", build_program(FLOOD))
    assert result.returncode == 0, result.stderr
    assert made.stat().st_size < 2 << 20
    program = export(made)["program"]
    said = program["trace"]
    assert said["bytes"] <= said["limit_bytes"] == 200 << 10
    assert said["whole_until_s"] is None and 0 < said["whole_from_s"] < program["elapsed_s"]
    found = rows(trace(made, "--print", "--csv"))
    begins = [row for row in found if row["event"] == "trace_begin"]
    assert len(found) > 1000 and 1 <= len(begins) <= 2 and found[:len(begins)] == begins
    assert [float(row["time_s"]) for row in begins] == pytest.approx([said["whole_from_s"]] * len(begins), abs=1e-8)
    assert len([row for row in found if row["event"] == "thread_end"]) == 2 and found[-1]["event"] == "thread_end"
    assert said["whole_from_s"] < float(found[-1]["time_s"]) <= program["elapsed_s"] + 1e-6
    assert "it keeps the last 0.2 MB, what came before has been written over" in re.sub(r"\s+", " ", trace(made))
    result = run_heddle("trace", "--check", made)
    assert result.returncode == 1 and "what came before has been written over" in re.sub(r"\s+", " ", result.stdout)


def test_a_run_that_fits_is_kept_whole(build_program, run_heddle, trace, export, tmp_path):
    made = tmp_path / "last.heddle"
    result = run_heddle("run", "-q", "--trace-last", "1M", "-o", made, "--", build_program(ORDERED))
    assert result.returncode == 0, result.stderr
    assert export(made)["program"]["trace"]["whole_from_s"] is None and trace(made, "--check") == ADDS_UP


@pytest.mark.parametrize("option, said", [("--trace", "the folder of live profiles was full then ('HEDDLE_STORE_DIR' names another one)"),
                                          ("--trace-last=64M", "what came before has been written over")])
def test_where_there_is_no_room_for_so_much(build_program, run_heddle, trace, export, tmp_path, option, said):
    """The program's profile may have a megabyte: the trace ends there, or has the end of the run."""
    made = tmp_path / "little.heddle"
    result = run_heddle("run", "-q", option, "-o", made, "--", "sh", "-c", f"ulimit -f 1000; exec {build_program(FLOOD)}")
    assert result.returncode == 0, result.stderr
    assert said in re.sub(r"\s+", " ", trace(made))
    program = export(made)["program"]
    assert program["trace"]["bytes"] < 1 << 20
    assert (program["trace"]["whole_until_s"] is None) == (option != "--trace")


def test_the_end_can_be_read_while_it_is_written_over(start_steered, trace, tmp_path):
    """Each snapshot is in order: no block is taken for what another thread has written into it since. While one is copied,
    all there is may be written over: it has nothing then."""
    program = start_steered(env={"HEDDLE_TRACE_LAST": "1M", "HEDDLE_OVERHEAD": "off"})
    lengths = []
    for i in range(8):
        made = tmp_path / f"{i}.heddle"
        program.do("snapshot", "-o", made)
        times = [float(row["time_s"]) for row in rows(trace(made, "--print", "--csv"))]
        assert times == sorted(times)
        lengths.append(len(times))
    assert max(lengths) > 100


def test_a_killed_program_leaves_its_trace(build_program, run_heddle, trace, tmp_path):
    made = tmp_path / "killed.heddle"
    result = run_heddle("run", "-q", "--trace", "-o", made, "--", "sh", "-c",
                        f"timeout -s KILL 1 {build_program('floods.c')} critical 60; true",
                        env={"OMP_NUM_THREADS": "2", "OMP_WAIT_POLICY": "passive"})
    assert result.returncode == 0, result.stderr
    assert trace(made, "--check") == ADDS_UP
    assert len(trace(made, "--print", "--to", "0.1").splitlines()) > 1


def test_a_forked_child_has_its_own(build_program, run_heddle, trace, tmp_path):
    program = build_program(r"""
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
int main(void) {
  const pid_t child = fork();
#pragma omp parallel num_threads(2)
  usleep(1000);
  if (child)
    waitpid(child, NULL, 0);
  return 0;
}
""")
    result = run_heddle("run", "-q", "--trace", "-o", tmp_path / "%p.heddle", "--", program)
    assert result.returncode == 0, result.stderr
    made = sorted(tmp_path.glob("*.heddle"))
    assert len(made) == 2
    for one in made:
        assert trace(one, "--check") == ADDS_UP


def test_what_cannot_be_shown_is_said(path, profile, build_program, trace, export, run_heddle):
    plain = profile(build_program(WORK), runtime=19)
    assert export(plain)["program"]["trace"] is None and export(path)["program"]["trace"]["whole_until_s"] is None
    assert trace(plain, status=1) == f"heddle: {plain} has no trace: 'heddle run --trace' makes one\n"
    assert "has no callpath 99" in trace(path, "--instance", "first", "--region", "99", status=1)
    assert "no instance of callpath 0 began and ended" in trace(path, "--instance", "first", "--region", "0", status=1)
    for options, words in ((["--from", "1"], "belong to --print and --concurrency"), (["--csv"], "belong to --print"),
                           (["--instance", "first"], "--instance needs --region ID"), (["--region", "1"], "--region belongs to"),
                           (["--print", "--check"], "only one of"), (["--from", "soon", "--print"], "seconds since"),
                           (["--instance", "worst", "--region", "1"], "--instance")):
        assert words in trace(path, *options, status=2)
    result = run_heddle("run", "--trace", "--trace-last=1M", "--", "true")
    assert result.returncode == 2 and "either --trace or --trace-last" in result.stderr
    result = run_heddle("run", "--trace=much", "--", "true")
    assert result.returncode == 2 and "--trace expects a size such as 64M, or concurrency, or both" in result.stderr
