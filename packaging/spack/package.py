# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
from spack.package import depends_on, find, license, version

try:
    from spack_repo.builtin.build_systems.cmake import CMakePackage  # Spack 1.0 and later
except ImportError:
    from spack.package import CMakePackage


class Heddle(CMakePackage):
    """Profiler for OpenMP: shows, for every parallel region and loop, how many threads were working, for how long, and why
    the others were not."""

    # Put this file into packages/heddle/ of a Spack repository of your own. In an environment, with the sources at hand:
    # spack develop -p /path/to/heddle heddle@main && spack add heddle && spack install
    license("Apache-2.0 WITH LLVM-exception")

    version("main")

    depends_on("c", type="build")
    depends_on("cmake@3.20:", type="build")
    depends_on("pkgconfig", type="build")
    depends_on("uthash", type="build")
    depends_on("util-linux")  # libsmartcols
    depends_on("jansson")
    depends_on("elfutils")
    depends_on("papi")  # its header; the library is opened when events are counted
    depends_on("muparser")  # likewise
    depends_on("llvm-openmp@16:", type=("build", "run"))  # omp-tools.h; programs run on it
    depends_on("ncurses")  # the screen of heddle top
    depends_on("protobuf-c")  # heddle export -f pprof
    depends_on("otf2@3:")  # heddle export -f otf2
    depends_on("mpi")  # Open MPI or MPICH: what stands in front of it

    def cmake_args(self):
        papi, uthash, openmp = (self.spec[name].prefix for name in ("papi", "uthash", "llvm-openmp"))
        headers = find(openmp, "omp-tools.h")
        return [
            self.define("BUILD_TESTING", False),
            self.define("HEDDLE_EXAMPLES", False),
            self.define("PAPI_INCLUDE_DIR", papi.include),
            self.define("UTHASH_INCLUDE_DIR", uthash.include),
            self.define("OMP_TOOLS_H", headers[0]),
        ]
