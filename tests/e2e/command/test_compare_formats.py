# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`heddle compare`: the formats alike, noise, laws and counts."""
import csv
import io
import re
import shutil

import pytest

from compared_profiles import CAUSES, flat
from terminal import ESCAPE, on_terminal


# ---- formats ----


def number(text):
    return float(text) if text else None


def test_csv_is_json(compare, load, scanned):
    [comparison] = load(scanned)
    lines = list(csv.DictReader(io.StringIO(compare("--csv", scanned))))
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


def test_text_is_json(compare, load, scanned):
    [comparison] = load(scanned)
    text = compare(scanned)
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


def test_markdown_tables_are_whole(compare, scanned):
    text = compare("--markdown", scanned)
    tables = [block.splitlines() for block in text.split("\n\n") if block.lstrip().startswith("|")]
    assert len(tables) == 4
    for table in tables:
        table = [line for line in table if line]
        columns = [len(re.findall(r"(?<!\\)\|", line)) for line in table]
        assert len(set(columns)) == 1, table
        assert set(table[1]) <= set("|-: ")
    assert "└─ loop static program.c" in text and "### Program" in text and "\x1b" not in text
    assert compare("--markdown", scanned).count("\n### ") == 4


@pytest.mark.parametrize("width", [80, 120, 200])
@pytest.mark.needs("terminal")
def test_lines_fit_the_terminal(heddle, scanned, width):
    status, shown = on_terminal(heddle, "compare", scanned, width=width, env={"LC_ALL": "C.UTF-8"})
    text = ESCAPE.sub("", shown)
    assert status == 0
    assert max(map(len, text.splitlines())) <= width
    assert ("Left out, because a line has 80 characters: " in text) == (width == 80)
    assert "parallel program.c" in text and "in uneven" in text and " Lost " in text


# ---- noise ----


def test_one_run_each_is_said_to_tell_nothing_of_noise(compare, load, scanned):
    files = [scanned / "t1.r1.heddle", scanned / "t2.r1.heddle"]
    text = compare(*files)
    assert "noise     not known: that takes 3 or more runs of each. Differences may be noise" in text
    assert "~" not in text and "Time 95%" not in text and "Lost 95%" not in text and not re.search(r"\?\d", text)
    for row in load(*files)[0]["rows"]:
        for at in filter(None, row["at"]):
            assert at["time_interval_s"] is None and not at["noise_known"] and at["in_noise"] is None


def test_noise_that_is_known_in_part_is_marked(compare, record, scanned, tmp_path):
    folder = tmp_path / "mixed"
    shutil.copytree(scanned, folder)
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


def test_too_few_thread_counts_for_laws(compare, load, scanned):
    assert re.search(r"^No prediction is possible: .*4 thread counts", compare("--predict", "16", scanned), re.M)
    assert "Laws" not in compare(scanned)
    laws = load("--predict", "16", scanned)[0]["rows"][0]["laws"]
    assert laws["fitted"] is False and laws["why"] and laws["predictions"] == [] and laws["amdahl"] is None


def test_laws_and_predictions(compare, load, record, scanned, tmp_path):
    folder = tmp_path / "four"
    shutil.copytree(scanned, folder)
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
        assert f"4: more threads than the {processors} processor" in flat(text)


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
