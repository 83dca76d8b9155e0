# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Parts that cannot be built here are left out, and the last lines of configuring say which and why.
option(HEDDLE_WHOLE "Fail when a part would be left out" OFF)

# heddle_leave_out(part reason)
function(heddle_leave_out part reason)
  set_property(GLOBAL APPEND_STRING PROPERTY HEDDLE_LEFT_OUT "\n--   without ${part}: ${reason}")
endfunction()

function(heddle_tell_what_is_built)
  get_property(left_out GLOBAL PROPERTY HEDDLE_LEFT_OUT)
  if(left_out AND HEDDLE_WHOLE)
    message(FATAL_ERROR "HEDDLE_WHOLE is set, but this would be a build${left_out}")
  endif()
  message(STATUS "Heddle ${PROJECT_VERSION}: libheddle.so and the heddle command, ${CMAKE_BUILD_TYPE}${left_out}")
endfunction()
