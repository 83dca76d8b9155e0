# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# What Heddle uses of others. libheddle.so takes headers alone.
find_package(Threads REQUIRED)
find_package(PkgConfig REQUIRED)
find_path(UTHASH_INCLUDE_DIR uthash.h REQUIRED DOC "Directory of uthash.h (Debian: uthash-dev)")
find_path(PAPI_INCLUDE_DIR papi.h REQUIRED DOC "Directory of papi.h (Debian: libpapi-dev)")

pkg_check_modules(SMARTCOLS REQUIRED IMPORTED_TARGET smartcols)
pkg_check_modules(JANSSON REQUIRED IMPORTED_TARGET jansson)
pkg_check_modules(LIBDW REQUIRED IMPORTED_TARGET libdw libelf)
pkg_check_modules(CMINPACK REQUIRED IMPORTED_TARGET cminpack)
pkg_check_modules(MUPARSER REQUIRED muparser) # its header only: formula.c opens it, and says why
