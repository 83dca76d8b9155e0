# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`heddle ctl --under` and `heddle run --measure`: a class of events is off, or on, in some callpaths only. The program
waits for a line between batches, in which it sends no event: so what was observed in a batch is a difference of
snapshots, and exact."""
import collections
import re
import time

import pytest

from conftest import TIMEOUT_S, assert_entries, assert_identities, assert_states_sum_to_lifetimes

PER_BATCH = 5 * 3 * 4  # sections in one region: rounds, threads, sections
EXACT = {"HEDDLE_OVERHEAD": "off"}


class ByTurns:
    """The program, and what is known of its regions, by the routines that they are in: "left", "late left"."""

    def __init__(self, program, heddle, export):
        self.program, self.heddle, self.export = program, heddle, export
        self.batches = 1

    def batch(self, line=""):
        self.program.go_on(line)
        self.batches += 1

    def steer(self, *command):
        """What `heddle ctl` says, while the program runs as many batches as it takes."""
        client = self.program.start(self.heddle, "-i", "0.1", self.program.pid, *command)
        while client.poll() is None:
            self.batch()
        said, errors = client.communicate()
        assert client.returncode == 0 and errors == "", errors
        return said

    def sections(self, loaded):
        """{callpath: its critical section}; a callpath of which none was observed has no visits."""
        nodes = {node["id"]: node for node in loaded["profiles"]}

        def path(node):
            above = path(nodes[node["parent"]]) if node["parent"] is not None else []
            return above + ([node["name"]] if node["kind"] == "routine" else [])

        found = collections.defaultdict(lambda: {"visits": 0, "incomplete": True})
        for node in nodes.values():
            if node["kind"] == "critical":
                found[" ".join(path(node)).removeprefix("main round_of ")] = node
        return found

    def now(self):
        path = self.program.do("snapshot", "-o", self.program.store / "snap").split(":")[0]
        return self.sections(self.export(path))

    def wait_until_missed(self, *callpaths):
        """Until something was not observed in each of these."""
        limit = time.monotonic() + TIMEOUT_S
        while not all(self.now()[callpath]["incomplete"] for callpath in callpaths):
            assert time.monotonic() < limit
            self.batch()

    def wait_for(self, condition):
        limit = time.monotonic() + TIMEOUT_S
        while not condition(mutex := self.mutex()):
            assert time.monotonic() < limit, mutex
            self.batch()

    def mutex(self):
        return next(entry for entry in self.program.status()["classes"] if entry["class"] == "mutex")

    def end(self):
        _, profile = self.program.end()
        loaded = self.export(profile)
        assert_states_sum_to_lifetimes(loaded)
        assert_identities(loaded)
        assert_entries(loaded)
        return loaded


@pytest.fixture
def start(start_steered, heddle, export):
    def begin(**options):
        return ByTurns(start_steered(source="by_turns.c", **options), heddle, export)

    return begin


def is_exact(section):
    return not any(section[mark] for mark in ("incomplete", "misplaced", "busy_at_most", "own_busy_at_most"))


def test_off_in_one_routine(start, runtime):
    program = start(runtime=runtime, env=EXACT)
    said = program.steer("--under", "^left$", "off", "mutex")
    assert re.search(r"^Predicted +(from [\d.e-]+ to [\d.e-]+ % of a thread's time: how much of it comes from there is not known"
                     r"|not known)", said, re.M)
    assert re.search(r"^Done +in 1 callpath and what is below, [\d.]+ [mun]?s after it was asked for$", said, re.M)
    program.wait_until_missed("left")
    mutex = program.mutex()
    assert mutex["off"] and mutex["off_in_part"]
    assert re.search(r"^mutex +part ", program.program.do("status"), re.M)
    assert "Changed   nothing: it is off there\n" in program.program.do("--under", "^left$", "off", "mutex")
    assert "Changed   nothing: it is on there\n" in program.program.do("--under", "^right$", "on", "mutex")
    program.batch("l")
    loaded = program.end()
    sections = program.sections(loaded)
    assert is_exact(sections["right"]) and sections["right"]["visits"] == program.batches * PER_BATCH
    assert is_exact(sections["late left"]) and sections["late left"]["visits"] == PER_BATCH  # another callpath
    assert sections["left"]["visits"] < program.batches * PER_BATCH and sections["left"]["incomplete"]
    entry, = loaded["run"]["switched_off"]
    assert entry["where"] == "some regions" and entry["by"] == "ctl" and entry["thread"] is None
    assert re.search(r"what was measured while the program ran: mutex off under left by_turns.c:\d+ at [\d.]+ s",
                     " ".join(loaded["run"]["notes"]))


def test_on_in_one_routine(start, run_heddle):
    program = start(env={**EXACT, "HEDDLE_ONLY": "work"})
    program.wait_until_missed("left", "right")
    program.steer("--under", "^right$", "on", "mutex")
    before = program.now()
    for _ in range(3):
        program.batch()
    after = program.now()
    assert after["right"]["visits"] - before["right"]["visits"] == 3 * PER_BATCH
    assert program.mutex()["off_in_part"]
    program.steer("off", "mutex")  # everywhere
    assert program.mutex()["off"] and not program.mutex()["off_in_part"]
    program.steer("on", "mutex")
    assert not program.mutex()["off"]
    before = program.now()
    program.batch()
    after = program.now()
    assert all(after[place]["visits"] - before[place]["visits"] == PER_BATCH for place in ("left", "right"))
    loaded = program.end()
    assert [entry["where"] for entry in loaded["run"]["switched_off"] if entry["class"] == "mutex"] == \
        ["everywhere", "some regions", "everywhere"]
    assert "in some regions, as was asked for" in run_heddle("report", "--overhead", program.program.output).stdout


def test_what_comes_later_is_as_what_is_above(start):
    program = start(env=EXACT)
    program.steer("--under", "^round_of$", "off", "mutex")
    program.steer("--under", "^right$", "on", "mutex")
    program.wait_until_missed("left")
    before = program.now()
    program.batch("l")
    program.wait_until_missed("late left")
    batches = program.batches
    after = program.now()
    program.batch()
    assert program.now()["right"]["visits"] - after["right"]["visits"] == (program.batches - batches) * PER_BATCH
    assert after["right"]["visits"] > before["right"]["visits"]
    program.end()


def test_what_cannot_be_switched_is_said(start):
    program = start(env=EXACT)
    for under, words in [("critical", "what matches 'critical' is in no parallel region's callpath"),
                         ("rigth", "no routine, construct or phase matches 'rigth'; there is: right")]:
        refused = program.program.ctl("--under", under, "off", "mutex")
        assert refused.returncode == 1 and words in refused.stderr and refused.stdout == ""
    assert program.program.status()["acts"] == 0
    assert program.end()["run"]["switched_off"] == []


@pytest.mark.parametrize("arguments, words", [
    (["-u", "(", "1", "off", "mutex"], "--under '(': "),
    (["-u", "", "1", "off", "mutex"], "--under needs a regular expression"),
    (["-u", "main", "1", "off"], "--under belongs to on CLASS and off CLASS"),
    (["-u", "main", "1", "only", "mutex"], "--under belongs to on CLASS and off CLASS"),
    (["-u", "main", "1", "off", "region"], "--under: regions themselves are on, or off, in all callpaths"),
])
def test_wrong_usage(run_heddle, arguments, words):
    result = run_heddle("ctl", *arguments)
    assert result.returncode == 2 and words in result.stderr and result.stdout == ""


# ---- rules ----


def test_rules_are_applied_as_callpaths_come(start, tmp_path):
    rules = tmp_path / "rules"
    rules.write_text("# all but what is called late\noff mutex  under ^round_of$\n\n"
                     "on mutex,sync under ^right$\r\n on mutex under parallel by_turns.c:[0-9]+ in late\non mutex under ^late$")
    program = start(under_run=True, options=["--measure", rules, "--overhead", "off"])
    acts = lambda: program.program.status()["acts"]
    limit = time.monotonic() + TIMEOUT_S
    while acts() < 2:
        assert time.monotonic() < limit
        program.batch()
    program.wait_until_missed("left")
    program.batch("l")
    while acts() < 3:
        assert time.monotonic() < limit
        program.batch()
    before, batches = program.now(), program.batches
    for _ in range(3):
        program.batch()
    after = program.now()
    for place in ("right", "late left"):
        assert after[place]["visits"] - before[place]["visits"] == (program.batches - batches) * PER_BATCH
    assert acts() == 3
    loaded = program.end()
    assert [entry["where"] for entry in loaded["run"]["switched_off"]] == ["some regions"]


def test_a_class_is_off_everywhere_but_there(start, tmp_path):
    rules = tmp_path / "rules"
    rules.write_text("on mutex under right\noff mutex,sync\non mutex under ^left$")  # the last one counts
    program = start(under_run=True, options=["--measure", rules, "--overhead", "off"])
    program.wait_for(lambda mutex: mutex["off_in_part"])
    program.wait_until_missed("right")
    before = program.now()
    program.batch()
    assert program.now()["left"]["visits"] - before["left"]["visits"] == PER_BATCH
    assert {entry["class"]: entry["where"] for entry in program.end()["run"]["switched_off"]} == \
        {"sync": "everywhere", "mutex": "some regions"}


def test_rules_without_a_callpath_are_named(build_program, run_heddle, tmp_path):
    rules = tmp_path / "rules"
    rules.write_text("off mutex under ^right$\n\noff sync under nothing\n")
    result = run_heddle("run", "-q", "--measure", rules, "-o", tmp_path / "p", "--", build_program("by_turns.c"))
    assert result.returncode == 0
    assert "nothing was switched by the rules" in result.stderr or \
        f"heddle: {rules}:3: no parallel region is in a callpath that matches 'nothing'\n" in result.stderr


EXPECTED = "expected 'off CLASS,... [under REGEX]' or 'on CLASS,... under REGEX'"


@pytest.mark.parametrize("text, words", [
    ("", f":0: {EXPECTED}: there is no rule"),
    ("# none\n", f":1: {EXPECTED}: there is no rule"),
    ("off mutex\nof sync", f":2: {EXPECTED}, not 'of'"),
    ("off", f":1: {EXPECTED}: there is no class"),
    ("off mutex,x", ":1: there is no class 'x'; there are: entry mutex task call work sync region"),
    ("off mutex,", ":1: there is no class ''; there are: entry"),
    ("off mutex at main", f":1: {EXPECTED}, not 'at' behind the classes"),
    ("\n\noff mutex under  ", f":3: {EXPECTED}: there is nothing behind 'under'"),
    ("off mutex under (", ":1: '(': "),
    ("on mutex", f":1: {EXPECTED}: without a rule before all classes are on"),
    ("off region under main", ":1: regions themselves are on, or off, in all callpaths: 'region' cannot have 'under'"),
])
def test_wrong_rules(run_heddle, tmp_path, text, words):
    rules, begun = tmp_path / "rules", tmp_path / "begun"
    rules.write_text(text)
    result = run_heddle("run", "--measure", rules, "--", "touch", begun)
    assert result.returncode == 2 and f"--measure {rules}{words}" in result.stderr and not begun.exists()


def test_rules_that_cannot_be_read(run_heddle, tmp_path):
    for path, why in [(tmp_path / "none", "No such file or directory"), (tmp_path, "Is a directory")]:
        result = run_heddle("run", "--measure", path, "--", "true")
        assert result.returncode == 2 and f"--measure {path}: {why}" in result.stderr


@pytest.mark.parametrize("option, words", [
    ("--search", "either --search or --measure: each decides what is measured"),
    ("--dormant", "--measure needs a measurement, so it does not go with --dormant"),
])
def test_rules_do_not_go_with_everything(run_heddle, tmp_path, option, words):
    (tmp_path / "rules").write_text("off mutex")
    result = run_heddle("run", option, "--measure", tmp_path / "rules", "--", "true")
    assert result.returncode == 2 and words in result.stderr
