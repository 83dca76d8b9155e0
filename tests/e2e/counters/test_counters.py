# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Events are counted for the callpath, thread and class where they happened: proved with page faults, of which the
programs make a known number, and exactly. What the first time through a piece of code costs is below `warm_up`.
"""
import itertools
import re
import resource

import pytest

from conftest import INSTRUMENTED, SOURCE, assert_close, marks, run_plain, wait_of
from counting import (CLASSES, CLOCK, FAULTS, PAPIS, STUB, SWITCHES, assert_counts, assert_known_where_told_apart,
                      below, count, each, exactly, is_told_apart, total)
from timed import check_times

INCLUDE = [f"-I{SOURCE}/include"]

levels = pytest.mark.parametrize("at", ("region", "loop", "all"))
threads_1_2_4 = pytest.mark.parametrize("threads", (1, 2, 4))


def expected_of_loops(line, at, threads, n):
    units = [n * (i + 1) for i in range(threads)]
    if at == "region":
        return {line["region"]: sum(110 * u for u in units) + 100 * n}
    found = {line["touching"]: [100 * u for u in units], line["single"]: [40 * n], line["sections"]: 60 * n}
    if at == "loop":
        return {**found, line["region"]: [10 * u for u in units]}
    return {**found, line["region"]: [5 * u for u in units], line["critical"]: [5 * u for u in units]}


@threads_1_2_4
@levels
@exactly
def test_faults_are_where_the_pages_were_touched(measure, build_program, runtime, threads, at):
    loaded = measure(build_program("counters_loops.c"), runtime=runtime, threads=threads, events=FAULTS, at=at)
    line = marks("counters_loops.c")
    for routine, n in (("measured", 1), ("other", 3)):
        assert_counts(below(loaded, routine), at, expected_of_loops(line, at, threads, n))
        region = loaded.one(line["region"], "parallel", below=loaded.routine(routine)["line"])
        assert region["counters_inclusive"][FAULTS] == sum(110 * n * (i + 1) for i in range(threads)) + 100 * n


@exactly
def test_faults_of_threads_that_spin_while_they_wait(measure, build_program, runtime):
    loaded = measure(build_program("counters_loops.c"), runtime=runtime, threads=2, events=FAULTS,
                     env={"OMP_WAIT_POLICY": "active", "KMP_BLOCKTIME": "infinite"})
    line = marks("counters_loops.c")
    assert_counts(below(loaded, "measured"), "loop", expected_of_loops(line, "loop", 2, 1))


@levels
@exactly
def test_faults_in_nested_regions(measure, build_program, runtime, at):
    loaded = measure(build_program("counters_nested.c"), runtime=runtime, threads=2, events=FAULTS, at=at)
    line = marks("counters_nested.c")
    found = {line["outer"]: [30, 40], line["inner"]: [7] * 4, line["loop"]: [100, 200, 300, 400]}
    if at == "region":
        found = {line["outer"]: [30, 40], line["inner"]: [107, 207, 307, 407]}
    assert_counts(below(loaded, "measured"), at, found)


@threads_1_2_4
@pytest.mark.parametrize("where", ("barrier", "taskwait"))
@exactly
def test_faults_of_tasks_that_run_where_threads_wait(measure, build_program, runtime, threads, where):
    loaded = measure(build_program("counters_tasks.c"), where, runtime=runtime, threads=threads, events=FAULTS)
    line = marks("counters_tasks.c")
    entries = below(loaded, "measured")
    assert_counts(entries, "loop", {line["task"]: 240, line["region"]: [15]})
    tasks = each([entry for entry in entries if entry["kind"] == "task"])
    assert {n % 10 for n in tasks} == {0}, tasks


@levels
@exactly
def test_faults_of_phases_and_serial_parts(measure, build_program, runtime, at):
    loaded = measure(build_program("counters_serial.c", flags=INCLUDE), runtime=runtime, events=FAULTS, at=at)
    line = marks("counters_serial.c")
    assert_counts(below(loaded, "measured"), at,
                  {"read": [70], "solve": [70], line["region"]: [100, 200], "paused": [1024]})


# ---- routines ----


@exactly
def test_faults_of_instrumented_routines(measure_routines, build_program, runtime):
    loaded = measure_routines(instrumented(build_program), runtime=runtime, threads=2, events=FAULTS, at="all")
    line = marks("counters_routines.c")
    entries = [loaded.routine("measured"), *below(loaded, "measured")]
    assert_counts(entries, "all", {"measured": [33], "upper": [20], "falls": [10], "lower": 340,
                                   line["region"]: [8, 16]})
    assert total(entry for entry in loaded.routines("lower", below="measured")
                 if any(a["name"] == "upper" for a in loaded.ancestors(entry))) == 30
    in_region = [entry for entry in loaded.routines("lower", below="measured")
                 if any(a["kind"] == "parallel" for a in loaded.ancestors(entry))]
    assert each(in_region) == [105, 205]
    critical = loaded.one(line["critical"], "critical", below=loaded.routine("measured")["line"])
    assert critical["counters_inclusive"][FAULTS] == 10
    assert loaded.routine("measured")["counters_inclusive"][FAULTS] == 33 + 20 + 30 + 10 + 24 + 310


@exactly
def test_routines_that_are_not_told_apart_belong_to_what_is_around(measure_routines, build_program, runtime):
    loaded = measure_routines(instrumented(build_program), runtime=runtime, threads=2, events=FAULTS)
    assert_counts(below(loaded, "measured"), "loop", {marks("counters_routines.c")["region"]: [113, 221]})


def instrumented(build_program):
    return build_program("counters_routines.c", flags=INSTRUMENTED)


# ---- levels ----


@exactly
def test_levels_agree_in_their_sums(measure, build_program, runtime):
    sums = []
    for at in ("region", "loop", "all"):
        loaded = measure(build_program("counters_loops.c"), runtime=runtime, threads=2, events=FAULTS, at=at)
        entries = below(loaded, "other")
        sums.append([total(entries, of) for of in ("busy", "waiting", "runtime")] + each(
            [entry for entry in entries if is_told_apart(entry, at)]))
    assert sums[0][:3] == sums[1][:3] == sums[2][:3] == [1290, 0, 0], sums


def test_nothing_is_counted_unless_asked_for(measure, build_program, runtime):
    loaded = measure(build_program("counters_loops.c"), runtime=runtime, threads=2)
    assert loaded["run"]["counters"] is None
    for entry in (loaded["program"], *loaded.threads, *loaded.profiles):
        assert entry["counters"] is None and not {"counters_waiting", "counters_runtime", "metrics"} & entry.keys()


# ---- pauses ----


@pytest.mark.parametrize("how", ("pause", "control"))
@exactly
def test_what_happens_in_a_pause_is_not_counted(measure, build_program, runtime, how):
    loaded = measure(build_program("counters_serial.c", flags=INCLUDE), how, runtime=runtime, events=FAULTS)
    line = marks("counters_serial.c")
    entries = {entry["name"] if entry["kind"] == "phase" else entry["line"]: entry
               for entry in below(loaded, "measured")}
    assert each([entries["paused"]]) == [24]
    assert each([entries["solve"]]) == each([entries["read"]]) == [70]
    assert each([entries[line["region"]]]) == [100, 200]


# ---- how programs end ----


def regions(loaded):
    """Those from `measured`."""
    return [entry for entry in below(loaded, "measured") if entry["kind"] == "parallel"]


@pytest.mark.parametrize("how", ("no fork", "fork"))
@exactly
def test_a_child_is_not_counted(measure_routines, build_program, runtime, how):
    loaded = measure_routines(build_program("counters_fork.c"), how, runtime=runtime, events=FAULTS)
    assert each(regions(loaded)) == [200, 400]
    assert total(loaded.profiles) < 1000, "5000 pages are the child's"


@pytest.mark.parametrize("how, status", (("exec", 0), ("exit", 3), ("_exit", 4), ("kill", 137)))
@exactly
def test_counts_up_to_the_end(measure_routines, build_program, runtime, how, status):
    loaded = measure_routines(build_program("counters_ends.c"), how, runtime=runtime, events=FAULTS, status=status)
    line = marks("counters_ends.c")
    assert each(regions(loaded)) == [100, 200]
    if how != "exec":
        assert each([loaded.one(line["loop"])]) == [10, 20]
    else:
        assert "became another" in loaded.stdout


# ---- processor time, switches ----


@pytest.mark.timed
@pytest.mark.parametrize("threads, policy", ((1, "active"), (2, "active"), (2, "passive"), (4, "passive")))
def test_processor_time_of_work_and_of_waiting(measure, build_program, runtime, threads, policy):
    blocktime = "infinite" if policy == "active" else "0"
    env = {"OMP_WAIT_POLICY": policy, "KMP_BLOCKTIME": blocktime, "KMP_USE_YIELD": "0"}  # who spins keeps the processor
    line = marks("counters_clock.c")["loop"]

    def check(loaded):
        loop = loaded.one(line)
        without_processor = sum(loaded.spun) - sum(loaded.ran)
        for actual, ran in zip(each([loop], event=CLOCK), sorted(loaded.ran), strict=True):
            assert abs(actual / 1e9 - ran) <= 0.01 * max(loaded.spun), "busy of a thread, by the processor's time"
        assert abs(count(loop, event=CLOCK) / 1e9 + without_processor - loop["busy_s"]) <= 0.02 * loop["busy_s"]
        waited = wait_of(loop, "barrier_implicit")
        assert_close(count(loop, "waiting", CLOCK) / 1e9, sum(loaded.stood), "waiting", scale=sum(loaded.spun))
        if policy == "active" and threads == 2:
            assert 0.1 * waited < count(loop, "waiting", CLOCK) / 1e9 < 1.02 * waited
        if policy == "passive":
            assert count(loop, "waiting", CLOCK) / 1e9 < 0.02 * sum(loaded.spun)

    check_times(lambda: measure(build_program("counters_clock.c"), 40, runtime=runtime, threads=threads, env=env,
                                events=CLOCK), check)


@pytest.mark.timed
@threads_1_2_4
def test_switches_of_threads_that_sleep(measure, build_program, runtime, threads):
    """Every sleep is a switch; the kernel says how many others there were. One may fall between its books and ours."""
    times, line = 10, marks("counters_switches.c")["loop"]

    def check(loaded):
        books = [[int(n) for n in found]
                 for found in re.findall(r"^switched \d+ (\d+) (\d+)$", loaded.stdout, re.M)]
        assert [voluntary for voluntary, _ in books] == [times * (i + 1) for i in range(threads)]
        assert each([loaded.one(line)], event=SWITCHES) == sorted(sum(found) for found in books)

    check_times(lambda: measure(build_program("counters_switches.c"), times, runtime=runtime, threads=threads,
                                env={"OMP_WAIT_POLICY": "passive"}, events=SWITCHES), check)


SHORT = """
int main(void) {
#pragma omp parallel num_threads(1)
  for (int i = 0; i < 30000; i++) {
#pragma omp critical
    __asm__ volatile("");
  }
  return 0;
}
"""


@pytest.mark.timed
def test_what_readings_cost_is_taken_out(measure, build_program, runtime):
    """30,000 critical sections with nothing in them, and a reading at each of their three edges."""

    def check(loaded):
        cost = loaded["run"]["counters"]["events"][0]["cost_per_reading"]
        assert 100 < cost < 20000
        read = [entry for entry in loaded.profiles if entry["kind"] in ("parallel", "critical")]
        assert sorted(entry["visits"] for entry in read) == [1, 30000]
        for entry, of in itertools.product(read, ("busy", "waiting")):
            assert count(entry, of, CLOCK) < 0.4 * 30000 * cost, (entry["kind"], of)

    check_times(lambda: measure(build_program(SHORT), runtime=runtime, events=CLOCK, at="all",
                                env={"HEDDLE_OVERHEAD": "off"}), check)


@pytest.mark.needs("kernel-perf")
@exactly
def test_several_events_at_once(measure, build_program, runtime):
    """In the order asked for; one that is asked for twice, in other letters, is one."""
    events = f"{SWITCHES},{FAULTS},perf::page-faults,perf::CPU-MIGRATIONS,{CLOCK}"
    loaded = measure(build_program("counters_loops.c"), runtime=runtime, threads=2, events=events)
    names = [event["name"] for event in loaded["run"]["counters"]["events"]]
    assert names == [SWITCHES, FAULTS, "perf::CPU-MIGRATIONS", CLOCK]
    assert_counts(below(loaded, "measured"), "loop", expected_of_loops(marks("counters_loops.c"), "loop", 2, 1))
    for entry in (loaded["program"], *loaded.threads):
        assert list(entry["counters"]) == names
        assert entry["counters"][CLOCK] <= 1.02e9 * entry["busy_s"]


def whole_process(profile, export, build_program, runtime):
    """-> (event -> its count of the whole program, fields of getrusage -> their sum for the process)."""
    built = build_program("counters_clock.c")
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    path = profile(built, 40, runtime=runtime, threads=2,
                   env={"HEDDLE_COUNTERS": f"{FAULTS},{CLOCK},{SWITCHES}"})
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    program = export(path)["program"]
    return (lambda event: sum(count(program, of, event) for of in CLASSES),
            lambda *fields: sum(getattr(after, field) - getattr(before, field) for field in fields))


def test_the_kernel_counted_no_less_for_the_whole_process(profile, export, build_program, runtime):
    """Less what came before the first construct, and Heddle's own."""
    counted, used = whole_process(profile, export, build_program, runtime)
    assert 0 < counted(FAULTS) <= used("ru_minflt", "ru_majflt")
    assert counted(SWITCHES) <= used("ru_nvcsw", "ru_nivcsw")


