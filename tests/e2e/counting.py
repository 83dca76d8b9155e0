# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a profile's JSON says about counted events: look-ups, and what must hold wherever a test knows the counts."""
import functools

from conftest import BUILD

FAULTS = "perf::PAGE-FAULTS"
CLOCK = "perf::TASK-CLOCK"
SWITCHES = "perf::CONTEXT-SWITCHES"

# What libpapi may be on a machine, as `heddle` finds it: a stub whose component perf_event has events of the kernel's names,
# as libpfm does; the same where that component is off; none. On every machine tests use these, never its own.
STUB = BUILD / "tests" / "unit" / "libstub-papi.so"
PAPIS = {"on": {"HEDDLE_PAPI": str(STUB)}, "off": {"HEDDLE_PAPI": str(STUB), "STUB_PAPI_DISABLED": "no default PMU"},
         "none": {"HEDDLE_PAPI": "/nowhere/libpapi.so"}}

CLASSES = {"busy": "counters", "waiting": "counters_waiting", "runtime": "counters_runtime"}
REGIONS = {"program", "parallel", "teams", "phase"}
LOOPS = REGIONS | {"loop", "loop_static", "loop_dynamic", "loop_guided", "sections", "single", "workshare",
                   "distribute", "taskloop", "scope", "task"}


def exactly(test):
    """For tests that know each page fault. The kernel may take a page away at any time (it moves pages to make room,
    and drops those of files), and the next use of it is a fault that nobody expects: after a failure the test must
    hold twice."""

    @functools.wraps(test)
    def run(*arguments, **fixtures):
        try:
            test(*arguments, **fixtures)
        except AssertionError as failure:
            print(failure)
            test(*arguments, **fixtures)
            test(*arguments, **fixtures)

    return run


def count(entry, of="busy", event=FAULTS):
    """An event's count of a profile, thread or the program; None: not known."""
    counters = entry.get(CLASSES[of])
    return None if counters is None else counters[event]


def each(entries, of="busy", event=FAULTS):
    """The counts of each thread that has any, in order of size, summed over entries."""
    sums = {}
    for entry in entries:
        for row in entry["threads"]:
            sums[row["thread"]] = sums.get(row["thread"], 0) + count(row, of, event)
    return sorted(n for n in sums.values() if n)


def is_told_apart(entry, at):
    if entry["kind"] == "routine":
        return at == "all" and entry["measured"]
    return at == "all" or entry["kind"] in (REGIONS if at == "region" else LOOPS)


def below(loaded, routine):
    """The entries below a routine of that name."""
    return [entry for entry in loaded.profiles
            if any(a["kind"] == "routine" and a["name"] == routine for a in loaded.ancestors(entry))]


def total(entries, of="busy", event=FAULTS):
    """Of those that are told apart."""
    return sum(count(entry, of, event) or 0 for entry in entries)


def assert_known_where_told_apart(entries, at, event=FAULTS):
    for entry in entries:
        known = [count(entry, of, event) is not None for of in CLASSES]
        assert known == [is_told_apart(entry, at)] * 3, (entry["kind"], entry["name"], entry["line"], known)
        assert not entry.get("counters_partial"), entry


def key_of(entry):
    """A source line, or a name where there is none that a test knows."""
    return entry["name"] if entry["kind"] in ("phase", "routine") else entry["line"]


def assert_counts(entries, at, busy, event=FAULTS, waiting=True):
    """Of all `entries`, `busy` ones were counted as often as it says and no others, not even while waiting or in the
    runtime. busy: {key: counts of each thread, in order of size; or a number, the sum of whatever threads}."""
    assert_known_where_told_apart(entries, at, event)
    by_key = {}
    for entry in entries:
        if is_told_apart(entry, at):
            by_key.setdefault(key_of(entry), []).append(entry)
    assert set(busy) <= set(by_key), (busy, list(by_key))
    for key, same in by_key.items():
        actual, expected = each(same, event=event), busy.get(key, [])
        if isinstance(expected, int):
            actual = sum(actual)
        assert actual == expected, f"{key}: {actual}, expected {expected}"
        assert total(same, event=event) == sum(each(same, event=event)), key
        for of in ("waiting", "runtime"):
            assert total(same, of, event) == 0 and not each(same, of, event), (key, of, each(same, of, event))
