# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# What Heddle uses of others. libheddle.so takes headers alone.
find_package(Threads REQUIRED)
find_package(PkgConfig)
if(PKG_CONFIG_FOUND)
  pkg_check_modules(SMARTCOLS IMPORTED_TARGET smartcols)
  pkg_check_modules(JANSSON IMPORTED_TARGET jansson)
  pkg_check_modules(LIBDW IMPORTED_TARGET libdw libelf)
  pkg_check_modules(NCURSES IMPORTED_TARGET ncursesw) # may be missing: `heddle top` then has no screen
  pkg_check_modules(PROTOBUF_C IMPORTED_TARGET libprotobuf-c) # may be missing: no format pprof; nor without its compiler
  find_program(PROTOC_C protoc-c)
  pkg_check_modules(OTF2 IMPORTED_TARGET otf2>=3.0) # may be missing: no format otf2
  pkg_search_module(OPENMPI ompi-c ompi) # may be missing, as MPICH: no libheddle-openmpi.so, no libheddle-mpich.so
  pkg_check_modules(MPICH mpich)
  pkg_check_modules(MUPARSER muparser) # its header only: formula.c opens it, and says why
endif()
find_path(UTHASH_INCLUDE_DIR uthash.h DOC "Directory of uthash.h")
find_path(PAPI_INCLUDE_DIR papi.h DOC "Directory of papi.h")
file(GLOB omp_tools_candidates /usr/lib/llvm-*/lib/clang/*/include)
list(SORT omp_tools_candidates COMPARE NATURAL ORDER DESCENDING)
find_file(OMP_TOOLS_H omp-tools.h HINTS ${omp_tools_candidates} DOC "LLVM's omp-tools.h, of version 16 or newer")

# All that is missing is said at once, in the names of Debian's packages.
set(missing "")
foreach(need PKG_CONFIG_FOUND=pkg-config SMARTCOLS_FOUND=libsmartcols-dev JANSSON_FOUND=libjansson-dev
             LIBDW_FOUND=libdw-dev MUPARSER_FOUND=libmuparser-dev
             UTHASH_INCLUDE_DIR=uthash-dev PAPI_INCLUDE_DIR=libpapi-dev OMP_TOOLS_H=libomp-19-dev)
  string(REPLACE "=" ";" need ${need})
  list(GET need 0 variable)
  list(GET need 1 package)
  if(NOT ${variable})
    string(APPEND missing " ${package}")
  endif()
endforeach()
if(missing)
  message(FATAL_ERROR "Heddle needs, in the names of Debian's packages:${missing}\n"
                      "scripts/install-deps installs them there. Headers that lie elsewhere are named by "
                      "-DUTHASH_INCLUDE_DIR=, -DPAPI_INCLUDE_DIR= and -DOMP_TOOLS_H=<path of omp-tools.h>.")
endif()

# The target omp-tools: LLVM's omp-tools.h lies among a clang's own headers, which no other compiler may see, so the build
# folder gets a copy of this one file.
configure_file(${OMP_TOOLS_H} ${CMAKE_BINARY_DIR}/omp-tools/omp-tools.h COPYONLY)
add_library(omp-tools INTERFACE)
target_include_directories(omp-tools SYSTEM INTERFACE ${CMAKE_BINARY_DIR}/omp-tools)
