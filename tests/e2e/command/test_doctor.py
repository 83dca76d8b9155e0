# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`heddle doctor`: the probe on three runtimes and on libraries that are none; a finding, with its cure, for everything
that keeps a program from being measured."""
import json
import os
import re
import shutil
import subprocess

import pytest

from conftest import LIBRARY, SOURCE, build_id, clean_environment, libomp_folder

REGION = r"""
int main(void) {
  int count = 0;
#pragma omp parallel num_threads(2) reduction(+ : count)
  count++;
  return count != 2;
}
"""
PLAIN = "\nint main(void) { return 0; }\n"

CALLBACKS = (SOURCE / "include" / "heddle-events.h").read_text(encoding="utf-8")
CALLBACKS = CALLBACKS.split("#define HD_CALLBACK_TABLE")[1].split("enum ")[0]
EVENTS = set(re.findall(r"^  X\(\w+, (\w+),", CALLBACKS, re.MULTILINE))
assert len(EVENTS) >= 14


def libomp(version=19):
    return libomp_folder(version) / "libomp.so.5"


@pytest.fixture
def doctor(run_heddle, tmp_path):
    """doctor(arguments..., env=) -> CompletedProcess, with .findings: {about: (level, text)}."""

    def run(*arguments, env=None, **options):
        result = run_heddle("doctor", *arguments, env=env, cwd=tmp_path, **options)
        lines = re.findall(r"^(ok|note|WRONG) +(\S.*?)  +(\S.*)$", result.stdout, re.M)
        result.findings = {}
        for level, about, text in lines:
            if result.findings.get(about, ("ok",))[0] == "ok":
                result.findings[about] = (level, text)
        return result

    return run


def rows(result):
    """The table: {(event, of): (registered, delivered, on time, address, rest)}."""
    pattern = r"^(\w+) +(\S.*?)  +(always|never|error|impossible|sometimes|paired|not asked) +(\d+/\d+) +(\S+) +(\S+) +(\S.*)$"
    return {row[:2]: row[2:] for row in re.findall(pattern, result.stdout.replace(", worker always", ", worker  always"),
                                                   re.M)}


# ---- runtimes ----


def test_every_event_arrives_on_this_runtime(doctor, runtime):
    result = doctor("--verbose", "--libomp", libomp(runtime))
    table = rows(result)
    assert result.returncode == 0, result.stdout + result.stderr
    assert {event for event, _ in table} == EVENTS
    assert "LOST" not in result.stdout and str(libomp(runtime)) in result.stdout
    for (event, of), (registered, delivered, timely, address, _) in table.items():
        got, wanted = map(int, delivered.split("/"))
        assert registered == "always" and got == wanted, (event, of)
        assert address in ("yes", "-", "runtime's"), (event, of)
    assert table["work", "static loop"][1:4] == ("4/4", "yes", "yes")
    assert table["mutex_acquire", "ordered"][1:4] == ("8/8", "yes", "yes")
    assert table["work", "taskloop"][3] == "runtime's"
    level, text = result.findings["libheddle.so"]
    assert level == "ok" and str(LIBRARY) in text and "add up" in text
    assert result.stdout.endswith("Heddle works with this runtime.\n")


def test_events_that_all_arrive_are_only_counted(doctor, runtime):
    result = doctor("--libomp", libomp(runtime))
    level, text = result.findings["events"]
    assert level == "ok" and text.startswith("all 42 arrive; ") and text.endswith("--verbose lists them")
    assert not rows(result) and "mutex_acquire" not in result.stdout


def test_library_that_is_no_runtime_is_refused(doctor, build_program, tmp_path):
    other = build_program("int nothing;\n", flags=["-shared", "-fPIC"])
    for path, words in ((other, "not a libomp"), (tmp_path / "none.so", "No such file"), ("/etc/passwd", "invalid ELF")):
        result = doctor("--libomp", path)
        assert result.returncode == 1 and words in result.findings["runtime"][1], result.stdout


# What a runtime of our own making has: it looks for a tool at the first region, and lets it register.
REGISTERS = r"""
#include <dlfcn.h>
#include <string.h>
struct result { int (*initialize)(void *(*)(const char *), int, void *); void (*finalize)(void *); unsigned long data; };
static void *callbacks[64];
static int set(int event, void *function) { callbacks[event] = function; return event == 26 ? 1 : 5; }
static void *lookup(const char *name) { return strcmp(name, "ompt_set_callback") ? 0 : (void *)set; }
static void look(void) {
  static int looked;
  struct result *(*start)(unsigned, const char *) =
      (struct result *(*)(unsigned, const char *))dlsym(RTLD_DEFAULT, "ompt_start_tool");
  struct result *result = looked++ || !start ? 0 : start(202011, "a runtime of our own");
  if (result)
    result->initialize(lookup, 0, 0);
}
static void run(long body) {
  int zero = 0;
  ((void (*)(int *, int *, ...))body)(&zero, &zero);
}
static void work(int endpoint, void *address) {
  if (callbacks[20])
    ((void (*)(int, int, void *, void *, unsigned long, void *))callbacks[20])(10, endpoint, 0, 0, 1, address);
}
"""


def fake_runtime(build_program, bodies, before=""):
    """A library with all entry points that the probe needs; those in `bodies` do something, with a, b, c as their first
    parameters, the others nothing."""
    entries = (SOURCE / "cli" / "doctor" / "probe" / "entries.h").read_text(encoding="utf-8")
    names = re.findall(r"_\(.*?, (\w+),", entries)
    assert "__kmpc_fork_call" in names and "omp_control_tool" in names
    bodies = {"__kmpc_omp_task_alloc": "static long task[20]; return (long)task;", **bodies}
    text = "\n".join(f"long {name}(long a, long b, long c) {{ {bodies.get(name, '')} return 0; }}"
                     for name in [*names, "GOMP_parallel"])
    return build_program(f"#define _GNU_SOURCE\n#include <signal.h>\n#include <unistd.h>\n{before}{text}\n", compiler="gcc",
                         flags=["-shared", "-fPIC", "-w", "-fno-openmp", "-ldl"])


def test_runtime_without_tools_is_named(doctor, build_program):
    result = doctor("--libomp", fake_runtime(build_program, {}))
    assert result.returncode == 1 and "does not look for tools" in result.findings["runtime"][1]


def test_runtime_that_sends_nothing_loses_everything(doctor, build_program):
    result = doctor("--libomp", fake_runtime(build_program, {"__kmpc_fork_call": "look();"}, REGISTERS))
    table = rows(result)
    assert result.returncode == 1 and "a runtime of our own" in result.stdout
    assert len(table) == 42 and all(row[1].startswith("0/") for row in table.values())
    assert {row[0] for (event, _), row in table.items() if event == "mutex_acquired"} == {"always"}
    assert {row[0] for (event, _), row in table.items() if event == "mutex_acquire"} == {"never"}
    level, text = result.findings["events"]
    assert level == "WRONG" and re.match(r"\d+ of 42 do not arrive", text)
    assert result.stdout.count("LOST") == int(text.split()[0])


@pytest.mark.parametrize("begin, end, expected", [
    ("work(1, __builtin_return_address(0));", "work(2, 0);", ("2/4", "yes", "yes")),
    ("work(1, (void *)look);", "work(2, 0);", ("2/4", "yes", "runtime's")),
    ("work(1, 0);", "work(2, 0);", ("2/4", "yes", "no")),
    ("", "work(1, __builtin_return_address(0)); work(2, 0);", ("2/4", "late", "yes")),
    ("work(1, __builtin_return_address(0)); work(2, 0);", "", ("2/4", "late", "yes")),
    ("work(1, __builtin_return_address(0));", "", ("1/4", "yes", "yes")),
])
def test_when_and_with_what_address_an_event_comes(doctor, build_program, begin, end, expected):
    library = fake_runtime(build_program, {"__kmpc_fork_call": "look(); run(c);", "__kmpc_for_static_init_4": begin,
                                           "__kmpc_for_static_fini": end}, REGISTERS)
    result = doctor("--libomp", library)
    assert rows(result)["work", "static loop"][1:4] == expected
    assert result.findings["team"][0] == "note"  # one thread of two


def test_runtime_that_dies_is_named_with_the_construct(doctor, build_program):
    result = doctor("--libomp", fake_runtime(
        build_program, {"__kmpc_fork_call": 'write(2, "Assertion failed\\n", 17); raise(SIGSEGV);'}))
    level, text = result.findings["runtime"]
    assert result.returncode == 1 and level == "WRONG"
    assert "signal 11" in text and "in parallel region" in text and "Assertion failed" in text


# ---- libheddle.so ----


def test_library_that_cannot_be_used_is_wrong(doctor, tmp_path):
    broken = tmp_path / "broken.so"
    broken.write_text("no library\n")
    result = doctor("--library", broken, "--libomp", libomp())
    assert result.returncode == 1 and "cannot be loaded" in result.findings["libheddle.so"][1]
    result = doctor("--library", tmp_path / "none.so", "--libomp", libomp())
    assert result.returncode == 1 and "none.so" in result.stderr and "WRONG" == result.findings["libheddle.so"][0]


def test_tool_that_declines_writes_no_profile(doctor, build_program):
    declines = build_program("void *ompt_start_tool(unsigned v, const char *r) { return 0; }\n", compiler="gcc",
                             flags=["-shared", "-fPIC", "-w"])
    result = doctor("--library", declines, "--libomp", libomp())
    assert result.returncode == 1 and "wrote no profile" in result.findings["libheddle.so"][1]


# ---- JSON ----


def test_json_says_the_same(doctor, runtime):
    text, result = (doctor("--libomp", libomp(runtime), option) for option in ("--verbose", "--json"))
    said = json.loads(result.stdout)
    assert result.returncode == 0 and said["well"] is True and said["program"] is None
    assert said["runtime"]["path"] == str(libomp(runtime)) and "OMP" in said["runtime"]["version"]
    assert said["runtime"]["build_id"] == build_id(libomp(runtime))
    assert re.search(rf"^Runtime .*, build-id {build_id(libomp(runtime))[:12]}$", text.stdout, re.M)
    words = {"fine": "", "known": "known ", "lost": "LOST "}
    assert rows(text) == {
        (e["event"], e["of"]): (e["registered"], f"{e['delivered']}/{e['expected']}", e["on_time"] or "-",
                                e["code_address"] or "-", words[e["verdict"]] + e["without_it"])
        for e in said["runtime"]["events"]}
    assert {f["about"] for f in said["findings"]} == set(text.findings)


def test_json_of_what_is_wrong(doctor, build_program, tmp_path):
    said = json.loads(doctor("--json", "--libomp", tmp_path / "none.so", "--", "./none").stdout)
    assert said["well"] is False and said["program"] == "./none"
    assert [f["about"] for f in said["findings"] if f["level"] == "wrong"] == ["program", "runtime"]
    dies = fake_runtime(build_program, {"__kmpc_fork_call": "raise(SIGSEGV);"})
    result = doctor("--json", "--libomp", dies)
    said = json.loads(result.stdout)
    assert result.returncode == 1
    assert said["runtime"] == {"path": str(dies), "build_id": build_id(dies), "version": None, "events": None}
    assert [f["about"] for f in said["findings"] if f["level"] == "wrong"] == ["runtime", "libheddle.so"]


# ---- programs ----


def test_program_on_libomp_is_fine_and_its_own_runtime_is_tried(doctor, runtime, build_program):
    program = build_program(REGION)
    result = doctor("--", program, "an argument", "-q", env={"LD_LIBRARY_PATH": str(libomp_folder(runtime))})
    assert result.returncode == 0, result.stdout
    assert result.findings["runtime"] == ("ok", str(libomp(runtime)))
    assert f"Runtime {libomp(runtime)}" in result.stdout
    assert result.findings["names"][0] == "ok"


def app(doctor, program, **options):
    result = doctor("--libomp", libomp(), "--", program, **options)
    wrong = [(about, text) for about, (level, text) in result.findings.items() if level == "WRONG"]
    assert result.returncode == bool(wrong)
    return result.findings, wrong


def test_program_on_libgomp_names_gomp(doctor, build_program):
    findings, wrong = app(doctor, build_program(REGION, compiler="gcc"))
    assert wrong == [] and "--gomp" in findings["runtime"][1]


def test_program_without_openmp(doctor, build_program):
    _, wrong = app(doctor, build_program(PLAIN, compiler="gcc", flags=["-fno-openmp"]))
    assert len(wrong) == 1 and "links no OpenMP runtime" in wrong[0][1] and "-fopenmp" in wrong[0][1]


def test_stripped_program_and_one_without_lines(doctor, build_program):
    findings, _ = app(doctor, build_program(REGION, flags=["-s"]))
    assert "stripped" in findings["names"][1]
    findings, _ = app(doctor, build_program(REGION, flags=["-g0"]))
    assert "no line numbers" in findings["names"][1]


@pytest.mark.needs("xray")
def test_program_with_sleds(doctor, build_program):
    findings, wrong = app(doctor, build_program(REGION, flags=["-fxray-instrument", "-fxray-instruction-threshold=1"]))
    assert wrong == [] and re.search(r"^\d+ functions have sleds .* heddle run --routines=LIST ", findings["sleds"][1])
    findings, _ = app(doctor, build_program(REGION))
    assert "sleds" not in findings


def test_static_program(doctor, build_program):
    _, wrong = app(doctor, build_program(PLAIN, compiler="gcc", flags=["-fno-openmp", "-static"]))
    assert len(wrong) == 1 and "statically linked" in wrong[0][1]


def test_program_of_another_machine(doctor, tmp_path):
    program = tmp_path / "old"
    header = bytearray(b"\x7fELF\x01\x01\x01".ljust(52, b"\0"))  # 32 bits, little endian
    header[16:20] = (2).to_bytes(2, "little") + (3).to_bytes(2, "little")  # an executable for x86
    header[20:24] = (1).to_bytes(4, "little")
    header[40:42] = (52).to_bytes(2, "little")
    program.write_bytes(header)
    program.chmod(0o755)
    _, wrong = app(doctor, program)
    assert len(wrong) == 1 and "is for x86, 32 bits" in wrong[0][1]


def test_program_that_is_cut_short(doctor, build_program, tmp_path):
    whole, cut = build_program(REGION).read_bytes(), tmp_path / "cut"
    for size in (len(whole) - 1, len(whole) // 2, 64):
        cut.write_bytes(whole[:size])
        cut.chmod(0o755)
        _, wrong = app(doctor, cut)
        assert len(wrong) == 1 and "is truncated" in wrong[0][1], size


def test_program_with_libgomp_inside(doctor, build_program):
    archive = subprocess.run(["gcc", "-print-file-name=libgomp.a"], capture_output=True, text=True, check=True).stdout
    _, wrong = app(doctor, build_program(REGION, compiler="gcc", flags=["-fno-openmp", "-x", "none", "-Wl,--whole-archive",
                                                                     archive.strip(), "-Wl,--no-whole-archive",
                                                                     "-ldl", "-pthread"]))
    assert len(wrong) == 1 and "libgomp is part of the program" in wrong[0][1]


def test_program_with_a_tool_of_its_own(doctor, build_program):
    tool = "\nvoid *ompt_start_tool(unsigned v, const char *r) { (void)v; (void)r; return 0; }\n"
    _, wrong = app(doctor, build_program(REGION + tool))
    assert [about for about, _ in wrong] == ["another tool"]


def test_program_with_a_sanitizer(doctor, build_program):
    findings, wrong = app(doctor, build_program(REGION, compiler="gcc", flags=["-fsanitize=address"]))
    assert wrong == [] and "AddressSanitizer" in findings["sanitizer"][1]


def test_program_whose_library_is_missing(doctor, build_program, tmp_path):
    library = tmp_path / "libgone.so"
    subprocess.run(["gcc", "-shared", "-fPIC", "-o", library, "-x", "c", "-"], input="int gone;", text=True, check=True)
    program = build_program("\nextern int gone;\nint main(void) { return gone; }\n", compiler="gcc",
                            flags=[f"-L{tmp_path}", "-lgone"])
    _, wrong = app(doctor, program)
    assert len(wrong) == 1 and "does not find libgone.so" in wrong[0][1]


def test_program_that_is_newer_than_its_runtime(doctor, build_program):
    program = build_program(REGION.replace("  count++;", "  for (int i = 0; i < 2; i++)\n#pragma omp for schedule(dynamic)\n"
                                           "    for (int k = 0; k < 1; k++)\n      count += !i;"), "clang-19", ("-w",))
    for version, level in ((14, "WRONG"), (19, "ok")):
        result = doctor("--", program, env={"LD_LIBRARY_PATH": str(libomp_folder(version))})
        assert result.findings.get("program", ("ok",))[0] == level, result.stdout
        assert ("calls __kmpc_dispatch_deinit, which its runtime (" in result.stdout) == (version == 14)


def test_script_and_launcher(doctor, tmp_path):
    script = tmp_path / "script"
    script.write_text("#!/usr/bin/env python3\n")
    script.chmod(0o755)
    findings, wrong = app(doctor, script)
    assert wrong == [] and "script for python3" in findings["program"][1]
    script.write_text("#!/nowhere/python3\n")
    _, wrong = app(doctor, script)
    assert len(wrong) == 1 and "a script for /nowhere/python3, which does not exist" in wrong[0][1]
    launcher = tmp_path / "mpirun"
    shutil.copy("/bin/true", launcher)
    findings, wrong = app(doctor, launcher)
    assert wrong == [] and "every host needs" in findings["runtime"][1]


@pytest.mark.needs("root")
def test_program_of_another_identity(doctor, build_program, tmp_path):
    program = tmp_path / "changes-user"
    shutil.copy(build_program(REGION), program)
    os.chown(program, 65534, 65534)
    program.chmod(0o4755)
    _, wrong = app(doctor, program)
    assert [about for about, _ in wrong] == ["identity"]


def test_files_that_are_no_programs(doctor, tmp_path):
    file = tmp_path / "notes"
    file.write_text("not a program\n")
    for name, words in ((tmp_path, "is a directory"), (file, "chmod +x"), ("./none", "No such file"),
                        ("no-such-program", "not on the PATH")):
        _, wrong = app(doctor, name)
        assert len(wrong) == 1 and words in wrong[0][1]
    file.chmod(0o755)
    assert "neither a program nor a script" in app(doctor, file)[1][0][1]
    assert "in this directory it is: ./notes" in app(doctor, "notes")[1][0][1]


# ---- environment ----


@pytest.mark.parametrize("name, value, level, words", [
    ("OMP_TOOL", "disabled", "WRONG", "unset it"),
    ("OMP_TOOL_VERBOSE_INIT", "/no/such/file", "note", "crash"),
    ("OMP_TOOL_LIBRARIES", "/no/other.so", "note", "takes only one"),
    ("HEDDLE_OUTPTU", "x", "WRONG", "did you mean HEDDLE_OUTPUT?"),
    ("HEDDLE_SOMETHING_ELSE", "x", "note", "not a Heddle variable"),
    ("OMP_NUM_THREADS", "1", "note", "one thread"),
    ("TMPDIR", "/no/such", "ok", ""),
])
def test_variables(doctor, name, value, level, words):
    result = doctor("--libomp", libomp(), env={name: value})
    assert result.returncode == (level == "WRONG"), result.stdout
    if words:
        assert result.findings[name][0] == level and words in result.findings[name][1]


def test_preloaded_libgomp_is_wrong(doctor):
    gomp = subprocess.run(["gcc", "-print-file-name=libgomp.so.1"], capture_output=True, text=True, check=True)
    result = doctor("--libomp", libomp(), env={"LD_PRELOAD": os.path.realpath(gomp.stdout.strip())})
    assert result.returncode == 1 and "libgomp" in result.findings["LD_PRELOAD"][1]


def test_bad_value_is_what_the_library_says(doctor):
    result = doctor("--libomp", libomp(), env={"HEDDLE_MEMORY": "much", "HEDDLE_UNWIND": "deep"})
    assert result.returncode == 1
    assert "HEDDLE_MEMORY expects a size" in result.stdout and "HEDDLE_UNWIND expects a number, or off, not deep" in result.stdout


# ---- machine ----


def test_places_that_cannot_be_used(doctor):
    result = doctor("--libomp", libomp(), env={"HEDDLE_STORE_DIR": "/no/such", "HEDDLE_OUTPUT": "/no/such/x.heddle"})
    assert result.returncode == 1
    assert result.findings["HEDDLE_STORE_DIR"][0] == "note" and result.findings["live profiles"][0] == "ok"
    assert result.findings["finished profiles"][0] == "WRONG" and "--output" in result.findings["finished profiles"][1]


def limited(heddle, tmp_path, *limits):
    return subprocess.run(["sh", "-c", f"{'; '.join(limits)}; exec {heddle} doctor --libomp {libomp()}"],
                          env=clean_environment(), capture_output=True, text=True, cwd=tmp_path, timeout=120)


def test_limits_in_the_way(heddle, tmp_path):
    result = limited(heddle, tmp_path, "ulimit -f 8")
    assert result.returncode == 1 and re.search(r"^WRONG +ulimit -f", result.stdout, re.M)
    result = limited(heddle, tmp_path, "ulimit -n 16")
    assert result.returncode == 1 and re.search(r"^WRONG +ulimit -n", result.stdout, re.M)
    result = limited(heddle, tmp_path, "ulimit -v 4000000")
    assert result.returncode == 0 and re.search(r"^note +ulimit -v", result.stdout, re.M)


# ---- the command ----


def test_it_leaves_nothing_behind(doctor, tmp_path):
    assert doctor("--libomp", libomp(), env={"TMPDIR": str(tmp_path)}).returncode == 0
    assert list(tmp_path.iterdir()) == []


def test_wrong_options_give_2(doctor):
    assert doctor("--lib").returncode == 2
    assert doctor("--nonsense").returncode == 2


# ---- settings ----

# Between heddle and its library, and for tests.
INTERNAL = {"HEDDLE_START", "HEDDLE_GOMP", "HEDDLE_GROUP_TEXT", "HEDDLE_TEST_DELAY", "HEDDLE_TEST_WINDOWS"}


def settings():
    rows = re.findall(r"^ +_\((\w+)[,)]", (SOURCE / "support" / "settings.h").read_text(encoding="utf-8"), re.MULTILINE)
    assert len(rows) > 15
    return {f"HEDDLE_{name}" for name in rows}


def test_each_setting_is_documented_and_no_other():
    page = (SOURCE / "docs" / "settings.md").read_text(encoding="utf-8")
    assert set(re.findall(r"^\| `(HEDDLE_\w+)`", page, re.MULTILINE)) == settings() - INTERNAL


def test_each_setting_is_known(doctor):
    assert "not a Heddle variable" not in doctor(env={name: "" for name in settings()}).stdout
