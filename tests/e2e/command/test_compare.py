# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`heddle compare`: what real runs are compared with what, sums to the tick, the formats alike, and what it refuses."""
import csv
import fcntl
import io
import json
import os
import pty
import re
import shutil
import struct
import subprocess
import termios

import pytest

from conftest import HEDDLE, TIMEOUT_S, clean_environment, environment_for

# A balanced loop, one whose last iterations cost most, a critical section; one region is opened more often with more
# threads and one at 2 threads only. Argument 1: how much work; argument 2: "fail", "die", "twice" (balanced() from a
# second place).
WORK = r"""
#include <omp.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
static volatile double sink;
static long count;
static void work(long n) { double x = 0; for (long i = 0; i < n; i++) x += (double)i * 0.5; sink = x; }
__attribute__((noinline)) static void balanced(long n) {
#pragma omp parallel for
  for (int i = 0; i < 100; i++) work(n);
}
__attribute__((noinline)) static void uneven(long n) {
#pragma omp parallel
  {
#pragma omp for
    for (int i = 0; i < 100; i++) work(n * i / 50);
#pragma omp critical
    count++;
  }
}
__attribute__((noinline)) static void often(long n) {
#pragma omp parallel
  work(n);
}
__attribute__((noinline)) static void seldom(long n) {
#pragma omp parallel
  work(n);
}
__attribute__((noinline)) static void second(long n) { balanced(n); count--; }
int main(int argc, char **argv) {
  const long n = argc > 1 ? atol(argv[1]) : 1000;
  const char *what = argc > 2 ? argv[2] : "";
  work(20 * n);
  balanced(n);
  uneven(n);
  for (int i = 0; i < omp_get_max_threads(); i++) often(n);
  if (omp_get_max_threads() == 2) seldom(5 * n);
  if (!strcmp(what, "twice")) second(n);
  if (!strcmp(what, "die")) raise(SIGKILL);
  return !strcmp(what, "fail");
}
"""
EDITED = WORK.replace("static long count;", "static long count;\n\n\n").replace("count++", "count += 2")
CAUSES = ("serial", "imbalance", "barrier_explicit", "locks", "tasks", "runtime", "other", "work_inflation")
N = 20000


@pytest.fixture(scope="module")
def record(build_program):
    """record(file, threads, n, ..., source=, events=) runs the program under `heddle run`."""

    def run(file, threads, *arguments, source=WORK, events=None, status=0):
        file.parent.mkdir(parents=True, exist_ok=True)
        program = build_program(source, flags=("-fno-inline",))
        asked = ["-e", events] if events else []
        env = environment_for(19, threads, {"OMP_WAIT_POLICY": "passive"})
        result = subprocess.run([HEDDLE, "run", "-q", *asked, "-o", file, "--", program, *map(str, arguments or (N,))],
                                env=env, capture_output=True, timeout=TIMEOUT_S)
        assert result.returncode == status, result.stderr
        return file

    return run


@pytest.fixture(scope="module")
def scan(record, tmp_path_factory):
    """Three repeats at 1 and 2 threads."""
    folder = tmp_path_factory.mktemp("compare") / "scan"
    for repeat in (1, 2, 3):
        for threads in (1, 2):
            record(folder / f"t{threads}.r{repeat}.heddle", threads)
    (folder / "scan.json").write_text("{}")
    (folder / "t1.r1.out").write_text("what the program printed\n")
    return folder


@pytest.fixture(scope="module")
def edited(record, tmp_path_factory):
    """Three runs of another build with 2 threads."""
    folder = tmp_path_factory.mktemp("compare") / "edited"
    for repeat in (1, 2, 3):
        record(folder / f"{repeat}.heddle", 2, source=EDITED)
    return folder


@pytest.fixture
def twos(scan, tmp_path):
    folder = tmp_path / "twos"
    folder.mkdir()
    for file in scan.glob("t2*.heddle"):
        shutil.copy(file, folder)
    return folder


