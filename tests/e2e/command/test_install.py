# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""An installation: other programs find heddle.h through its CMake package and through pkg-config, wherever it lies."""

import os
import re
import shutil
import subprocess

import pytest

from conftest import BUILD, SOURCE, TIMEOUT_S, clean_environment

PROGRAM = """
#include <heddle.h>
#include <stdio.h>
int main(void) {
  heddle_phase_begin("only");
  puts("in the phase");
  heddle_phase_end("only");
  return 0;
}
"""

CMAKE_LISTS = """
cmake_minimum_required(VERSION 3.20)
project(user VERSION 1.0 LANGUAGES {languages})
set(CMAKE_C_STANDARD 99)
set(CMAKE_CXX_STANDARD 11)
find_package(heddle {version} REQUIRED)
add_executable(user user.{suffix})
target_link_libraries(user PRIVATE heddle::heddle)
"""


def succeed(*command, **options):
    result = subprocess.run([str(part) for part in command], capture_output=True, text=True, timeout=TIMEOUT_S,
                            **{"env": clean_environment(), **options})
    assert result.returncode == 0, f"{command}\n{result.stdout}{result.stderr}"
    return result.stdout


@pytest.fixture(scope="module")
def prefix(tmp_path_factory):
    """Installed at one place, then moved to another."""
    folder = tmp_path_factory.mktemp("install")
    succeed("cmake", "--install", BUILD, "--prefix", folder / "first")
    os.rename(folder / "first", folder / "moved")
    return folder / "moved"


def has_note(program):
    return "Heddle" in succeed("readelf", "--notes", "--wide", program)


@pytest.mark.parametrize("languages, suffix", [("C", "c"), ("CXX", "cpp")])
def test_cmake_package_gives_the_header_to_a_program(prefix, tmp_path, languages, suffix):
    (tmp_path / f"user.{suffix}").write_text(PROGRAM)
    (tmp_path / "CMakeLists.txt").write_text(CMAKE_LISTS.format(languages=languages, suffix=suffix, version="0.1"))
    succeed("cmake", "-G", "Ninja", "-S", tmp_path, "-B", tmp_path / "build", f"-DCMAKE_PREFIX_PATH={prefix}")
    succeed("cmake", "--build", tmp_path / "build")
    assert succeed(tmp_path / "build" / "user") == "in the phase\n"
    assert has_note(tmp_path / "build" / "user")


def test_cmake_package_of_another_version_is_refused(prefix, tmp_path):
    (tmp_path / "user.c").write_text(PROGRAM)
    (tmp_path / "CMakeLists.txt").write_text(CMAKE_LISTS.format(languages="C", suffix="c", version="999.1"))
    result = subprocess.run(["cmake", "-G", "Ninja", "-S", str(tmp_path), "-B", str(tmp_path / "build"),
                             f"-DCMAKE_PREFIX_PATH={prefix}"], env=clean_environment(), capture_output=True, text=True,
                            timeout=TIMEOUT_S)
    assert result.returncode != 0 and "999.1" in result.stderr


@pytest.mark.parametrize("compiler", ["gcc", "g++", "clang", "clang++"])
def test_pkg_config_gives_the_header_to_a_program(prefix, tmp_path, compiler):
    if not shutil.which(compiler):
        pytest.skip(f"no {compiler}")
    environment = {**clean_environment(), "PKG_CONFIG_PATH": str(prefix / "share" / "pkgconfig")}
    flags = succeed("pkg-config", "--cflags", "--libs", "heddle", env=environment).split()
    source = tmp_path / ("user.cpp" if compiler.endswith("+") else "user.c")
    source.write_text(PROGRAM)
    succeed(compiler, "-Wall", "-Wextra", "-Wpedantic", "-Werror", source, *flags, "-o", tmp_path / "user")
    assert succeed(tmp_path / "user") == "in the phase\n"
    assert has_note(tmp_path / "user")


def test_installed_command_finds_its_library(prefix, tmp_path):
    program = tmp_path / "quiet.sh"
    program.write_text("#!/bin/sh\necho \"$OMP_TOOL_LIBRARIES\"\n")
    program.chmod(0o755)
    libraries = succeed(prefix / "bin" / "heddle", "run", program, cwd=tmp_path).strip().split(":")
    assert any(library.startswith(f"{prefix}/") and library.endswith("libheddle.so") for library in libraries)