@pytest.mark.timed
def test_the_kernel_noted_the_same_time_for_the_whole_process(profile, export, build_program, runtime):
    """Likewise. Interrupts are no processor time in its books."""

    def check(found):
        counted, used = found
        assert 0.85 * used("ru_utime", "ru_stime") <= counted(CLOCK) / 1e9 <= 1.1 * used("ru_utime", "ru_stime")

    check_times(lambda: whole_process(profile, export, build_program, runtime), check)


# ---- descriptors ----


def opened(loaded):
    return int(re.search(r"^opens (\d+)$", loaded.stdout, re.M).group(1))


def test_the_programs_files_get_the_numbers_they_would_have(measure, build_program, runtime):
    program = build_program("counters_descriptors.c")
    plain = measure(program, runtime=runtime)
    counted = measure(program, runtime=runtime, events=f"{FAULTS},{CLOCK}")
    assert opened(plain) == opened(counted)


@pytest.mark.needs("kernel-perf")
@exactly
def test_files_of_a_program_that_closes_ours(measure, build_program, runtime, tmp_path):
    """It closes every descriptor and opens its own in their place: these are left alone, and what is not counted any
    more is not known."""
    file = tmp_path / "file"
    file.write_bytes(bytes(range(256)) * 256)
    loaded = measure(build_program("counters_descriptors.c"), "close", file, runtime=runtime, events=FAULTS)
    assert "offsets 0\n" in loaded.stdout, loaded.stdout
    assert file.read_bytes() == bytes(range(256)) * 256
    line = marks("counters_descriptors.c")["region"]
    before, after = (loaded.one(line, "parallel", below=loaded.routine(name)["line"])
                     for name in ("measured", "afterwards"))
    assert before["counters_partial"] == {FAULTS: {"counted": 300, "threads_missing": [0, 1]}}
    assert count(before) is None and count(after) is None and count(loaded["program"]) is None
    assert any("not counted" in note for note in loaded["run"]["notes"])