@pytest.fixture
def compare(run_heddle):
    def run(*arguments, status=0):
        result = run_heddle("compare", *arguments)
        assert result.returncode == status, (result.returncode, result.stdout[-500:], result.stderr)
        run.stderr = result.stderr
        return result.stdout

    return run


@pytest.fixture
def load(compare):
    """The comparisons in the JSON, each seen to add up."""

    def run(*arguments):
        loaded = json.loads(compare("--json", *arguments))
        assert loaded["heddle_compare"] == 1
        for comparison in loaded["comparisons"]:
            assert_adds_up(comparison)
        return loaded["comparisons"]

    return run


def assert_adds_up(comparison):
    """To the tick, in every row and at every point."""
    seen = 0
    for row in comparison["rows"]:
        base = row["at"][0]
        for at in filter(None, row["at"]):
            threads = comparison["runs"][at["run"]]["threads"]
            where = (row["text"], comparison["points"][at["point"]]["label"])
            assert at["capacity_ticks"] == at["busy_ticks"] + sum(at["not_busy_ticks"].values()), where
            assert at["matched"] == (base is not None)
            assert len(at["seconds"]) == at["runs"] and min(at["seconds"]) <= at["time_s"] <= max(at["seconds"])
            if row["kind"] in ("program", "region"):
                assert at["capacity_ticks"] == threads * at["time_ticks"], where
            if not at["matched"]:
                assert at["lost_ticks"] is None and at["speedup"] is None
                continue
            lost = at["lost_ticks"]
            assert tuple(lost) == CAUSES
            assert sum(lost.values()) == at["lost_total_ticks"] == at["capacity_ticks"] - base["capacity_ticks"], where
            assert lost["work_inflation"] == at["busy_ticks"] - base["busy_ticks"], where
            for cause in CAUSES:
                assert close(at["lost_s"][cause] * threads, lost[cause] * comparison["seconds_per_tick"]), where
            assert close(at["lost_total_s"], sum(at["lost_s"].values())), where
            seen += 1
    assert seen >= 2 * len(comparison["points"])


def close(a, b):
    return abs(a - b) <= 1e-9 * (1 + abs(a) + abs(b))


def flat(text):
    """Without the ends of lines."""
    return " ".join(text.split())


def row_of(comparison, text):
    found = [row for row in comparison["rows"] if text in row["text"]]
    assert len(found) == 1, (text, [row["text"] for row in comparison["rows"]])
    return found[0]


# ---- what is compared with what ----


def test_scan_is_compared_by_threads(load, scan):
    [comparison] = load(scan)
    assert comparison["mode"] == "scaling" and comparison["title"] is None
    assert [(p["label"], p["threads"], p["run_count"]) for p in comparison["points"]] == [("1", 1, 3), ("2", 2, 3)]
    program = comparison["rows"][0]
    one, two = program["at"]
    assert program["kind"] == "program" and comparison["rows"][1]["kind"] == "outside"
    assert two["lost_total_ticks"] == 2 * two["time_ticks"] - one["time_ticks"]
    assert close(two["speedup"], one["time_s"] / two["time_s"]) and close(two["efficiency"], two["speedup"] / 2)
    assert close(two["work_efficiency"], one["busy_ticks"] / two["busy_ticks"])
    assert two["noise_known"] and two["lost_total_interval_s"][0] <= two["lost_total_interval_s"][1]
    fraction = comparison["points"][1]["karp_flatt"]
    if two["speedup"] < 1:  # as on a machine that has other work: no part of a program is more than all of it
        assert fraction is None
    else:
        assert close(fraction, (1 / two["speedup"] - 1 / 2) / (1 - 1 / 2))
    serial = comparison["serial_ticks"]
    assert 0 < serial < one["busy_ticks"] and close(comparison["amdahl_bound"], one["time_ticks"] / serial)
    divided = one["busy_ticks"] - serial
    assert close(comparison["points"][1]["amdahl_bound"], one["time_ticks"] / (serial + divided / 2))


def test_profiles_are_compared_as_their_directory_is(compare, scan):
    files = sorted(scan.glob("*.heddle"))
    assert compare("--csv", *files) == compare("--csv", scan) == compare("--csv", f"{scan}/")


