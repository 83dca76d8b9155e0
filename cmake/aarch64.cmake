# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Cross compilation for AArch64 on a machine of another kind: Debian's gcc, or HEDDLE_CROSS_CC; libraries and headers from
# -DCMAKE_SYSROOT=<folder>; what is built runs under qemu's user mode. scripts/test-aarch64 makes such a folder.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)

set(HEDDLE_CROSS_CC aarch64-linux-gnu-gcc CACHE STRING "Compiler for AArch64")
list(APPEND CMAKE_TRY_COMPILE_PLATFORM_VARIABLES HEDDLE_CROSS_CC)
set(CMAKE_C_COMPILER ${HEDDLE_CROSS_CC})
set(CMAKE_C_COMPILER_TARGET aarch64-linux-gnu) # clang's; gcc knows it
# -R: a small address space, because qemu keeps a note of every page and a profile without a memory limit maps a terabyte.
set(CMAKE_CROSSCOMPILING_EMULATOR qemu-aarch64 -R 2G -L ${CMAKE_SYSROOT})
# Debian's cross gcc has a folder of its own for libstdc++, which the system's is not in.
set(CMAKE_EXE_LINKER_FLAGS_INIT -L${CMAKE_SYSROOT}/usr/lib/gcc/aarch64-linux-gnu/12)
set(CMAKE_MODULE_LINKER_FLAGS_INIT -L${CMAKE_SYSROOT}/usr/lib/gcc/aarch64-linux-gnu/12)

set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
set(ENV{PKG_CONFIG_SYSROOT_DIR} ${CMAKE_SYSROOT})
set(ENV{PKG_CONFIG_LIBDIR} ${CMAKE_SYSROOT}/usr/lib/aarch64-linux-gnu/pkgconfig)
