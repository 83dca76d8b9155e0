# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The views with routines: --flat, --callgraph, --tree, --callers, --focus, --depth, on programs whose calls are counted by
hand."""
import collections
import csv
import io
import json
import re
import subprocess

import pytest

from conftest import INSTRUMENTED, environment_for, marks

# main calls step 3 times and leaf once; step calls kernel twice, kernel leaf 5 times: leaf has 3 * 2 * 5 + 1 = 31 calls.
# fib(10) has 177 calls, one of them from main. even(6) calls odd(5), which calls even(4), ... odd(1), even(0): even has 4
# calls (one from main), odd has 3.
PROGRAM = """
static volatile double sink;
#define APART __attribute__((noinline))
APART void leaf(void) { for (int i = 0; i < 200000; i++) sink += i; }
APART void kernel(void) { for (int i = 0; i < 5; i++) leaf(); sink = 0; }
APART void step(void) { kernel(); kernel(); sink = 0; }
APART int fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
APART int odd(int n);
APART int even(int n) { sink += n; return n == 0 ? 1 : odd(n - 1) + 0 * (int)sink; }
APART int odd(int n) { sink += n; return n == 0 ? 0 : even(n - 1) + 0 * (int)sink; }
int main(void) {
  for (int i = 0; i < 3; i++)
    step();
  leaf();
  return fib(10) == 55 && even(6) ? 0 : 1;
}
"""
CALLS = {"main": 1, "step": 3, "kernel": 6, "leaf": 31, "fib": 177, "even": 4, "odd": 3}

# The same region from two callers, once and three times.
REGIONS = """
static volatile double sink;
#define APART __attribute__((noinline))
APART void work(void) {
#pragma omp parallel num_threads(2)
  {
#pragma omp for
    for (int i = 0; i < 1000000; i++)
      sink = i;
  }
  sink = 1;
}
APART void once(void) { work(); sink = 2; }
APART void thrice(void) { work(); work(); work(); sink = 3; }
int main(void) { once(); thrice(); return 0; }
"""


@pytest.fixture(scope="module")
def program(build_program):
    return build_program(PROGRAM, compiler="clang-19", flags=[*INSTRUMENTED, "-O1"])


@pytest.fixture
def path(run_routines, program):
    made = run_routines(program)
    assert made and run_routines.result.returncode == 0, run_routines.result.stderr
    return made


@pytest.fixture
def regions(profile, build_program):
    return profile(build_program(REGIONS, compiler="clang-19"), threads=2)


@pytest.fixture
def rows(run_heddle):
    def read(*arguments):
        result = run_heddle("report", "--csv", "--limit", "0", *arguments)
        assert result.returncode == 0, result.stderr
        return list(csv.DictReader(io.StringIO(result.stdout)))

    return read


def squeezed(text):
    return [" ".join(line.split()) for line in text.splitlines()]


def test_flat_counts_calls_and_adds_up(rows, path, export):
    flat = rows("--flat", path)
    routines = [row for row in flat if row["kind"] == "routine"]
    assert sorted((row["function"], int(row["calls"])) for row in routines) == sorted(CALLS.items())
    busy = export(path)["program"]["busy_s"]
    assert sum(float(row["self_s"]) for row in flat) == pytest.approx(busy, rel=1e-9)
    assert float(flat[-1]["cumulative_s"]) == pytest.approx(busy, rel=1e-9)
    own = [float(row["self_s"]) for row in flat]
    assert own == sorted(own, reverse=True)
    assert routines[0]["function"] == "leaf"
    main = next(row for row in flat if row["function"] == "main")
    program = next(row for row in flat if row["kind"] == "program")  # its own time: what it took to start
    assert float(main["inclusive_s"]) + float(program["self_s"]) == pytest.approx(busy, rel=1e-9)
    assert {row["calls_concurrent"] for row in routines} == {"0"}


def test_callgraph_has_arcs_and_a_cycle(run_heddle, rows, path):
    graph = rows("--callgraph", path)
    names = {row["index"]: row["function"] for row in graph if row["role"] == "entry"}
    arcs = {(row["function"], names[row["block"]]): row for row in graph if row["role"] == "caller"}
    assert int(arcs["kernel", "leaf"]["calls"]) == 30 and int(arcs["main", "leaf"]["calls"]) == 1
    assert int(arcs["step", "kernel"]["calls"]) == 6
    for name in ("leaf", "kernel", "step"):  # what came through the arcs into an entry is all of it
        whole = next(row for row in graph if row["role"] == "entry" and row["function"] == name)
        parts = sum(float(row["inclusive_s"]) for (_, child), row in arcs.items() if child == name)
        assert parts == pytest.approx(float(whole["inclusive_s"]), rel=1e-9)
    cycle = next(row for row in graph if row["role"] == "cycle")
    assert (cycle["calls"], cycle["calls_recursive"]) == ("1", "6")
    assert arcs["odd", "even"]["inclusive_s"] == "" and int(arcs["odd", "even"]["calls"]) == 3
    lines = squeezed(run_heddle("report", "--callgraph", path).stdout)
    assert any(re.fullmatch(r"\[\d+\] \S+ \S+ \S+ 1\+176 177 0 fib program.c:7 \[\d+\]", line) for line in lines)
    assert any(re.fullmatch(r"\[\d+\] \S+ \S+ \S+ 1\+6 <cycle 1 as a whole> \[\d+\]", line) for line in lines)


def test_tree_shows_every_callpath(run_heddle, path):
    text = run_heddle("report", "--tree", "--limit", "0", path, env={"LC_ALL": "C.UTF-8"}).stdout
    lines = text.splitlines()
    at = next(i for i, line in enumerate(lines) if re.search(r"─step program.c:6$", line))
    assert re.search(r"─kernel program.c:5$", lines[at + 1]) and re.search(r"─leaf program.c:4$", lines[at + 2])
    assert re.search(r" - +- +- +176 +0 +- +\d+ .*─fib program.c:7 \(recursive call\)$", text, re.M)


def test_callers_go_up_to_the_program(rows, path):
    ways = rows("--callers", "^leaf$", path)
    assert [row["function"] for row in ways[:4]] == ["leaf", "kernel", "step", "main"] and ways[4]["kind"] == "program"
    assert [int(row["calls"]) for row in ways[:4]] == [31, 30, 30, 30]
    direct = next(row for row in ways if row["parent"] == "1" and row["function"] == "main")
    assert int(direct["calls"]) == 1
    parts = sum(float(row["inclusive_s"]) for row in ways if row["parent"] == "1")
    assert parts == pytest.approx(float(ways[0]["inclusive_s"]), rel=1e-9)


def test_focus_keeps_callpaths_through_a_match(run_heddle, rows, path):
    focused = {row["function"]: row for row in rows("--flat", "--focus", "kernel", path)}
    assert "fib" not in focused and int(focused["leaf"]["calls"]) == 30
    whole = {row["function"]: row for row in rows("--flat", path)}
    kept = float(whole["kernel"]["inclusive_s"])
    assert sum(float(row["self_s"]) for row in focused.values()) == pytest.approx(kept, rel=1e-9)
    text = run_heddle("report", "--tree", "--focus", "kernel", path).stdout
    assert "callpaths through 'kernel' only" in text and "fib" not in text
    missed = run_heddle("report", "--flat", "--focus", "kernl", path)
    assert missed.returncode == 1 and missed.stdout == ""
    assert missed.stderr == f"heddle: {path}: no routine, construct or phase matches 'kernl'; there is: kernel\n"


def test_regions_are_found_by_kind_and_place(rows, regions):
    for expression in ("^parallel program.c:5$", "loop static", "^work$"):
        assert rows("--flat", "--focus", expression, regions)


def paths_of(loaded):
    """Visits by callpath: the sites from the outermost on."""
    found = collections.Counter()
    by_id = {entry["id"]: entry for entry in loaded["profiles"]}
    for entry in loaded["profiles"][1:]:
        sites, at = [], entry
        while at["id"] != 0:
            sites.insert(0, (at["kind"], at["offset"]))
            at = by_id[at["parent"]]
        found[tuple(sites)] += entry["visits"] or 0
    return found


def test_folded_to_one_site_recursion_is_one_profile(run_heddle, run_routines, export, path, program, tmp_path):
    out = tmp_path / "folded.json"
    assert run_heddle("export", "--depth", 1, "-o", out, path).returncode == 0
    folded = json.loads(out.read_text())
    collected = export(run_routines(program, env={"HEDDLE_CALLPATH_DEPTH": "1"}))
    assert paths_of(folded) == paths_of(collected)
    assert {entry["name"]: entry["visits"] for entry in folded["profiles"][1:]} == CALLS


@pytest.mark.parametrize("depth", [1, 2, 3, 4])
def test_folding_is_exact_without_recursion(run_heddle, profile, build_program, export, regions, depth, tmp_path):
    out = tmp_path / "folded.json"
    assert run_heddle("export", "--depth", depth, "-o", out, regions).returncode == 0
    program = build_program(REGIONS, compiler="clang-19")
    collected = export(profile(program, threads=2, env={"HEDDLE_CALLPATH_DEPTH": str(depth)}))
    assert paths_of(json.loads(out.read_text())) == paths_of(collected)


def test_regions_of_several_callers_are_one_line_by_default(run_heddle, rows, regions):
    table = rows(regions)
    assert [(row["kind"], row["calls"]) for row in table] == [("parallel", "4"), ("loop_static", "8")]
    tree = rows("--tree", regions)
    calls = {}
    by_row = {row["row"]: row for row in tree}
    for row in tree:
        if row["kind"] == "parallel":
            caller = by_row[by_row[row["parent"]]["parent"]]["function"]
            calls[caller] = int(row["calls"])
    assert calls == {"once": 1, "thrice": 3}
    assert {(row["calls"], row["self_s"]) for row in tree if row["kind"] == "routine"} == {("", "")}
    text = run_heddle("report", "--flat", regions).stdout
    assert "known as callers of regions only: libheddle.so was not loaded with the program." in text
    assert "-finstrument-functions" in text and "'heddle run --routines'" in text


def test_without_routines_the_views_say_how_to_get_them(run_heddle, profile, build_program):
    path = profile(build_program(REGIONS, compiler="clang-19"), threads=2, env={"HEDDLE_UNWIND": "off"})
    for view in ("--flat", "--callgraph", "--tree"):
        text = run_heddle("report", view, path).stdout
        assert "This profile has no routines" in text and "HEDDLE_UNWIND=off" in text
        assert "-finstrument-functions" in text and "program.c:5" in text


def test_stripped_routines_are_shown_by_address(run_heddle, run_routines, program, tmp_path):
    stripped = tmp_path / "stripped"
    subprocess.run(["strip", "-o", stripped, program], check=True)
    text = run_heddle("report", "--flat", run_routines(stripped)).stdout
    assert "note      no symbols in stripped: its code is shown by address; for names " in text
    assert len(re.findall(r" stripped\+0x[0-9a-f]+( <cycle 1>)?$", text, re.M)) == len(CALLS)


@pytest.mark.parametrize("view", ["--flat", "--callgraph", "--tree", "--callers=leaf"])
@pytest.mark.needs("terminal")
def test_views_fit_the_terminal_and_the_locale(heddle, run_heddle, path, view):
    command = f"stty cols 56; LC_ALL=C.UTF-8 '{heddle}' report --no-pager --color=never {view} '{path}'"
    result = subprocess.run(["script", "-qec", command, "/dev/null"], capture_output=True, text=True)
    assert result.returncode == 0 and "Left out, because a line has 56 characters" in result.stdout
    table = result.stdout.split("Times in")[1].split("Left out")[0]
    lengths = [len(line) for line in table.splitlines()[1:] if "program.c:" in line]
    assert lengths and max(lengths) <= 56
    assert run_heddle("report", view, path, env={"LC_ALL": "C"}).stdout.isascii()


@pytest.mark.needs("terminal")
def test_callgraph_cuts_names_but_not_their_numbers(heddle, path):
    command = f"stty cols 44; LC_ALL=C.UTF-8 '{heddle}' report --no-pager --color=never --callgraph --limit 0 '{path}'"
    result = subprocess.run(["script", "-qec", command, "/dev/null"], capture_output=True, text=True)
    table = result.stdout.split("Times in")[1].split("Left out")[0].splitlines()
    rows = [line for line in table[2:] if line.strip(" -\r") and "S-S" not in line][:-1]
    assert rows and all(len(line) <= 44 and re.search(r" \[\d+\]$", line) for line in rows), rows
    assert any(not re.search(r"program(\.c:\d+)?( <cycle 1>)? \[", line) for line in rows)


@pytest.mark.parametrize("view", ["--flat", "--callgraph", "--tree", "--callers=leaf"])
def test_views_are_limited_and_write_to_full_disks_with_an_error(heddle, run_heddle, path, view):
    text = run_heddle("report", view, "--limit", "2", path).stdout
    assert re.search(r"^\d+ more (lines|entries) are not shown; --limit 0 shows all\.$", text, re.M)
    with open("/dev/full", "w") as full:
        result = subprocess.run([heddle, "report", view, path], stdout=full, stderr=subprocess.PIPE, text=True)
    assert result.returncode == 1 and result.stderr == "heddle: standard output: No space left on device\n"


def test_routine_that_begins_with_inlined_code_keeps_its_place(rows, profile, build_program, tmp_path):
    header = tmp_path / "inlined.h"
    header.write_text("static volatile int begun;\n\nstatic inline void begin(void) { begun = 1; }\n")
    program = build_program(f'#include "{header}"\n' + """
