# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The Debian package that cpack makes: what is in it, what it needs, and that two are the same byte for byte."""

import re
import subprocess
import types

import pytest

from conftest import BUILD, SOURCE, TIMEOUT_S, clean_environment


def succeed(*command, **options):
    result = subprocess.run([str(part) for part in command], capture_output=True, text=True, timeout=TIMEOUT_S, **options)
    assert result.returncode == 0, f"{command}\n{result.stdout}{result.stderr}"
    return result.stdout


def make_package(folder):
    succeed("cpack", "--config", BUILD / "CPackConfig.cmake", "-B", folder,
            env={**clean_environment(), "SOURCE_DATE_EPOCH": "1700000000"})
    [package] = folder.glob("heddle_*.deb")
    return package


@pytest.fixture(scope="module")
def package(tmp_path_factory):
    return make_package(tmp_path_factory.mktemp("package"))


def test_package_has_all_that_is_installed(package):
    files = set(re.findall(r"^-\S+ .* \./(\S+)$", succeed("dpkg-deb", "-c", package), re.M))
    doc = "usr/share/doc/heddle/"
    assert files >= {"usr/bin/heddle", "usr/lib/libheddle.so", "usr/lib/libheddle-entry.so", "usr/lib/libheddle-openmpi.so",
                     "usr/lib/libheddle-mpich.so", "usr/include/heddle.h",
                     "usr/share/man/man1/heddle-run.1.gz", "usr/share/bash-completion/completions/heddle",
                     "usr/share/heddle/python/heddle/__init__.py", f"{doc}copyright", f"{doc}changelog.gz",
                     f"{doc}CHANGELOG.md.gz", f"{doc}docs/README.md"}
    assert all(name.startswith("usr/") for name in files)


def test_package_names_what_it_needs(package):
    needed = succeed("dpkg-deb", "-f", package, "Depends")
    assert {name.split()[0] for name in needed.split(", ")} >= {"libc6", "libdw1", "libelf1", "libjansson4", "libsmartcols1"}
    assert "libpapi" in succeed("dpkg-deb", "-f", package, "Recommends")


def test_installed_files_work_where_they_are_unpacked(package, tmp_path):
    succeed("dpkg-deb", "-x", package, tmp_path)
    assert succeed(tmp_path / "usr/bin/heddle", "--version").startswith("heddle ")
    (tmp_path / "none.c").write_text("int main(void) { return 3; }\n")
    succeed("gcc", tmp_path / "none.c", "-o", tmp_path / "none")
    ended = subprocess.run([tmp_path / "usr/bin/heddle", "run", "--", tmp_path / "none"], capture_output=True, text=True,
                           timeout=TIMEOUT_S, env=clean_environment(), cwd=tmp_path)
    assert ended.returncode == 3 and "libheddle.so" not in ended.stderr, ended.stderr


def test_two_packages_have_the_same_bytes(package, tmp_path):
    assert make_package(tmp_path).read_bytes() == package.read_bytes()


def test_the_recipe_for_spack_names_what_the_build_looks_for():
    """Run with what Spack would give it; whether Spack builds it is not tried."""
    needs, given = [], {}

    class Package:
        spec = {name: types.SimpleNamespace(prefix=types.SimpleNamespace(include=f"/{name}/include"))
                for name in ("papi", "uthash", "llvm-openmp")}

        def define(self, name, value):
            given[name] = value
            return name

    names = {"CMakePackage": Package, "version": lambda *_: None, "license": lambda *_: None,
             "depends_on": lambda spec, **_: needs.append(re.split("[@+~]", spec)[0]), "find": lambda *_: ["/omp-tools.h"]}
    recipe = (SOURCE / "packaging" / "spack" / "package.py").read_text(encoding="utf-8")
    exec(recipe[recipe.index("class Heddle"):], names)
    names["Heddle"]().cmake_args()
    cmake = "".join((SOURCE / file).read_text(encoding="utf-8") for file in ("CMakeLists.txt", "cmake/Libraries.cmake"))
    assert all(name in cmake or name == "BUILD_TESTING" for name in given)
    looked_for = {"smartcols": "util-linux", "jansson": "jansson", "libdw": "elfutils", "ncursesw": "ncurses",
                  "libprotobuf-c": "protobuf-c", "muparser": "muparser", "otf2": "otf2", "mpich": "mpi"}
    modules = set(re.findall(r"pkg_check_modules\(\w+(?: IMPORTED_TARGET)? ([\w-]+)", cmake)) - {"cmocka"}
    assert modules == set(looked_for) and set(looked_for.values()) <= set(needs)
