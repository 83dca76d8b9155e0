# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# `cpack` in the build folder makes heddle_VERSION_ARCHITECTURE.deb and, apart, its debug symbols, for Debian 12. Two builds
# of the same sources give the same bytes if SOURCE_DATE_EPOCH is set.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME heddle)
set(CPACK_PACKAGE_CONTACT "The Heddle authors <heddle@example.org>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "profiler for OpenMP loops")
set(CPACK_PACKAGE_DESCRIPTION
    "Heddle shows, for every parallel region and loop of an OpenMP program, how\nmany threads were working, for how long, and why the others were not.")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_PACKAGE_DIRECTORY ${PROJECT_BINARY_DIR}/packages)
set(CPACK_PRE_BUILD_SCRIPTS ${PROJECT_SOURCE_DIR}/packaging/debian/finish.cmake)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION devel)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "libomp5 | libomp5-19 | libomp5-16, libpapi7.0, libmuparser2v5") # loaded when there
set(CPACK_DEBIAN_PACKAGE_SUGGESTS "python3, python3-pandas")
set(CPACK_DEBIAN_PACKAGE_CONTROL_EXTRA ${PROJECT_SOURCE_DIR}/packaging/debian/triggers)
if(CMAKE_BUILD_TYPE STREQUAL "RelWithDebInfo")
  set(CPACK_STRIP_FILES OFF) # CPack moves the symbols into a package of their own
  set(CPACK_DEBIAN_DEBUGINFO_PACKAGE ON)
endif()
include(CPack)