@pytest.mark.needs("kernel-perf")
@exactly
def test_threads_for_which_there_are_no_descriptors(measure, build_program, runtime):
    left = 8
    loaded = measure(build_program("counters_descriptors.c"), "limit", left, runtime=runtime, events=FAULTS,
                     env={"OMP_WAIT_POLICY": "passive"})
    assert opened(loaded) >= 3, "the program may open its own files"
    region = loaded.one(marks("counters_descriptors.c")["region"], "parallel", below=loaded.routine("measured")["line"])
    counted = [row for row in region["threads"] if count(row) is not None]
    missing = [row["thread"] for row in region["threads"] if count(row) is None]
    assert len(counted) + len(missing) == 8 and counted and missing
    assert all(count(row) > 0 and count(row) % 100 == 0 for row in counted)
    assert count(region) is None
    partial = region["counters_partial"][FAULTS]
    assert partial == {"counted": sum(count(row) for row in counted), "threads_missing": missing}
    assert count(loaded["program"]) is None


@exactly
def test_all_threads_are_counted_where_descriptors_do_not_suffice_and_that_is_known(measure, build_program, runtime):
    loaded = measure(build_program("counters_descriptors.c"), "limit", 8, runtime=runtime, threads=8, events=FAULTS)
    assert loaded["run"]["counters"]["events"][0]["source"] == "usage"
    assert each(regions(loaded)) == list(range(100, 900, 100))


