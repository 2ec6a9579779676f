# GoogleTest, and what its programs have in common.

# A prebuilt GoogleTest fits a plain native build; any other is compiled from Debian's source package.
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

# For tests that take longer to compile than to run: half the time to compile, or less. The parts of the library that they test
# are optimised as ever.
set(quick_level -O1)
if(FINGERPOST_SANITIZE)
  set(quick_level -O0)
endif()
string(FIND "${FINGERPOST_SANITIZE}" "fuzzer-no-link" found)
string(COMPARE NOTEQUAL ${found} -1 instruments_for_fuzzers)

# fingerpost_test_program(TARGET SOURCE...)
function(fingerpost_test_program target)
  add_executable(${target} ${ARGN})
  fingerpost_merge(${target})
  target_link_libraries(${target} PRIVATE fingerpost_settings GTest::gtest_main Threads::Threads)
  # Fuzzers learn from the library's branches, not from the tests'.
  target_compile_options(${target} PRIVATE $<$<BOOL:${instruments_for_fuzzers}>:-fno-sanitize=fuzzer-no-link>)
endfunction()
