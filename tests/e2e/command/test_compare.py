# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`heddle compare`: what real runs are compared with what, and which rows there are."""
import csv
import io
import json
import re
import shutil

import pytest

from compared_profiles import EDITED, N, WORK, close, flat, row_of
from timed import check_times


# ---- what is compared with what ----


def test_scan_is_compared_by_threads(load, scanned):
    [comparison] = load(scanned)
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
    # The loader's time is serial, and no thread of the program is busy in it.
    assert 0 < serial < one["time_ticks"] and close(comparison["amdahl_bound"], one["time_ticks"] / serial)
    divided = max(0, one["busy_ticks"] - serial)
    assert close(comparison["points"][1]["amdahl_bound"], one["time_ticks"] / (serial + divided / 2))


def test_profiles_are_compared_as_their_directory_is(compare, scanned):
    files = sorted(scanned.glob("*.heddle"))
    assert compare("--csv", *files) == compare("--csv", scanned) == compare("--csv", f"{scanned}/")


def test_sets_with_one_thread_count_are_sides(load, twos, scanned, tmp_path):
    after = tmp_path / "after"
    shutil.copytree(twos, after)
    [comparison] = load(twos, after)
    assert comparison["mode"] == "sides"
    assert [(p["label"], p["run_count"]) for p in comparison["points"]] == [("twos", 3), ("after", 3)]
    assert load(f"{twos}/", f"{after}//")[0]["runs"][0]["path"] == str(twos / "t2.r1.heddle")
    for row in comparison["rows"]:
        assert row["laws"] is None
        assert row["at"][1]["lost_total_ticks"] == 0 and row["at"][1]["in_noise"], row["text"]  # the same runs
    one = [scanned / f"t1.r{i}.heddle" for i in (1, 2, 3)]
    assert [p["label"] for p in load(*one)[0]["points"]] == ["t1.r1.heddle", "t1.r2.heddle", "t1.r3.heddle"]


def test_equal_names_of_sides_become_paths(load, twos, tmp_path):
    shutil.copytree(twos, tmp_path / "b" / "twos")
    [comparison] = load(twos, tmp_path / "b" / "twos")
    assert [p["label"] for p in comparison["points"]] == [str(twos)[:63], str(tmp_path / "b" / "twos")[:63]]


def test_sets_of_a_scan_with_parameters(load, compare, scanned, tmp_path):
    for name in ("n=1", "n=2"):
        shutil.copytree(scanned, tmp_path / name)
    (tmp_path / ".running").mkdir()
    shutil.copy(scanned / "t1.r1.heddle", tmp_path / ".running")
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


def test_what_can_be_compared_is_shown_though_the_rest_is_refused(compare, scanned, edited, record, tmp_path):
    other = tmp_path / "edited"
    shutil.copytree(edited, other)
    record(other / "one.heddle", 1, source=EDITED)
    text = compare(scanned, other, status=1)
    assert [line for line in text.splitlines() if line.startswith("== ")] == ["== scan ==", "== edited =="]
    assert compare.stderr.count("\n") == 2 and "heddle: 2 threads: " in compare.stderr and "--force" in compare.stderr


def test_difference_can_be_asked_for_where_threads_differ(load, scanned):
    [comparison] = load("--difference", scanned / "t1.r1.heddle", scanned / "t2.r1.heddle")
    assert comparison["mode"] == "sides" and [p["threads"] for p in comparison["points"]] == [1, 2]


# ---- rows ----


def test_rows_that_are_not_everywhere_are_shown(load, compare, scanned):
    [comparison] = load(scanned)
    seldom = row_of(comparison, "in seldom")
    assert seldom["at"][0] is None and not seldom["at"][1]["matched"]
    assert row_of(comparison, "in often")["at"][1]["calls"] == 2 * row_of(comparison, "in often")["at"][0]["calls"]
    text = compare(scanned)
    assert re.search(r"parallel program\.c:\d+ in seldom \(only at 2\)$", text, re.M)
    assert re.search(r"parallel program\.c:\d+ in often \(calls differ\)$", text, re.M)
    assert re.search(r"At 2 threads, but not in all runs, so not compared: 1 region, [\d.]+ [mu]s\.", flat(text))
    assert '"calls differ": 1 row was entered a different number of times' in flat(text)
    assert not re.search(r"in (balanced|uneven) \((only at|calls differ)", text)


def test_constructs_stand_below_their_region(load, compare, scanned):
    [comparison] = load(scanned)
    loop = row_of(comparison, "loop static")
    assert comparison["rows"][loop["parent"]]["name"] == "uneven" and loop["kind"] == "construct"
    lines = compare(scanned).splitlines()
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


def test_limit_keeps_those_that_lost_most(compare, load, scanned):
    text = compare("--limit", "1", scanned)
    assert "3 more regions are not shown; --limit 0 shows all." in text
    table = text[text.index("\nRegions:"):text.index("more regions")]
    assert table.count("parallel program.c") == 1 and "outside all regions" in table and "\n" in table
    regions = [row for row in load(scanned)[0]["rows"] if row["kind"] == "region"]
    matched = max(regions, key=lambda row: max([row["weight_s"]] + [at["time_s"] for at in row["at"] if None in row["at"] and at]))
    assert matched["text"] in table
    assert "not shown" not in compare("--limit", "0", scanned)


# ---- findings ----


REPEATED = WORK[:WORK.index("__attribute__")] + """
int main(void) {
#pragma omp parallel // work
  work(100000000);
  return 0;
}
"""


@pytest.mark.timed
def test_work_that_each_thread_repeats_is_found(record, run_heddle, tmp_path):
    def compared():
        for threads in (1, 2):
            (tmp_path / f"t{threads}.heddle").unlink(missing_ok=True)
            record(tmp_path / f"t{threads}.heddle", threads, source=REPEATED)
        return json.loads(run_heddle("compare", "--json", tmp_path).stdout)

    def check(whole):
        [found] = [finding for finding in whole["findings"] if finding["cause"] == "work-inflation"]
        line = REPEATED[:REPEATED.index("// work")].count("\n") + 1
        assert (found["place"]["kind"], found["place"]["line"], found["point"]) == ("parallel", line, 1)
        assert 0 < found["gain_s"] <= whole["comparisons"][0]["runs"][1]["elapsed_s"]

    check_times(compared, check)


def test_a_run_against_itself_has_no_findings(load, record, run_heddle, tmp_path):
    for side in "ab":
        (tmp_path / side).mkdir()
    shutil.copy(record(tmp_path / "a" / "run.heddle", 2), tmp_path / "b")
    compared = run_heddle("compare", tmp_path / "a", tmp_path / "b")
    assert compared.returncode == 0 and "findings" not in compared.stdout
    assert json.loads(run_heddle("compare", "--json", tmp_path / "a", tmp_path / "b").stdout)["findings"] == []
