# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""libheddle-openmpi.so and libheddle-mpich.so in front of their MPI library. Programs that know what each of their calls is to
be reported as (programs/mpi/), in C and in Fortran; and what must hold for all functions of an mpi.h."""
import fnmatch
import re
import shutil
import subprocess

import pytest

from conftest import LIBRARY, PROGRAMS, SOURCE, TIMEOUT_S, clean_environment

FOLDER = PROGRAMS / "mpi"
# More ranks than processors, as root, in a sandbox; what waits leaves the processor to the others.
MPIRUN = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1", "OMPI_MCA_rmaps_base_oversubscribe": "1",
          "OMPI_MCA_btl_vader_single_copy_mechanism": "none", "OMPI_MCA_btl": "self,vader", "OMPI_MCA_osc": "pt2pt,sm",
          "OMPI_MCA_mpi_yield_when_idle": "1"}

# Functions with a communicator, window, file, request, message or session that neither communicate nor wait. Persistent
# requests are reported where they are started.
LOCAL = """*_c2f Abort Attr_* Cancel Cart_coords Cart_get Cart_map Cart_rank Cart_shift Cartdim_get Comm_compare Comm_get_* Comm_group
Comm_rank Comm_remote_* Comm_size Comm_test_inter Dist_graph_neighbors* Errhandler_[gs]et File_get_[abetivg]* File_get_position
File_seek Graph_get Graph_map Graph_neighbors* Graphdims_get Group_from_session_pset Grequest_* Pack Pack_c Pack_size* Request_free
Session_get_* Topo_test Unpack Unpack_c Win_attach Win_detach Win_get_* Win_shared_query* *_call_errhandler *_delete_attr *_init
*_init_c *_set_attr *_set_errhandler *_set_name *_FN Pready_list""".split()


@pytest.fixture(params=("openmpi", "mpich"))
def mpi(request):
    """An MPI library's name; the test runs once on each."""
    if not library(request.param).exists():
        pytest.skip(f"{library(request.param).name} is not built: install lib{request.param}-dev")
    for command in ("mpicc", "mpifort", "mpirun"):
        if not shutil.which(f"{command}.{request.param}"):
            pytest.skip(f"no {command}.{request.param}")
    return request.param


def library(mpi):
    return LIBRARY.parent / f"libheddle-{mpi}.so"


def output_of(*command):
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


@pytest.fixture(scope="module")
def build(tmp_path_factory):
    """build(mpi, "name.c" or "name.f90", flags...) -> the program's path, with the recorder in it."""
    built = {}

    def compile_it(mpi, name, *flags):
        key = (mpi, name, *flags)
        if key not in built:
            place = tmp_path_factory.mktemp("mpi")
            subprocess.run([f"mpicc.{mpi}", "-g", "-fPIC", f"-I{SOURCE}", "-c", FOLDER / "recorder.c", "-o", place / "recorder.o"],
                           check=True)
            compiler = "mpicc" if name.endswith(".c") else "mpifort"
            preprocess = [] if name.endswith(".c") else ["-cpp", f"-D{mpi.upper()}", "-J", place]
            subprocess.run([f"{compiler}.{mpi}", "-g", "-w", f"-I{SOURCE}", *preprocess, *flags, FOLDER / name, place / "recorder.o",
                            "-o", place / "program", "-ldl"], check=True)
            built[key] = place / "program"
        return built[key]

    return compile_it


@pytest.fixture
def run_ranks(tmp_path):
    """run_ranks(mpi, ranks, command..., NAME=value...) -> CompletedProcess; the wrappers are preloaded into each rank."""

    def run(mpi, ranks, *command, **env):
        preload = ["env", f"LD_PRELOAD={library(mpi)}", *(f"{name}={value}" for name, value in env.items())]
        return subprocess.run([f"mpirun.{mpi}", "-n", str(ranks), *preload, *command], env={**clean_environment(), **MPIRUN},
                              capture_output=True, text=True, timeout=TIMEOUT_S, cwd=tmp_path)

    return run


def assert_checked(result, ranks):
    """Each rank got to its end, and found nothing wrong."""
    assert result.returncode == 0, result.stdout + result.stderr
    assert len(re.findall(r"^checked \d+$", result.stdout, re.M)) == ranks, result.stdout + result.stderr


