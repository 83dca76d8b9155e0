# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""When regions ran, and how many threads were busy then: --timeline."""
import csv
import io
import json
import re

import pytest

PROGRAM = r"""
#include <omp.h>

static void spin(double seconds) {
  const double end = omp_get_wtime() + seconds;
  while (omp_get_wtime() < end)
    ;
}

__attribute__((noinline)) static void both(void) {
#pragma omp parallel num_threads(2)
  spin(0.1);
}

__attribute__((noinline)) static void alone(void) {
#pragma omp parallel num_threads(2)
  if (omp_get_thread_num() == 0)
    spin(0.1);
}

__attribute__((noinline)) static void tiny(void) {
#pragma omp parallel num_threads(2)
  spin(0);
}

int main(void) {
  both();
  alone();
  spin(0.1);
  both();
  tiny();
  return 0;
}
"""


@pytest.fixture(scope="module")
def path(build_program, run_heddle, tmp_path_factory):
    path = tmp_path_factory.mktemp("timeline") / "run.heddle"
    result = run_heddle("run", "-q", "-o", path, "--", build_program(PROGRAM), env={"OMP_WAIT_POLICY": "passive"})
    assert result.returncode == 0, result.stderr
    return path


@pytest.fixture(scope="module")
def loaded(path, run_heddle):
    return json.loads(run_heddle("export", path).stdout)


def regions(loaded):
    return {entry["name"]: entry for entry in loaded["profiles"] if entry["kind"] == "parallel"}


def used(history):
    return [i for i, seconds in enumerate(history["elapsed_s"]) if seconds > 0]


def test_buckets_hold_what_happened_in_them(loaded):
    found = regions(loaded)
    for entry in found.values():
        history, levels = entry["history"], entry["elapsed_at_k_s"]
        assert sum(history["elapsed_s"]) == pytest.approx(sum(levels), abs=1e-9)
        assert sum(history["busy_s"]) == pytest.approx(sum(k * seconds for k, seconds in enumerate(levels)), abs=1e-9)
        assert max(history["elapsed_s"]) <= history["width_s"] + 1e-9
        assert len(history["elapsed_s"]) <= 120
    both, alone = found["both"]["history"], found["alone"]["history"]
    before, after = [i for i in used(both) if i <= used(alone)[0]], [i for i in used(both) if i >= used(alone)[-1]]
    assert before and after and sorted({*before, *after}) == used(both)
    others = sum(row["busy_s"] for row in found["alone"]["threads"] if row["thread"] != 0)  # who come in the midst of it
    for i in used(alone)[1:-1]:
        assert alone["busy_s"][i] <= alone["elapsed_s"][i] + others + 1e-9


def test_it_is_of_a_piece_with_the_timeline(loaded):
    """One initial thread: what is busy in a bucket of the run is so in one of the regions, or serial outside them."""
    timeline, histories = loaded["timeline"], [entry["history"] for entry in regions(loaded).values()]
    width, each = histories[0]["width_s"], round(histories[0]["width_s"] / timeline["width_s"])
    assert each >= 1 and each * timeline["width_s"] == pytest.approx(width)
    for i in range(len(histories[0]["busy_s"])):
        whole = sum(timeline["busy_s"][i * each:(i + 1) * each])
        within = sum(history["busy_s"][i] for history in histories)
        serial = sum(timeline["sequential_s"][i * each:(i + 1) * each])
        assert within <= whole + 1e-9 and whole - within <= serial + 1e-9


def test_the_text_has_a_strip_for_each_region(path, run_heddle):
    text = run_heddle("report", "--timeline", path, env={"LC_ALL": "C", "COLUMNS": "60"}).stdout
    blocks = re.findall(r"^id \d+  parallel \S+ in (\w+)\n +elapsed ((?:.+\n)+)", text, re.M)
    strips = {name: block.splitlines()[-1] for name, block in blocks}
    assert {"both", "alone"} <= set(strips) <= {"both", "alone", "tiny"}  # which may take a hundredth on a busy machine
    assert len(strips) == 3 or "1 more region is not shown" in text
    assert "2 more regions are not shown" in run_heddle("report", "--timeline", "--limit", "1", path).stdout
    assert all(re.fullmatch(r"[ .1-8]{1,60}", strip) for strip in strips.values())
    begins = {name: len(strip) - len(strip.lstrip()) for name, strip in strips.items()}
    assert begins["both"] <= begins["alone"] and len(strips["alone"]) <= len(strips["both"])
    assert "threads of the program busy on average while the region ran" in text.replace("\n", " ")


def test_csv_has_a_row_for_each_stretch(path, run_heddle, loaded):
    rows = list(csv.DictReader(io.StringIO(run_heddle("report", "--timeline", "--csv", path).stdout)))
    for name in ("both", "alone"):
        history = regions(loaded)[name]["history"]
        own = [row for row in rows if row["function"] == name]
        assert [float(row["elapsed_s"]) for row in own] == pytest.approx(history["elapsed_s"])
        assert [float(row["begin_s"]) for row in own] == pytest.approx(
            [history["begin_s"] + i * history["width_s"] for i in range(len(own))])
        assert sum(float(row["length_s"]) for row in own) == pytest.approx(loaded["program"]["elapsed_s"] - history["begin_s"])
        busy = [seconds / elapsed if elapsed else None for seconds, elapsed in zip(history["busy_s"], history["elapsed_s"])]
        assert [float(row["busy_threads"]) if row["busy_threads"] else None for row in own] == [
            None if one is None else pytest.approx(one) for one in busy]


def test_a_sum_of_runs_has_none(path, run_heddle, tmp_path):
    result = run_heddle("merge", "-o", tmp_path / "sum.heddle", path, path)
    assert result.returncode == 0, result.stderr
    assert "When regions ran is not known of a sum of runs" in run_heddle("report", "--timeline", tmp_path / "sum.heddle").stdout
    merged = json.loads(run_heddle("export", tmp_path / "sum.heddle").stdout)
    assert all(entry["history"] is None for entry in regions(merged).values())


def test_focus_and_depth_keep_it(path, run_heddle):
    focused = run_heddle("report", "--timeline", "--focus", "alone", path).stdout
    assert " in alone\n" in focused and " in both\n" not in focused
    assert " in both\n" in run_heddle("report", "--timeline", "--depth", "1", path).stdout
