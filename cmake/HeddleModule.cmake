# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# A folder of sources is a module: a static library named after its path (output/reader: heddle-output-reader) that links only
# the modules below it. With BUILD_TESTING each module is also linked by itself, so that a call to a module that it does
# not name, or that names it, fails to link.

add_custom_target(layers ALL)

# heddle_module([INSIDE] [DEPENDS folder...] [LIBRARIES library...])
#   INSIDE: it may run inside the user's program, as part of libheddle.so
#   LIBRARIES: what it uses besides; never inside
function(heddle_module)
  cmake_parse_arguments(PARSE_ARGV 0 with "INSIDE" "" "DEPENDS;LIBRARIES")
  file(RELATIVE_PATH folder ${PROJECT_SOURCE_DIR} ${CMAKE_CURRENT_SOURCE_DIR})
  string(REPLACE "/" "-" name heddle-${folder})
  file(GLOB sources CONFIGURE_DEPENDS *.c)
  list(TRANSFORM with_DEPENDS REPLACE "/" "-")
  list(TRANSFORM with_DEPENDS PREPEND heddle-)

  add_library(${name}-objects OBJECT ${sources})
  target_include_directories(${name}-objects PUBLIC ${PROJECT_SOURCE_DIR} ${PROJECT_SOURCE_DIR}/include)
  set_target_properties(${name}-objects PROPERTIES POSITION_INDEPENDENT_CODE ON)
  target_link_libraries(${name}-objects PRIVATE ${with_LIBRARIES})
  add_library(${name} STATIC $<TARGET_OBJECTS:${name}-objects>)
  target_include_directories(${name} PUBLIC ${PROJECT_SOURCE_DIR} ${PROJECT_SOURCE_DIR}/include)
  target_link_libraries(${name} PUBLIC ${with_DEPENDS} PRIVATE ${with_LIBRARIES})

  if(with_INSIDE)
    foreach(module IN LISTS with_DEPENDS)
      get_property(inside GLOBAL PROPERTY HEDDLE_INSIDE)
      if(NOT module IN_LIST inside)
        message(FATAL_ERROR "${folder} may run inside the user's program, ${module} may not")
      endif()
    endforeach()
    set_property(GLOBAL APPEND PROPERTY HEDDLE_INSIDE ${name})
    string(REPLACE "/" "-" file ${folder})
    file(GENERATE OUTPUT ${PROJECT_BINARY_DIR}/inside/${file} CONTENT "$<TARGET_FILE:${name}>\n") # scripts/check-library
    # clang takes these for functions that leave errno alone, and drops our saving and restoring it around them.
    target_compile_options(${name}-objects PRIVATE -fno-builtin-malloc -fno-builtin-calloc -fno-builtin-realloc)
  endif()

  if(BUILD_TESTING AND NOT HEDDLE_SANITIZE)
    add_library(${name}-alone MODULE EXCLUDE_FROM_ALL $<TARGET_OBJECTS:${name}-objects>)
    target_link_libraries(${name}-alone PRIVATE ${with_DEPENDS} ${with_LIBRARIES})
    target_link_options(${name}-alone PRIVATE -Wl,-z,defs)
    add_dependencies(layers ${name}-alone)
  endif()
endfunction()

# heddle_add_inside(target): the target has all that libheddle.so has.
function(heddle_add_inside target)
  get_property(inside GLOBAL PROPERTY HEDDLE_INSIDE)
  foreach(module IN LISTS inside)
    target_sources(${target} PRIVATE $<TARGET_OBJECTS:${module}-objects>)
    add_dependencies(${target} ${module}) # scripts/check-library looks at the archives
  endforeach()
endfunction()
