# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# heddle_add_test(NAME DEPENDS PATH... COMMAND ...): a test that scripts/test does not repeat while nothing that it depends
# on has changed: the files and folders named, what it executes, and its command line.
function(heddle_add_test name)
  cmake_parse_arguments(PARSE_ARGV 1 ARG "" "" "DEPENDS;COMMAND")
  list(GET ARG_COMMAND 0 program)
  add_test(NAME ${name} COMMAND ${CMAKE_SOURCE_DIR}/tests/unless_passed ${CMAKE_BINARY_DIR}/passed/${name} ${program}
    ${ARG_DEPENDS} -- ${ARG_COMMAND})
endfunction()