def test_sets_with_one_thread_count_are_sides(load, twos, scan, tmp_path):
    after = tmp_path / "after"
    shutil.copytree(twos, after)
    [comparison] = load(twos, after)
    assert comparison["mode"] == "sides"
    assert [(p["label"], p["run_count"]) for p in comparison["points"]] == [("twos", 3), ("after", 3)]
    assert load(f"{twos}/", f"{after}//")[0]["runs"][0]["path"] == str(twos / "t2.r1.heddle")
    for row in comparison["rows"]:
        assert row["laws"] is None
        assert row["at"][1]["lost_total_ticks"] == 0 and row["at"][1]["in_noise"], row["text"]  # the same runs
    one = [scan / f"t1.r{i}.heddle" for i in (1, 2, 3)]
    assert [p["label"] for p in load(*one)[0]["points"]] == ["t1.r1.heddle", "t1.r2.heddle", "t1.r3.heddle"]


def test_equal_names_of_sides_become_paths(load, twos, tmp_path):
    shutil.copytree(twos, tmp_path / "b" / "twos")
    [comparison] = load(twos, tmp_path / "b" / "twos")
    assert [p["label"] for p in comparison["points"]] == [str(twos)[:63], str(tmp_path / "b" / "twos")[:63]]


def test_sets_of_a_scan_with_parameters(load, compare, scan, tmp_path):
    for name in ("n=1", "n=2"):
        shutil.copytree(scan, tmp_path / name)
    (tmp_path / ".running").mkdir()
    shutil.copy(scan / "t1.r1.heddle", tmp_path / ".running")
    loaded = load(tmp_path)
    assert [(c["mode"], c["title"]) for c in loaded] == [
        ("scaling", "n=1"), ("scaling", "n=2"), ("sides", "1 thread"), ("sides", "2 threads")]
    assert [point["label"] for point in loaded[2]["points"]] == ["n=1", "n=2"]  # what is hidden is not compared
    assert [c["mode"] for c in load("--scaling", tmp_path)] == ["scaling", "scaling"]
    assert [c["title"] for c in load("--difference", tmp_path)] == ["1 thread", "2 threads"]
    text = compare(tmp_path)
    assert [line for line in text.splitlines() if line.startswith("== ")] == [
        "== n=1 ==", "== n=2 ==", "== 1 thread ==", "== 2 threads =="]
    assert text.count("Karp-Flatt%: the serial part") == 1  # explained once
    lines = list(csv.DictReader(io.StringIO(compare("--csv", tmp_path))))
    assert {line["comparison"] for line in lines} == {"n=1", "n=2", "1 thread", "2 threads"}


def test_sets_of_a_scan_keep_its_order(load, twos, tmp_path):
    folder = tmp_path / "scan"
    for name in ("B=after", "B=before", "B=other"):
        shutil.copytree(twos, folder / name)
    assert [p["label"] for p in load(folder)[0]["points"]] == ["B=after", "B=before", "B=other"]
    (folder / "scan.json").write_text(json.dumps({"sets": {"B=before": {}, "../twos": {}, "gone": {}, "B=after": {}}}))
    assert [p["label"] for p in load(folder)[0]["points"]] == ["B=before", "B=after", "B=other"]
    (folder / "scan.json").write_text("nothing to read")
    assert [p["label"] for p in load(folder)[0]["points"]] == ["B=after", "B=before", "B=other"]


def test_sets_of_a_scan_are_called_by_their_values(load, twos, tmp_path):
    for name in ("S=static", "S=dynamic%2C4%", "plain%2C"):
        shutil.copytree(twos, tmp_path / "scan" / name)
    assert [p["label"] for p in load(tmp_path / "scan")[0]["points"]] == ["S=dynamic,4%", "S=static", "plain%2C"]


