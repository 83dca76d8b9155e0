# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""MPI jobs under `heddle run`, of Open MPI and MPICH."""
import shutil
import subprocess

import pytest

from conftest import TIMEOUT_S, environment_for


class Library:
    """An MPI library: how to compile for it and start with it."""

    def __init__(self, name):
        self.name = name

    def flags(self):
        module = {"openmpi": "ompi-c", "mpich": "mpich"}[self.name]
        found = subprocess.run(["pkg-config", "--cflags", "--libs", module], capture_output=True, text=True)
        if found.returncode or not shutil.which(f"mpirun.{self.name}"):
            pytest.skip(f"no {self.name}: run scripts/install-deps --tests")
        return found.stdout.split()

    def launcher(self, ranks):
        return [f"mpirun.{self.name}", "-n", str(ranks)]


# What Open MPI asks for where ranks are more than processors, the user is root, or a sandbox forbids process_vm_readv.
ENVIRONMENT = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
               "OMPI_MCA_rmaps_base_oversubscribe": "1", "OMPI_MCA_btl_vader_single_copy_mechanism": "none",
               "OMPI_MCA_osc": "^ucx", "OMPI_MCA_hwloc_base_binding_policy": "none", "OMPI_MCA_mpi_yield_when_idle": "1",
               "OMP_WAIT_POLICY": "passive", "OMP_NUM_THREADS": "2"}


@pytest.fixture(params=["openmpi", "mpich"])
def mpi(request):
    return Library(request.param)


@pytest.fixture
def run_job(heddle, build_program, mpi, tmp_path):
    """run_job(source, arguments..., ranks=, inside=) -> the finished process. `inside`: `heddle run` starts the launcher;
    else the launcher starts `heddle run` for each rank. `before` all of that, and `between` that and the program."""

    def run(source, *arguments, ranks=2, inside=True, options=("-o", "job.heddle"), before=(), between=(), env=None):
        program = build_program(source, flags=mpi.flags())
        measured = [heddle, "run", *options, "--"]
        launcher = mpi.launcher(ranks)
        command = [*measured, *launcher] if inside else [*launcher, *measured]
        return subprocess.run([*before, *command, *between, program, *map(str, arguments)], capture_output=True, text=True, timeout=TIMEOUT_S,
                              cwd=tmp_path, env=environment_for(19, env={**ENVIRONMENT, **(env or {})}))

    return run