# ---- programs built by GCC ----


@pytest.mark.parametrize("threads", (2, 4))
@exactly
def test_faults_of_a_program_built_by_gcc(measure_routines, build_program, runtime, threads):
    """GCC calls nothing for a static loop: what happens in it is the region's own, and so is a single's work. It makes
    a dynamic loop of the sections."""
    program = build_program("counters_loops.c", compiler="gcc")
    loaded = measure_routines(program, runtime=runtime, threads=threads, gomp=True, events=FAULTS)
    line = marks("counters_loops.c")
    for routine, n in (("measured", 1), ("other", 3)):
        entries = below(loaded, routine)
        units = sum(n * (i + 1) for i in range(threads))
        loops = [entry for entry in entries if entry["kind"] in ("loop", "loop_dynamic")]
        assert total(loops) == 60 * n
        others = [entry for entry in entries if entry not in loops]
        assert_counts(others, "loop", {line["region"]: 110 * units + 40 * n})


@pytest.mark.parametrize("where", ("barrier", "taskwait"))
@exactly
def test_faults_of_tasks_of_a_program_built_by_gcc(measure_routines, build_program, runtime, where):
    program = build_program("counters_tasks.c", compiler="gcc")
    loaded = measure_routines(program, where, runtime=runtime, threads=4, gomp=True, events=FAULTS)
    entries = below(loaded, "measured")
    assert_known_where_told_apart(entries, "loop")
    assert total(entry for entry in entries if entry["kind"] == "task") == 240
    assert each(entry for entry in entries if entry["kind"] == "parallel") == [15]
    assert total(entries) == 255 and total(entries, "waiting") == total(entries, "runtime") == 0


# ---- programs that use PAPI themselves ----


@pytest.mark.parametrize("event", ("STUB_SETS", "STUB_THREADS"))
@pytest.mark.parametrize("events", (None, FAULTS, f"STUB_SETS,{FAULTS},STUB_THREADS", "PAPI_TOT_INS"),
                         ids=("no events", "kernel's", "stub's", "PAPI's"))
@exactly
def test_a_program_that_uses_papi_itself(measure, build_program, runtime, event, events):
    """Its instance of the library is not ours, even where both are the same file: it sees its own sets and threads."""
    program = build_program("counters_papi.c", flags=["-pthread", str(STUB), f"-Wl,-rpath={STUB.parent}"])
    plain = run_plain(program, event, runtime=runtime)
    assert plain.returncode == 0 and "initialised 1 threads 0" in plain.stdout
    assert re.findall(r"status (-?\d+) counted (\d+)", plain.stdout) == [("0", "2")] * 4
    loaded = measure(program, event, runtime=runtime, events=events, env=PAPIS["on"])
    assert loaded.stdout == plain.stdout
    if events and FAULTS in events:
        loop = [entry for entry in below(loaded, "measured") if entry["line"] == marks("counters_papi.c")["loop"]]
        assert each(loop) == [100, 200]
