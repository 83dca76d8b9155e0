# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# What Debian asks of a package's files, done to those that cpack has collected: compressed manual pages, a changelog and
# a copyright file.
if(NOT CPACK_GENERATOR STREQUAL "DEB")
  return()
endif()
set(share "${CPACK_TEMPORARY_DIRECTORY}/usr/share")
set(doc "${share}/doc/heddle")
file(COPY "${CMAKE_CURRENT_LIST_DIR}/copyright" "${CMAKE_CURRENT_LIST_DIR}/changelog" DESTINATION "${doc}"
     FILE_PERMISSIONS OWNER_READ OWNER_WRITE GROUP_READ WORLD_READ)
file(GLOB compressed "${share}/man/man1/*.1" "${doc}/changelog" "${doc}/CHANGELOG.md")
execute_process(COMMAND gzip -9n ${compressed} COMMAND_ERROR_IS_FATAL ANY)
