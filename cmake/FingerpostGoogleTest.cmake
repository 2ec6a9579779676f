# GoogleTest, and the common settings of its programs.

# A prebuilt GoogleTest suits a plain native build; for others, Debian's source package is compiled.
if(NOT CMAKE_CROSSCOMPILING AND NOT FINGERPOST_SANITIZE)
  find_package(GTest QUIET)
endif()
if(NOT TARGET GTest::gtest_main AND EXISTS /usr/src/googletest/CMakeLists.txt)
  set(INSTALL_GTEST OFF)
  set(BUILD_GMOCK OFF)
  add_subdirectory(/usr/src/googletest "${CMAKE_BINARY_DIR}/googletest" EXCLUDE_FROM_ALL SYSTEM)
  if(NOT TARGET GTest::gtest_main)
    add_library(GTest::gtest_main ALIAS gtest_main)
  endif()
endif()

# Tests take longer to compile than to run, so their sources are not optimised, except those that run the library's
# templates for long. The tested libraries are optimised as usual. Only sanitizers need line tables of tests, because a
# test prints its own line when it fails.
set(quick_level -O0 -g0)
set(slow_level -O1 -g0)
if(FINGERPOST_SANITIZE)
  set(quick_level -O0)
  set(slow_level -O1)
endif()
string(FIND "${FINGERPOST_SANITIZE}" "fuzzer-no-link" found)
string(COMPARE NOTEQUAL ${found} -1 instruments_for_fuzzers)

# fingerpost_test_program(TARGET SOURCE...)
function(fingerpost_test_program target)
  add_executable(${target} ${ARGN})
  fingerpost_merge(${target})
  target_link_libraries(${target} PRIVATE fingerpost_settings GTest::gtest_main Threads::Threads)
  # Fuzzers learn from the branches of the library, not of the tests.
  target_compile_options(${target} PRIVATE ${quick_level} $<$<BOOL:${instruments_for_fuzzers}>:-fno-sanitize=fuzzer-no-link>)
endfunction()
