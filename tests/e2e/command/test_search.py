# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`heddle run --search` and `heddle ctl PID search`: which hypotheses were tested, which hold, and where; and --only, with
which a search begins."""
import json
import re
import time

import pytest

from conftest import TIMEOUT_S, marks

HYPOTHESES = {"serial": "too little is parallel", "uneven": "work is uneven", "barriers": "threads wait at barriers",
              "locks": "threads wait for locks", "handout": "handing out chunks takes long",
              "tasks": "tasks are too small, or too few at a time"}
# A flaw of flawed.c, which hypothesis it is, and the mark of its line.
FLAWS = {"critical": ("locks", "critical"), "triangle": ("uneven", "triangle"), "turns": ("barriers", "turns"),
         "scheduling": ("handout", "scheduling"), "small": ("tasks", "small")}


def verdicts(text):
    """{words of a hypothesis: (whether it holds, % of the time, lines below it)}"""
    found, words = {}, None
    for line in text.splitlines():
        if row := re.fullmatch(r"  (yes|no|\?) +(?:([\d.]+) %)? +(\S.*)", line):
            words = row[3]
            found[words] = (row[1], float(row[2] or "nan"), [])
        elif words and line.startswith(" " * 10):
            found[words][2].append(line.strip())
        else:
            words = None
    return found


def searched(run_heddle, tmp_path, program, *arguments, options=()):
    profile = tmp_path / f"{len(list(tmp_path.iterdir()))}.heddle"
    result = run_heddle("run", "--search", "-q", *options, "-o", profile, "--", program, *arguments,
                        env={"OMP_WAIT_POLICY": "passive", "OMP_NUM_THREADS": "2"})
    assert result.returncode == 0 and result.stdout == "", result.stderr
    return result.stderr


@pytest.mark.parametrize("flaw", FLAWS)
def test_a_flaw_is_found(build_program, run_heddle, tmp_path, flaw):
    hypothesis, mark = FLAWS[flaw]
    said = searched(run_heddle, tmp_path, build_program("flawed.c"), f"{flaw}@5")  # the search takes some two seconds
    assert said.startswith("search    tests of 0.25 s; a hypothesis holds if its cure would save 5 % of the time or more\n")
    holds, percent, places = verdicts(said)[HYPOTHESES[hypothesis]]
    assert holds == "yes" and percent > 5 and f"flawed.c:{marks('flawed.c')[mark]}" in places[0], said
    assert re.search(r"^together  regions.*\n.*flawed\.c:", said, re.M), said


def test_what_was_not_tested_is_said(build_program, run_heddle, tmp_path):
    said = searched(run_heddle, tmp_path, build_program("flawed.c"), "triangle", "triangle:15")  # the second region lasts
    found = verdicts(said)
    assert found[HYPOTHESES["serial"]][0] == "no" and found[HYPOTHESES["tasks"]][0] == "?", said
    assert "regions, entry, task, work, sync: not tested\n" in said and "together" not in said
    assert re.search("^ended     the program ended", said, re.M)
    brief = searched(run_heddle, tmp_path, build_program("flawed.c"))
    assert brief == "heddle: nothing was searched: the program ended before\n"


def test_of_a_running_program(start_steered, export):
    program = start_steered(env={"HEDDLE_ONLY": "region"})
    found = json.loads(program.call("ctl", "-i", "0.2", program.pid, "search", "--json").stdout)
    assert found["heddle_search"] == 1 and found["interval_s"] == 0.2 and found["threshold_percent"] == 5
    rows = {row["hypothesis"]: row for row in found["hypotheses"]}
    assert rows.keys() == {"serial", "regions", "processors", "uneven", "barriers", "locks", "handout", "tasks"}
    assert all(row["tests"] == 1 and 0.1 < row["tested_s"] < TIMEOUT_S and row["holds"] == (row["gain_percent"] >= 5)
               for row in rows.values()), rows
    assert rows["locks"]["classes"] == ["mutex", "region"] and rows["serial"]["classes"] == ["region"]
    assert all(place["gain_percent"] > 0 and place["place"] for row in rows.values() for place in row["places"])
    assert all(program.status()["classes"][c]["off"] for c in range(6))  # as before
    text = program.call("ctl", program.pid, "search").stdout
    assert len(verdicts(text)) == len(rows), text
    said, profile = program.end()
    assert said == "equal\n"
    assert re.search(r"'heddle ctl' changed what was measured .*only task work sync region at [\d.]+ s",
                     " ".join(export(profile)["run"]["notes"]))


def test_nothing_is_searched_while_nothing_is_measured(start_steered):
    program = start_steered()
    program.do("pause")
    refused = program.call("ctl", program.pid, "search")
    assert refused.returncode == 1 and "nothing is measured until 'heddle ctl PID on'" in refused.stderr and refused.stdout == ""
    program.do("resume")
    assert program.end()[0] == "equal\n"


# ---- --only ----


def test_only_some_classes(build_program, run_heddle, export, tmp_path):
    profile = tmp_path / "p.heddle"
    result = run_heddle("run", "-q", "--only", "work", "--overhead", "off", "-o", profile, "--",
                        build_program("flawed.c"), *["critical"] * 4, "triangle",
                        env={"OMP_WAIT_POLICY": "passive", "OMP_NUM_THREADS": "2"})
    assert result.returncode == 0 and result.stderr == "", result.stderr
    loaded = export(profile)
    off = {entry["class"] for entry in loaded["run"]["switched_off"]}
    assert off == {"entry", "mutex", "task", "call", "sync"}
    assert all(entry["by"] == "ctl" and entry["cost_percent"] is None for entry in loaded["run"]["switched_off"])
    notes = " ".join(loaded["run"]["notes"])
    assert "because that was asked for ('heddle ctl', HEDDLE_ONLY)" in notes and "changed what was measured" not in notes
    assert "everywhere, as was asked for; what they cost is not known" in run_heddle("report", "--overhead", profile).stdout


def test_only_what_there_is(start_steered, run_heddle):
    program = start_steered(env={"HEDDLE_OVERHEAD": "off"})
    said = program.do("only", "mutex,sync")
    assert re.search(r"^Predicted +[\d.e-]+ % of a thread's time", said, re.M)
    off = {entry["class"] for entry in program.status()["classes"] if entry["off"]}
    assert off == {"entry", "task", "call", "work"}
    assert "Changed   nothing: it is so\n" in program.do("only", "sync,region,mutex")
    limit = time.monotonic() + TIMEOUT_S
    while any(entry["off"] for entry in program.status()["classes"]):
        program.do("only", "entry,mutex,task,call,work,sync")
        assert time.monotonic() < limit
    assert program.end()[0] == "equal\n"
    for arguments in (("ctl", "1", "only", "locks"), ("run", "--only", "locks", "true")):
        refused = run_heddle(*arguments)
        assert refused.returncode == 2 and "list of the classes entry mutex task call work sync region" in refused.stderr