void work(int count) {
  begin();
#pragma omp parallel num_threads(2)
  begun = count;
  begin();
}
int main(void) { begin(); work(1); work(2); return 0; }
""", compiler="clang-19")
    places = {(row["kind"], row["function"], row["file"].rsplit("/", 1)[-1], row["line"])
              for row in rows("--flat", profile(program, threads=2))}
    assert ("routine", "main", "program.c", "9") in places and ("parallel", "work", "program.c", "5") in places


@pytest.fixture
def summary_of(heddle, tmp_path):
    """What `heddle run` says of a program, line by line."""
    def run(program, *options):
        (tmp_path / "summary.heddle").unlink(missing_ok=True)  # one that is kept is a line more
        result = subprocess.run([heddle, "run", *options, "-o", tmp_path / "summary.heddle", "--", program], text=True,
                                env=environment_for(19, 2, {}), capture_output=True, check=True, cwd=tmp_path)
        lines = squeezed(result.stderr)
        assert not any("exists already" in line for line in lines)
        own = [line for line in lines if not line.startswith("warning ")]  # that others had the processors
        assert len(own) <= 25 + 3  # findings
        return lines

    return run


def test_summary_without_openmp_shows_routines(run_heddle, summary_of, program, tmp_path):
    lines = summary_of(program)
    assert not any("parallel regions" in line or line.startswith("gain ") or "libgomp" in line for line in lines)
    at = lines.index("Self% Self Incl Calls Routine or construct")
    assert re.fullmatch(r"\S+ \S+ \S+ 31 leaf program.c:4", lines[at + 1])
    assert lines[at + 7] == "1 more: see 'heddle report --flat'."
    text = run_heddle("report", "--verbose", tmp_path / "summary.heddle").stdout
    assert "\nruntime   none\n" in text and "\ngain " not in text
    assert "No parallel region was heard of.\nMore: --flat (each routine), --callgraph " in text


# All threads of the region call a routine that is instrumented.
CALLED = REGIONS.replace("sink = i;", "leaf();").replace("APART void work", "APART void leaf(void) {}\nAPART void work")


def test_libgomp_that_tells_nothing_is_named(summary_of, build_program):
    alone = build_program(REGIONS, compiler="gcc", flags=INSTRUMENTED)  # only main's thread calls instrumented routines
    text = "\n".join(summary_of(alone))
    assert "uses GCC's libgomp, which loads no tools" in text and "heddle run --gomp -- " in text
    text = "\n".join(summary_of(build_program(CALLED, compiler="gcc", flags=INSTRUMENTED)))
    assert "note no OpenMP runtime reported regions and waits" in text and "needs 'heddle run --gomp'" in text


def test_libgomp_that_is_linked_in_cannot_be_replaced(summary_of, build_program):
    archive = subprocess.run(["gcc", "-print-file-name=libgomp.a"], capture_output=True, text=True, check=True).stdout.strip()
    own = [*INSTRUMENTED, "-Wl,--whole-archive", archive, "-Wl,--no-whole-archive"]
    text = "\n".join(summary_of(build_program(CALLED, compiler="gcc", flags=own), "--gomp"))
    assert "no OpenMP runtime reported regions" in text and "libomp was loaded first (--gomp) but reported nothing" in text
    assert "needs 'heddle run --gomp'" not in text


def test_report_with_regions_leads_to_the_routines(run_heddle, regions):
    text = run_heddle("report", regions).stdout
    assert "\ngain " in text  # which one without regions has not
    assert "--flat (each routine), --callgraph" in re.sub(r"\s+", " ", text)


@pytest.mark.parametrize("view", ["--flat", "--callgraph", "--tree", "--callers=run"])
def test_overloads_are_shown_with_their_arguments(run_heddle, profile, build_program, view):
    """Without lines, two functions of one name would look the same; the others keep their short names."""
    path = profile(build_program("namesakes.cpp", compiler="clang++", flags=["-g0"]), runtime=19)
    text = run_heddle("report", view, path).stdout
    assert "lab::run(int)" in text and "lab::run(double)" in text
    assert not re.search(r"(?<!in )lab::run( \[\d+\])?$", text, re.M)
    if view != "--callers=run":
        assert "lab::weave<int>(int)" in text and "lab::weave<double>(double)" in text
        assert "lab::alone" in text and "lab::alone(" not in text


def test_instances_of_a_template_are_told_apart(run_heddle, profile, build_program):
    """They share their lines, overloads do not."""
    path = profile(build_program("namesakes.cpp", compiler="clang++"), runtime=19)
    text = run_heddle("report", path).stdout
    place = f"namesakes.cpp:{marks('namesakes.cpp')['template']}"
    assert f"parallel {place} in void lab::weave<int>(int)" in text
    assert f"parallel {place} in void lab::weave<double>(double)" in text
    table = [line for line in text.splitlines() if " to gain: " not in line]  # without findings
    assert len([line for line in table if re.search(r"parallel namesakes.cpp:\d+ in lab::run$", line)]) == 2