def test_what_can_be_compared_is_shown_though_the_rest_is_refused(compare, scan, edited, record, tmp_path):
    other = tmp_path / "edited"
    shutil.copytree(edited, other)
    record(other / "one.heddle", 1, source=EDITED)
    text = compare(scan, other, status=1)
    assert [line for line in text.splitlines() if line.startswith("== ")] == ["== scan ==", "== edited =="]
    assert compare.stderr.count("\n") == 2 and "heddle: 2 threads: " in compare.stderr and "--force" in compare.stderr


def test_difference_can_be_asked_for_where_threads_differ(load, scan):
    [comparison] = load("--difference", scan / "t1.r1.heddle", scan / "t2.r1.heddle")
    assert comparison["mode"] == "sides" and [p["threads"] for p in comparison["points"]] == [1, 2]


# ---- rows ----


def test_rows_that_are_not_everywhere_are_shown(load, compare, scan):
    [comparison] = load(scan)
    seldom = row_of(comparison, "in seldom")
    assert seldom["at"][0] is None and not seldom["at"][1]["matched"]
    assert row_of(comparison, "in often")["at"][1]["calls"] == 2 * row_of(comparison, "in often")["at"][0]["calls"]
    text = compare(scan)
    assert re.search(r"parallel program\.c:\d+ in seldom \(only at 2\)$", text, re.M)
    assert re.search(r"parallel program\.c:\d+ in often \(calls differ\)$", text, re.M)
    assert re.search(r"At 2 threads, but not in all runs, so not compared: 1 region, [\d.]+ [mu]s\.", flat(text))
    assert '"calls differ": 1 row was entered a different number of times' in flat(text)
    assert not re.search(r"in (balanced|uneven) \((only at|calls differ)", text)


def test_constructs_stand_below_their_region(load, compare, scan):
    [comparison] = load(scan)
    loop = row_of(comparison, "loop static")
    assert comparison["rows"][loop["parent"]]["name"] == "uneven" and loop["kind"] == "construct"
    lines = compare(scan).splitlines()
    [at] = [i for i, line in enumerate(lines) if "loop static program.c" in line and "└─" in line]
    assert "in uneven" in lines[at - 1]


def test_callpaths_tell_callers_apart(load, compare, record, tmp_path):
    files = [record(tmp_path / f"{threads}.heddle", threads, N, "twice") for threads in (1, 2)]
    assert row_of(load(*files)[0], "in balanced")["at"][0]["calls"] == 2
    [comparison] = load("--callpaths", *files)
    rows = [row for row in comparison["rows"] if "in balanced" in row["text"]]
    assert [row["at"][0]["calls"] for row in rows] == [1, 1]
    assert sorted("second" in row["text"] for row in rows) == [False, True]
    assert any("second" in place for row in rows for place in row["callpath"])


def test_names_are_found_where_profiles_hold_none(load, profile, build_program):
    program = build_program(WORK, flags=("-fno-inline",))
    [comparison] = load(*[profile(program, N, runtime=19, threads=threads) for threads in (1, 2)])
    assert row_of(comparison, "in uneven")["name"] == "uneven"


def test_limit_keeps_those_that_lost_most(compare, load, scan):
    text = compare("--limit", "1", scan)
    assert "3 more regions are not shown; --limit 0 shows all." in text
    table = text[text.index("\nRegions:"):text.index("more regions")]
    assert table.count("parallel program.c") == 1 and "outside all regions" in table and "\n" in table
    regions = [row for row in load(scan)[0]["rows"] if row["kind"] == "region"]
    matched = max(regions, key=lambda row: max([row["weight_s"]] + [at["time_s"] for at in row["at"] if None in row["at"] and at]))
    assert matched["text"] in table
    assert "not shown" not in compare("--limit", "0", scan)


# ---- formats ----


def number(text):
    return float(text) if text else None


