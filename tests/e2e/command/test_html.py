# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`heddle html`: a page is one file that fetches nothing, has each callpath in a table, and runs no script of a profile."""
import html
import html.parser
import json
import re
import shutil
import stat

import pytest

from conftest import SOURCE

SIZE_MOST = 1.5e6
ATTACK = "</script><script>alert(1)</script>\\\"'&\u2028"  # as C writes it; the backslash is C's

# A region in a phase whose name would be a script.
PROGRAM = f"""
#include <heddle.h>
int omp_get_max_threads(void);
int main(void) {{
  double sum = omp_get_max_threads(); /* loads the tool */
  heddle_phase_begin("{ATTACK}");
  for (int i = 0; i < 20; i++) {{
#pragma omp parallel for schedule(dynamic, 10) reduction(+ : sum)
    for (int j = 0; j < 1000; j++)
      sum += j;
  }}
  heddle_phase_end("{ATTACK}");
  return sum > 0 ? 0 : 1;
}}
"""
NAME = ATTACK.replace("\\", "")


class Page(html.parser.HTMLParser):
    """What a browser without scripts finds: rows of the callpaths by id, data, elements, whatever would be fetched."""

    def __init__(self, text):
        super().__init__()
        self.elements, self.fetched, self.rows, self.data = [], [], {}, {}
        self.row = self.script = None
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attrs):
        attributes = dict(attrs)
        self.elements.append(tag)
        fetching = [attributes[name] for name in ("src", "data", "srcset", "poster", "action") if name in attributes]
        if tag in ("link", "base", "use", "image"):
            fetching.append(attributes.get("href", ""))
        self.fetched += [url for url in fetching if url != "data:,"]
        if tag == "tr":
            self.row = attributes.get("id")
            self.rows.setdefault(self.row, "")
        if tag == "script":
            self.script = attributes.get("id")

    def handle_data(self, data):
        if self.row:
            self.rows[self.row] += data
        if self.script:
            self.data[self.script] = self.data.get(self.script, "") + data

    def handle_endtag(self, tag):
        if tag == "tr":
            self.row = None
        if tag == "script":
            self.script = None


@pytest.fixture
def path(profile, build_program):
    return profile(build_program(PROGRAM, compiler="clang-19", flags=[f"-I{SOURCE / 'include'}"]), threads=2)


@pytest.fixture
def make_page(run_heddle, path, tmp_path):
    def make(*options):
        result = run_heddle("html", "-o", tmp_path / "page.html", "--force", *options, path)
        assert (result.returncode, result.stdout, result.stderr) == (0, "", "")
        return (tmp_path / "page.html").read_text(encoding="utf-8")

    return make


def test_a_page_has_each_callpath_in_its_table(make_page, export, path):
    page = Page(make_page())
    profiles = export(path)["profiles"]
    rows = {int(row[1:]): text for row, text in page.rows.items() if row and re.fullmatch(r"c\d+", row)}
    assert set(rows) == {profile["id"] for profile in profiles}
    for profile in profiles:
        if profile["kind"] == "phase":
            assert NAME in rows[profile["id"]]
        elif profile["kind"] in ("parallel", "loop_dynamic"):
            assert f":{profile['line']}" in rows[profile["id"]]
            assert str(profile["visits"]) in rows[profile["id"]]
    assert {"parallel", "loop_dynamic", "phase"} <= {profile["kind"] for profile in profiles}


def test_the_data_are_the_json_and_the_findings(make_page, run_heddle, path):
    page = Page(make_page())
    exported = json.loads(run_heddle("export", path).stdout)
    explained = json.loads(run_heddle("explain", "--json", "--all", path).stdout)
    assert json.loads(page.data["profile"]) == exported
    assert json.loads(page.data["explain"]) == explained


def test_a_page_fetches_nothing_and_is_small(make_page):
    text = make_page()
    page = Page(text)
    assert page.fetched == []
    assert not re.search(r"@import|url\(['\"]?(?!#)\w+:", text)
    assert "default-src 'none'" in text
    assert len(text.encode()) < SIZE_MOST


def test_names_are_no_scripts(make_page):
    text = make_page("--no-source")
    page = Page(text)
    assert "<script>alert" not in text
    assert page.elements.count("script") == text.count("</script>") == text.count("<script")
    assert NAME in {profile["name"] for profile in json.loads(page.data["profile"])["profiles"]}


def test_the_source_is_in_the_page_unless_asked_otherwise(make_page):
    line = "for (int j = 0; j &lt; 1000; j++)"
    assert line in make_page()
    assert line not in make_page("--no-source")


def test_an_existing_file_is_kept(run_heddle, path, tmp_path):
    page = tmp_path / "page.html"
    page.write_text("mine")
    result = run_heddle("html", "-o", page, path)
    assert result.returncode == 1 and "file already exists; --force replaces it" in result.stderr
    assert page.read_text() == "mine"
    assert run_heddle("html", "--force", "-o", page, path).returncode == 0
    assert stat.S_ISREG(page.stat().st_mode) and page.read_text(encoding="utf-8").startswith("<!DOCTYPE html>")


