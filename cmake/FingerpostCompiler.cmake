# Language, flags and helpers for every target of fingerpost. The router includes this before it adds the library, which
# then has the settings of the router's project.
include_guard(GLOBAL)
cmake_path(GET CMAKE_CURRENT_LIST_DIR PARENT_PATH FINGERPOST_ROOT)

option(FINGERPOST_WERROR "Treat compiler warnings as errors" OFF)
option(FINGERPOST_MERGE "Compile small sources of a target together: the whole builds sooner, one change later" ON)
set(FINGERPOST_SANITIZE "" CACHE STRING "Sanitizers for everything, as -fsanitize= takes them")

# Only our own folders get these settings.
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)

# Inside another project, that project decides about the build type, flags and tools.
if(PROJECT_IS_TOP_LEVEL)
  set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
  if(NOT CMAKE_BUILD_TYPE)
    set(CMAKE_BUILD_TYPE Release CACHE STRING "Kind of build" FORCE)
  endif()
  # Without line tables, which take 1/10 of the compile time and most of a program's size. The preset `profile` has them
  # for profilers.
  set(CMAKE_CXX_FLAGS_RELEASE "-O3 -DNDEBUG")
  find_program(FINGERPOST_CCACHE ccache)
  mark_as_advanced(FINGERPOST_CCACHE)
  if(FINGERPOST_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
    set(CMAKE_CXX_COMPILER_LAUNCHER "${FINGERPOST_CCACHE}")
  endif()
elseif(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  message(NOTICE "fingerpost: CMAKE_BUILD_TYPE is empty, so the library is not optimised: Release makes lookups many times faster")
endif()

# The settings of all our targets, linked PRIVATE so that users of the library do not inherit them.
add_library(fingerpost_settings INTERFACE)
target_compile_options(fingerpost_settings INTERFACE
  -Wall -Wextra -Wpedantic -Wconversion
  # In merged sources (fingerpost_merge), a name may shadow one of another source, and g++ treats the sources as
  # headers, whose classes should not have members of a local type.
  $<IF:$<BOOL:$<TARGET_PROPERTY:UNITY_BUILD>>,$<$<CXX_COMPILER_ID:GNU>:-Wno-subobject-linkage>,-Wshadow>
  # clang counts sign changes as conversions, but g++ does not; both must report the same code.
  -Wno-sign-conversion
  # g++ 12 reports "text" + std::string as an overlapping copy: a known false alarm of its inlined libstdc++.
  $<$<AND:$<CXX_COMPILER_ID:GNU>,$<VERSION_LESS:$<CXX_COMPILER_VERSION>,13>>:-Wno-restrict>
  $<$<BOOL:${FINGERPOST_WERROR}>:-Werror>)

# Sanitizers apply to every target, including GoogleTest from source, because a partly instrumented program gives false
# reports.
if(FINGERPOST_SANITIZE)
  add_compile_options(-fsanitize=${FINGERPOST_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  add_link_options(-fsanitize=${FINGERPOST_SANITIZE})
endif()

# For targets whose speed does not matter to users: this compiles in 1/3 less time than -O3.
set(FINGERPOST_COLD $<$<CONFIG:Release>:-O1>)
# For what the module of the Python package links a part of.
set(FINGERPOST_SECTIONS -ffunction-sections -fdata-sections)

find_package(Threads REQUIRED)

# fingerpost_library(NAME GLOB...): a static library of the files that match, or a header-only one if none match.
function(fingerpost_library name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "EXCLUDE" "")
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${arg_UNPARSED_ARGUMENTS})
  if(arg_EXCLUDE)
    list(FILTER sources EXCLUDE REGEX "${arg_EXCLUDE}")
  endif()
  if(sources)
    add_library(${name} STATIC ${sources})
    target_include_directories(${name} PUBLIC $<BUILD_INTERFACE:${FINGERPOST_ROOT}>)
    target_compile_features(${name} PUBLIC cxx_std_20)
    target_link_libraries(${name} PRIVATE $<BUILD_INTERFACE:fingerpost_settings>)
  else()
    add_library(${name} INTERFACE)
    target_include_directories(${name} INTERFACE "${FINGERPOST_ROOT}")
    target_compile_features(${name} INTERFACE cxx_std_20)
  endif()
endfunction()

# fingerpost_merge(TARGET [COUNT]): compiles COUNT sources of the target as one, by default eight. Small sources need
# most of their time for headers and templates that all of them use. tools/check_warnings compiles them one by one,
# which finds missing includes.
function(fingerpost_merge target)
  set(count 8)
  if(ARGC GREATER 1)
    set(count ${ARGV1})
  endif()
  if(FINGERPOST_MERGE)
    set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE ${count})
  endif()
endfunction()

# fingerpost_link(NAME TARGET...): links the targets that exist to the library, which may be
# header-only.
function(fingerpost_link name)
  get_target_property(type ${name} TYPE)
  set(scope PUBLIC)
  if(type STREQUAL INTERFACE_LIBRARY)
    set(scope INTERFACE)
  endif()
  foreach(other IN LISTS ARGN)
    if(TARGET ${other})
      target_link_libraries(${name} ${scope} ${other})
    endif()
  endforeach()
endfunction()

# fingerpost_fuzzer(SOURCE TARGET...): a libFuzzer harness linked with the targets. The target `fuzzers` builds all
# harnesses.
function(fingerpost_fuzzer source)
  if(NOT CMAKE_CXX_COMPILER_ID MATCHES Clang)
    message(FATAL_ERROR "FINGERPOST_FUZZ needs clang; use the preset asan")
  endif()
  get_filename_component(name ${source} NAME_WE)
  add_executable(fuzz_${name} ${source})
  set_target_properties(fuzz_${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/fuzz")
  target_link_options(fuzz_${name} PRIVATE -fsanitize=fuzzer)
  target_link_libraries(fuzz_${name} PRIVATE fingerpost_settings ${ARGN})
  if(NOT TARGET fuzzers)
    add_custom_target(fuzzers)
  endif()
  add_dependencies(fuzzers fuzz_${name})
endfunction()