def test_csv_is_json(compare, load, scan):
    [comparison] = load(scan)
    lines = list(csv.DictReader(io.StringIO(compare("--csv", scan))))
    points = len(comparison["points"])
    assert len(lines) == len(comparison["rows"]) * points
    for index, line in enumerate(lines):
        row, at = comparison["rows"][index // points], comparison["rows"][index // points]["at"][index % points]
        assert (int(line["row"]), line["row_kind"], int(line["point"])) == (row["row"], row["kind"], index % points)
        assert None not in line and None not in line.values()  # as many fields as the header has
        if not at:
            assert line["time_s"] == "" and line["runs"] == "0"
            continue
        assert int(line["calls"]) == at["calls"] and int(line["capacity_ticks"]) == at["capacity_ticks"]
        assert number(line["time_s"]) == at["time_s"] and line["matched"] == str(at["matched"]).lower()
        for name in ("speedup", "efficiency", "work_efficiency"):
            assert number(line[name]) == at[name], name
        assert number(line["lost_s"]) == at["lost_total_s"]
        assert [number(line["lost_low_s"]), number(line["lost_high_s"])] == (at["lost_total_interval_s"] or [None, None])
        for cause in CAUSES:
            assert number(line[f"lost_{cause}_s"]) == (at["lost_s"][cause] if at["lost_s"] else None)
        assert line["main_cause"] == (at["main_cause"] or "")
    assert number(lines[1]["karp_flatt"]) == comparison["points"][1]["karp_flatt"]


def test_text_is_json(compare, load, scan):
    [comparison] = load(scan)
    text = compare(scan)
    one, two = comparison["rows"][0]["at"]
    unit, decimals = (1e3, 3) if max(one["time_s"], two["time_s"]) < 0.1 else (1e3, 2) if max(one["time_s"], two["time_s"]) < 1 else (1, 3)
    lost = text[text.index("\nLost wall"):].splitlines()
    words = lost[3].split()
    shown = [cause for cause in CAUSES if two["lost_ticks"][cause] != 0]
    for word, cause in zip(words[:len(shown)], shown, strict=True):
        assert word == f"{two['lost_s'][cause] * unit:.{decimals}f}", cause
    assert words[len(shown)] == ("~" if two["in_noise"] else "") + f"{two['lost_total_s'] * unit:.{decimals}f}"
    program = next(line for line in text.splitlines() if line.split()[:2] == ["2", "3"]).split()
    assert program[2] == f"{two['time_s'] * unit:.{decimals}f}" and program[4] == f"{two['speedup']:.2f}"
    for row in comparison["rows"]:
        at = row["at"][1]
        line = next(line for line in text[text.index("\nRegions:"):].splitlines() if row["text"] in line)
        words = line.split()
        assert words[1] == f"{at['time_s'] * unit:.{decimals}f}", row["text"]
        if not at["matched"]:
            assert words[0] == "-" and words[4] == "-"
            continue
        assert words[4] == ("~" if at["in_noise"] else "") + f"{at['lost_total_s'] * unit:.{decimals}f}", line
        assert (f" {words[-1]}" and at["in_noise"] and words[6] == "-") or not at["in_noise"], line


def test_markdown_tables_are_whole(compare, scan):
    text = compare("--markdown", scan)
    tables = [block.splitlines() for block in text.split("\n\n") if block.lstrip().startswith("|")]
    assert len(tables) == 3
    for table in tables:
        table = [line for line in table if line]
        columns = [len(re.findall(r"(?<!\\)\|", line)) for line in table]
        assert len(set(columns)) == 1, table
        assert set(table[1]) <= set("|-: ")
    assert "└─ loop static program.c" in text and "### Program" in text and "\x1b" not in text
    assert compare("--markdown", scan).count("\n### ") == 3


@pytest.mark.parametrize("width", [80, 120, 200])
def test_lines_fit_the_terminal(heddle, scan, width, terminals):
    text = on_terminal([heddle, "compare", scan], width)
    assert max(map(len, text.splitlines())) <= width
    assert ("left out: the terminal is too narrow" in text) == (width == 80)
    assert "parallel program.c" in text and "in uneven" in text and " Lost " in text


def on_terminal(command, width):
    pid, descriptor = pty.fork()
    if pid == 0:
        fcntl.ioctl(1, termios.TIOCSWINSZ, struct.pack("HHHH", 50, width, 0, 0))
        os.execve(command[0], list(map(str, command)), {**clean_environment(), "LC_ALL": "C.UTF-8"})
    output = b""
    while True:
        try:
            read = os.read(descriptor, 65536)
        except OSError:
            break
        if not read:
            break
        output += read
    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0
    os.close(descriptor)
    return output.decode().replace("\r\n", "\n")


# ---- noise ----


def test_one_run_each_is_said_to_tell_nothing_of_noise(compare, load, scan):
    files = [scan / "t1.r1.heddle", scan / "t2.r1.heddle"]
    text = compare(*files)
    assert "noise     not known: that takes 3 or more runs of each. Differences may be noise" in text
    assert "~" not in text and "Time 95%" not in text and "Lost 95%" not in text and not re.search(r"\?\d", text)
    for row in load(*files)[0]["rows"]:
        for at in filter(None, row["at"]):
            assert at["time_interval_s"] is None and not at["noise_known"] and at["in_noise"] is None


def test_noise_that_is_known_in_part_is_marked(compare, record, scan, tmp_path):
    folder = tmp_path / "mixed"
    shutil.copytree(scan, folder)
    record(folder / "t3.heddle", 3)
    text = compare(folder)
    assert "? what has fewer than 3 repeats" in text
    assert re.search(r" \?-?[\d.]+ .*3 threads$", text[text.index("\nLost wall"):], re.M)
    assert "? noise not known" in text


def test_what_is_within_the_noise_names_no_cause(compare, twos, tmp_path):
    shutil.copytree(twos, tmp_path / "again")
    text = compare(twos, tmp_path / "again")
    assert "again differs from twos by no more than the noise." in text
    assert "~0.000" in text or "~0.00" in text
    assert not re.search(r"\d+%.*(parallel|loop)", text[text.index("\nRegions"):])


# ---- laws and counts ----


def test_too_few_thread_counts_for_laws(compare, load, scan):
    assert re.search(r"^No prediction is possible: .*4 thread counts", compare("--predict", "16", scan), re.M)
    assert "Laws" not in compare(scan)
    laws = load("--predict", "16", scan)[0]["rows"][0]["laws"]
    assert laws["fitted"] is False and laws["why"] and laws["predictions"] == [] and laws["amdahl"] is None


def test_laws_and_predictions(compare, load, record, scan, tmp_path):
    folder = tmp_path / "four"
    shutil.copytree(scan, folder)
    for threads in (3, 4):
        for repeat in (1, 2, 3):
            record(folder / f"t{threads}.r{repeat}.heddle", threads)
    [comparison] = load("--predict", "2,16,64", folder)
    laws = comparison["rows"][0]["laws"]
    assert laws["fitted"] and laws["why"] is None and laws["threads"] == [1, 2, 3, 4]
    assert [told["threads"] for told in laws["predictions"]] == [2, 16, 64]
    assert all(told["told"] == (told["why"] is None) for told in laws["predictions"])
    assert 0 <= laws["amdahl"]["serial"] <= 1 and len(laws["usl"]["residuals"]) == 4
    times = [at["time_s"] for at in comparison["rows"][0]["at"]]
    for name in ("amdahl", "usl"):
        s, k, one = (laws[name][key] for key in ("serial", "coherence", "time_one_s"))
        for p, time, residual in zip((1, 2, 3, 4), times, laws[name]["residuals"], strict=True):
            fitted = one * (1 + s * (p - 1) + k * p * (p - 1)) / p
            assert abs((time - fitted) / time - residual) < 1e-6
    text = compare("--predict", "2,16,64", folder)
    assert "Laws of scaling" in text and "Predicted times" in text
    assert (" T(64) " in text) == any(told["told"] for row in comparison["rows"] for told in row["laws"]["predictions"])
    assert text.count("With 16 threads the ") == 1
    processors = comparison["points"][3]["processors"]
    if processors < 4:
        assert f"4: more threads than the {processors} processors" in flat(text)


def test_counts_are_compared_when_all_counted_the_same(compare, load, record, tmp_path):
    event = "perf::PAGE-FAULTS"
    files = [record(tmp_path / f"{threads}.heddle", threads, events=event) for threads in (1, 2)]
    [comparison] = load(*files)
    assert comparison["events"] == [event]
    program = comparison["rows"][0]["at"]
    whole = program[0]["counters"][event]
    parts = [row["at"][0]["counters"][event] for row in comparison["rows"][1:]
             if row["kind"] in ("outside", "region") and row["at"][0]]
    assert whole["count"] == sum(part["count"] for part in parts) > 0
    text = compare(*files)
    assert "\nPAGE-FAULTS, while busy" in text and " 2/1 " in text
    ratio = program[1]["counters"][event]["count"] / whole["count"]
    line = text[text.index("\nPAGE-FAULTS"):].splitlines()
    assert any(words.split()[:3] == [str(whole["count"]), str(program[1]["counters"][event]["count"]), f"{ratio:.3f}"]
               for words in line if words.endswith("program program"))
    lines = list(csv.DictReader(io.StringIO(compare("--csv", *files))))
    assert int(lines[0][event]) == whole["count"]
    for events in (None, "perf::CONTEXT-SWITCHES"):
        other = record(tmp_path / "other.heddle", 2, events=events)
        assert "while busy" not in compare(files[0], other) and load(files[0], other)[0]["events"] == []
        other.unlink()


# ---- builds, sums, and runs that failed ----


def test_other_builds_are_refused_and_forced(compare, load, twos, edited):
    assert compare(twos, edited, status=1) == ""
    message = compare.stderr
    assert message.count("\n") == 1 and "twos" in message and "edited" in message and "--force" in message
    [comparison] = load("--force", twos, edited)
    assert comparison["by_name"] and comparison["mode"] == "sides"
    assert comparison["moved"] > 0  # three lines were added above all of them
    for row in comparison["rows"]:
        assert all(row["at"]), row["text"]
    text = compare("--force", twos, edited)
    assert "Regions, in milliseconds: before is twos, after is edited" in text
    assert re.search(r"^edited (takes [\d.]+ ms \([\d.]+ %\) (more|less) than twos|differs from twos by no more)", text,
                     re.M)


def test_killed_failed_and_merged_runs_are_told(compare, record, run_heddle, scan, tmp_path):
    killed = record(tmp_path / "killed.heddle", 2, N, "die", status=128 + 9)
    assert "killed.heddle: the program" in flat(compare(scan / "t1.r1.heddle", killed))
    text = compare(scan / "t1.r1.heddle", killed)
    assert re.search(r"^ +2 .* a run was killed$", text, re.M) and "\nA run was killed: its time is not that" in text
    assert "\nother     " in text and "the command lines differ" in text
    assert "killed:" not in compare(scan) and "\nother" not in compare(scan)
    failed = record(tmp_path / "failed.heddle", 2, N, "fail", status=1)
    assert "failed.heddle: the program's exit status was 1" in flat(compare(scan / "t1.r1.heddle", failed))
    merged = tmp_path / "merged.heddle"
    run_heddle("merge", "-o", merged, scan / "t2.r1.heddle", scan / "t2.r2.heddle")
    refused = run_heddle("compare", scan / "t1.r1.heddle", merged)
    assert refused.returncode == 1 and refused.stdout == "" and "is a sum of several runs" in flat(refused.stderr)
    assert "merged.heddle: the sum of several runs" in flat(compare("--force", scan / "t1.r1.heddle", merged))


# ---- conditions ----


@pytest.mark.parametrize("condition, status", [
    ("program.time > 1e6", 0), ("program.time < 1e6", 3), ("region.time > 1e6", 0), ("region.time > 0", 3),
    ("region.nonsense > 1", 2), ("region.time >", 2), ("", 2)])
def test_conditions_decide_the_exit_status(run_heddle, scan, condition, status):
    result = run_heddle("compare", "--fail-if", condition, scan / "t1.r1.heddle", scan / "t2.r1.heddle")
    assert result.returncode == status, result.stderr
    assert (result.stdout == "") == (status == 2)
    assert result.stderr  # which, and with what values; or what is wrong with it


def test_any_of_several_conditions_fails(compare, scan):
    never, always = "program.time > 1e6", "program.time > 0"
    for formats in ([], ["--json"], ["--csv"], ["--markdown"]):
        compare(*formats, "--fail-if", never, "--fail-if", always, scan, status=3)
        assert "program.time" in compare.stderr
    compare("--fail-if", always, "--fail-if", always, scan, status=3)
    compare("--fail-if", always, "--fail-if", never, scan, status=3)
    compare("--fail-if", never, "--fail-if", never, scan, status=0)


def test_short_regions_are_not_tried(compare, scan):
    condition = "region.time > 0"
    compare("--min-share", "100", "--fail-if", condition, scan, status=0)
    compare("--min-share", "0", "--fail-if", condition, scan, status=3)


# ---- what is refused ----


@pytest.mark.parametrize("arguments, words", [
    ([], "missing profile or directory"),
    (["--predict", "0", "x"], "--predict expects comma-separated thread counts, not '0'"),
    (["--predict", "1,,2", "x"], "--predict expects comma-separated thread counts"),
    (["--predict", "", "x"], "--predict expects comma-separated thread counts"),
    (["--predict", ",".join(["3"] * 65), "x"], "no more than 64"),
    (["--csv", "--json", "x"], "only one of --csv, --markdown and --json"),
    (["--difference", "--scaling", "x"], "only one of --difference and --scaling at a time"),
    (["--limit", "many", "x"], "--limit expects a number of regions, not 'many'"),
    (["--min-share", "101", "x"], "--min-share expects a percentage, not '101'"),
    (["--min-share", "x", "x"], "--min-share expects a percentage"),
    (["--min-share", "nan", "x"], "--min-share expects a percentage"),
])
def test_wrong_options_are_refused(run_heddle, arguments, words):
    result = run_heddle("compare", *arguments)
    assert result.returncode == 2 and result.stdout == ""
    assert words in result.stderr and "\nUsage: heddle compare" in result.stderr


def test_what_cannot_be_compared_is_refused(compare, scan, twos, tmp_path):
    empty = tmp_path / "empty"
    empty.mkdir()
    (empty / "no.profile").write_text("x")
    bad = tmp_path / "bad.heddle"
    bad.write_text("x")
    one = scan / "t1.r1.heddle"
    for arguments, words in (
            ([one], "t1.r1.heddle is a single run; a comparison needs two or more"),
            ([empty], "empty: no profiles (*.heddle) in this directory"),
            ([tmp_path / "gone", bad, one], "gone: No such file or directory"),
            ([tmp_path / "gone", bad, one], "bad.heddle: not a Heddle profile"),
            ([twos], "all 3 runs in"),
            ([twos], "had 2 threads: there is nothing to compare; add runs with other numbers of threads"),
            (["--scaling", twos, scan / "t2.r1.heddle"], "--scaling needs two or more thread counts"),
            (["--difference", scan], "--difference needs two or more sets of runs"),
    ):
        assert compare(*arguments, status=1) == ""
        assert words in compare.stderr and compare.stderr.startswith("heddle: "), compare.stderr


def test_full_disk_and_early_readers(heddle, scan):
    for options in ([], ["--json"], ["--csv"], ["--markdown"]):
        with open("/dev/full", "w") as full:
            result = subprocess.run([heddle, "compare", *options, scan], stdout=full, stderr=subprocess.PIPE, text=True)
        assert result.returncode == 1 and result.stderr == "heddle: standard output: No space left on device\n"
        result = subprocess.run(["sh", "-c", f"'{heddle}' compare {' '.join(options)} '{scan}' | true"],
                                capture_output=True, text=True)
        assert result.stderr == ""


def test_help_tells_of_every_option(run_heddle):
    result = run_heddle("compare", "--help")
    assert result.returncode == 0 and result.stderr == ""
    for option in ("predict", "csv", "markdown", "json", "limit", "callpaths", "fail-if", "min-share", "force",
                   "difference", "scaling"):
        assert re.search(rf"--{option}[ \n]", result.stdout), option
    assert max(map(len, result.stdout.splitlines())) <= 120