def test_a_pipe_gets_the_page(run_heddle, path):
    result = run_heddle("html", path)
    assert result.returncode == 0 and result.stdout.startswith("<!DOCTYPE html>") and result.stdout.endswith("</html>\n")


# ---- several profiles ----


def cells(text):
    """Rows of the page's tables: lists of texts, the place first."""
    rows = re.findall(r"<tr><th[^>]*>(.*?)</tr>", text, re.S)
    return [[html.unescape(re.sub("<[^>]*>", "", cell)) for cell in re.split(r"</t[hd]><t[hd][^>]*>", row)] for row in rows]


@pytest.fixture
def compared(run_heddle, profile, build_program, tmp_path):
    program = build_program(PROGRAM, compiler="clang-19", flags=[f"-I{SOURCE / 'include'}"])
    files = [shutil.copy(profile(program, threads=threads), tmp_path / f"t{threads}.heddle") for threads in (1, 2)]
    result = run_heddle("html", "-o", tmp_path / "both.html", *files)
    assert (result.returncode, result.stdout, result.stderr) == (0, "", "")
    return files, (tmp_path / "both.html").read_text(encoding="utf-8")


def test_a_page_of_several_is_their_comparison(run_heddle, compared):
    files, text = compared
    page = Page(text)
    expected = json.loads(run_heddle("compare", "--json", *files).stdout)
    assert json.loads(page.data["compare"]) == expected
    headings = re.findall(r"<h3>(.*?)</h3>", text)
    assert any(heading.startswith("Program: times in ") for heading in headings)
    assert any(heading.startswith("Regions: ") for heading in headings)
    rows = cells(text)
    regions = [row for row in expected["comparisons"][0]["rows"] if row["kind"] == "region"]
    assert regions
    for region in regions:
        shown = next(row for row in rows if row[0] == region["text"])
        assert f"{region['at'][1]['speedup']:.2f}" in shown
    assert "<h1>Heddle: " in text and "runs compared</h1>" in text


def test_a_page_of_several_fetches_and_runs_nothing(compared):
    _, text = compared
    page = Page(text)
    assert page.fetched == [] and "default-src 'none'" in text and len(text.encode()) < SIZE_MOST
    assert page.elements.count("script") == text.count("</script>") == text.count("<script") == 5
    assert "<script>alert" not in text and not re.search(r"<[^>]*\son\w+=", text)


def figures(text):
    return re.findall(r'<div class="figure" data-figure="(\w+)" data-part="(\d+)" data-point="(\d+)"></div>', text)


def test_charts_stand_above_their_tables(compared):
    _, text = compared
    assert figures(text) == [("speedup", "0", "1"), ("times", "0", "0"), ("losses", "0", "0"), ("regions", "0", "1")]
    for name, heading in [("times", "Program"), ("losses", "Lost wall"), ("regions", "Regions")]:
        assert re.search(rf'<h3>{heading}[^<]*</h3>\n(<div class="figure"[^>]*></div>\n)?<div class="figure" data-figure="{name}"'
                         r'[^>]*></div>\n<div class="wide"><table', text), name


def test_builds_that_differ_are_compared_when_forced(run_heddle, profile, build_program, tmp_path):
    flags = [f"-I{SOURCE / 'include'}"]
    before = shutil.copy(profile(build_program(PROGRAM, compiler="clang-19", flags=flags), threads=2), tmp_path / "before.heddle")
    other = build_program(PROGRAM.replace("i < 20", "i < 40"), compiler="clang-19", flags=flags)
    after = shutil.copy(profile(other, threads=2), tmp_path / "after.heddle")
    result = run_heddle("html", before, after)
    assert result.returncode == 1 and "--force compares them by name" in result.stderr and result.stdout == ""
    text = run_heddle("html", "--force", before, after).stdout
    assert figures(text) == [("times", "0", "0"), ("losses", "0", "0"), ("regions", "0", "1")]


def test_a_directory_is_compared(run_heddle, compared, tmp_path):
    files, _ = compared
    (tmp_path / "scan").mkdir()
    for file in files:
        shutil.copy(file, tmp_path / "scan")
    result = run_heddle("html", tmp_path / "scan")
    assert result.returncode == 0 and result.stdout.endswith("</html>\n") and "<h3>Regions: " in result.stdout


def test_profiles_that_cannot_be_compared_give_no_page(run_heddle, path, tmp_path):
    result = run_heddle("html", "-o", tmp_path / "none.html", path, tmp_path / "none.heddle")
    assert result.returncode == 1 and "none.heddle" in result.stderr and not (tmp_path / "none.html").exists()
