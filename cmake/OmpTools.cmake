# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The target omp-tools: LLVM's omp-tools.h. It lies among a clang's own headers, which no other compiler may see, so the
# build folder gets a copy of this one file.
file(GLOB omp_tools_candidates /usr/lib/llvm-*/lib/clang/*/include)
list(SORT omp_tools_candidates COMPARE NATURAL ORDER DESCENDING)
find_file(OMP_TOOLS_H omp-tools.h HINTS ${omp_tools_candidates} DOC "LLVM's omp-tools.h, of version 16 or newer")
if(NOT OMP_TOOLS_H)
  message(FATAL_ERROR "omp-tools.h not found. On Debian: apt-get install libomp-19-dev. "
                      "Elsewhere: -DOMP_TOOLS_H=<path of omp-tools.h>")
endif()
configure_file(${OMP_TOOLS_H} ${CMAKE_BINARY_DIR}/omp-tools/omp-tools.h COPYONLY)
add_library(omp-tools INTERFACE)
target_include_directories(omp-tools SYSTEM INTERFACE ${CMAKE_BINARY_DIR}/omp-tools)