@pytest.mark.parametrize("name, ranks", [("point_to_point.c", 1), ("collective.c", 3), ("one_sided.c", 2), ("files.c", 2),
                                         ("communicators.c", 2), ("mpif.f90", 3), ("f08.f90", 3)])
def test_calls_are_reported_with_kind_and_bytes(mpi, build, run_ranks, name, ranks):
    assert_checked(run_ranks(mpi, ranks, build(mpi, name)), ranks)


def test_symbols_may_be_bound_at_start(mpi, build, run_ranks):
    assert_checked(run_ranks(mpi, 3, build(mpi, "f08.f90"), LD_BIND_NOW="1"), 3)


@pytest.mark.parametrize("name", ("collective.c", "f08.f90"))
def test_calls_go_through_while_nobody_measures(mpi, build, run_ranks, name):
    assert_checked(run_ranks(mpi, 3, build(mpi, name), RECORD="0"), 3)


OPENS = r"""
#include <dlfcn.h>
#include <stdio.h>
int main(int argc, char **argv) {
  (void)argc;
  void *plugin = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
  int (*run)(int, char **) = plugin ? (int (*)(int, char **))dlsym(plugin, "main") : NULL;
  return run ? run(argc, argv) : (printf("%s\n", dlerror()), 9);
}
"""


def test_mpi_may_be_open_for_one_module_alone(mpi, build, build_program, run_ranks):
    plugin = build(mpi, "point_to_point.c", "-shared", "-fPIC")
    assert_checked(run_ranks(mpi, 1, build_program(OPENS, compiler="gcc", flags=("-ldl",)), plugin), 1)


@pytest.mark.parametrize("bind", ({}, {"LD_BIND_NOW": "1"}), ids=("lazily", "at-start"))
def test_what_has_no_mpi_takes_no_notice(mpi, bind):
    env = {**clean_environment(), **MPIRUN, **bind, "LD_PRELOAD": str(library(mpi))}
    for command in (["/bin/true"], ["/bin/sh", "-c", "/bin/true; :"], [f"mpirun.{mpi}", "-n", "1", "/bin/true"]):
        result = subprocess.run(command, env=env, capture_output=True, text=True, timeout=TIMEOUT_S)
        assert (result.returncode, result.stdout, result.stderr) == (0, "", ""), command


def exported(path):
    return set(output_of("nm", "-D", "--defined-only", "--format=just-symbols", path).split())


def test_every_function_that_may_wait_has_a_wrapper(mpi, tmp_path):
    source = tmp_path / "all.c"
    source.write_text("#include <mpi.h>\n")
    declared = re.findall(r"\bint\s+MPI_(\w+)\s*\(([^;]*?)\)\s*(?:;|__attribute__)", output_of(f"mpicc.{mpi}", "-E", "-P", source))
    handles = re.compile(r"\b(MPI_(Comm|Request|Win|File|Message|Session))\b")
    communicating = {name for name, parameters in declared if handles.search(parameters) and not name.startswith("T_")}
    assert len(communicating) > 200
    wrapped = {name[4:] for name in exported(library(mpi)) if name.startswith("MPI_")}
    forgotten = {name for name in communicating - wrapped if not any(fnmatch.fnmatchcase(name, local) for local in LOCAL)}
    assert not forgotten
    assert wrapped <= {name for name, _ in declared}


def test_fortran_has_wrappers_for_the_same_functions(mpi, build):
    libraries = re.findall(r"=> (\S*lib(?:mpi_mpifh|mpi_usempif08|mpichfort)\S*)", output_of("ldd", build(mpi, "f08.f90")))
    assert len(libraries) == (2 if mpi == "openmpi" else 1)
    there = {name for path in libraries for name in exported(path) if re.fullmatch(r"mpi_\w+_", name) and "__" not in name}
    wrappers = exported(library(mpi))
    functions = {name.lower() for name in wrappers if re.fullmatch(r"MPI_\w+", name)}
    stem = re.compile(r"(mpi_\w+?)(?:_cptr)?(?:_f08(?:ts)?(?:_large)?)?_")
    assert {name for name in there if stem.fullmatch(name)[1] in functions} <= wrappers
    for function in functions - {name for name in functions if name.endswith("_c")}:
        assert f"{function}_" in there, function