def test_installed_command_finds_its_groups(prefix, tmp_path):
    lines = succeed(prefix / "bin" / "heddle", "events", "--groups", "--csv").splitlines()[1:]
    folder = prefix.resolve() / "share" / "heddle" / "groups"
    assert {line.split(",")[1] for line in lines} == {str(path) for path in folder.iterdir()}
    assert {line.split(",")[0] for line in lines} >= {"IPC", "CACHE", "BRANCH", "MEM", "FLOPS", "OS"}


def test_installed_documents_lead_to_what_is_installed(prefix):
    documents = prefix / "share" / "doc" / "heddle"
    links = [(page, link) for page in documents.rglob("*.md")
             for link in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", page.read_text(encoding="utf-8"))]
    assert len(links) > 10
    assert [str(page.relative_to(documents)) + ": " + link for page, link in links if not (page.parent / link).exists()] == []


def test_installed_examples_are_told_without_a_build_folder(prefix):
    assert "build/" not in (prefix / "share" / "doc" / "heddle" / "examples" / "README.md").read_text(encoding="utf-8")


def configure(folder, *options, **variables):
    return subprocess.run(["cmake", "-S", str(SOURCE), "-B", str(folder), *options], env={**clean_environment(), **variables},
                          capture_output=True, text=True, timeout=TIMEOUT_S)


def test_configuring_says_what_is_left_out(tmp_path):
    # pkg-config finds what libheddle.so and the command need, and nothing else.
    needed = tmp_path / "pkgconfig"
    needed.mkdir()
    for name in ("smartcols", "jansson", "libdw", "libelf", "muparser"):
        (needed / f"{name}.pc").write_text(f"Name: {name}\nDescription: stub\nVersion: 1\n")
    result = configure(tmp_path / "build", "-DCMAKE_C_COMPILER=gcc", PKG_CONFIG_LIBDIR=str(needed), PKG_CONFIG_PATH="")
    assert result.returncode == 0, result.stderr
    told = result.stdout[result.stdout.index("libheddle.so and the heddle command"):]
    assert "without tests and benchmarks: no cmocka" in told
    result = configure(tmp_path / "build", "-DHEDDLE_WHOLE=ON", PKG_CONFIG_LIBDIR=str(needed), PKG_CONFIG_PATH="")
    assert result.returncode != 0 and "without tests and benchmarks" in result.stderr


def test_configuring_names_all_that_is_missing(tmp_path):
    (tmp_path / "none").mkdir()
    result = configure(tmp_path / "build", "-DCMAKE_C_COMPILER=gcc", PKG_CONFIG_LIBDIR=str(tmp_path / "none"), PKG_CONFIG_PATH="")
    assert result.returncode != 0
    for package in ("libsmartcols-dev", "libjansson-dev", "libdw-dev", "libmuparser-dev"):
        assert package in result.stderr


def test_manual_pages_and_completions_are_installed(prefix):
    share = prefix / "share"
    assert {page.name for page in (share / "man" / "man1").iterdir()} >= {"heddle.1", "heddle-run.1", "heddle-report.1"}
    for rules in ("bash-completion/completions/heddle", "zsh/site-functions/_heddle",
                  "fish/vendor_completions.d/heddle.fish"):
        assert "--callgraph" in (share / rules).read_text().replace("-l callgraph", "--callgraph")


def test_python_module_is_where_pkg_config_says(prefix):
    environment = {**clean_environment(), "PKG_CONFIG_PATH": str(prefix / "share" / "pkgconfig")}
    folder = succeed("pkg-config", "--variable=pythondir", "heddle", env=environment).strip()
    assert succeed("/usr/bin/python3", "-c", "import heddle; print(heddle.load.__name__)",
                   env={**environment, "PYTHONPATH": folder}) == "load\n"


def test_the_layout_of_profiles_can_be_included(prefix, tmp_path):
    (tmp_path / "user.c").write_text("#include <heddle-format.h>\nint main(void) { return 0; }\n")
    succeed("gcc", "-std=c11", f"-I{prefix / 'include'}", "-c", "user.c", cwd=tmp_path)
