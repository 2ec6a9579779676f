# Registers every test with ctest: one GoogleTest program for each folder, the end-to-end scripts, the checkers.

enable_testing()
find_package(Python3 QUIET COMPONENTS Interpreter)

include(FingerpostGoogleTest)

# These spend long in the library's templates.
set_source_files_properties(tests/unit/corpus_test.cpp tests/unit/image/image_test.cpp tests/exhaustive/aggregate_test.cpp
  tests/property/update_test.cpp tests/property/inspection_test.cpp tests/bench/aggregate_test.cpp tests/bench/generate_test.cpp
  PROPERTIES COMPILE_OPTIONS "${slow_level}")
# It defines names that other sources of its programs also use.
set_source_files_properties(tests/support/allocations.cpp PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)

# fingerpost_folder_program(FOLDER [LIBRARY...]): the sources of tests/FOLDER become test_FOLDER.
function(fingerpost_folder_program folder)
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS tests/${folder}/*.cpp)
  string(REPLACE "/" "_" target "test_${folder}")
  fingerpost_test_program(${target} ${sources})
  target_link_libraries(${target} PRIVATE fingerpost_test_schemes fingerpost fingerpost_io
    fingerpost_oracle ${ARGN})
endfunction()

# fingerpost_add_cases(TARGET NAME LABEL SECONDS FILTER [VARIABLE...]): registers the cases that the GoogleTest
# filter selects as one ctest test, because a process per case would cost more than most cases.
function(fingerpost_add_cases target name label seconds filter)
  add_test(NAME ${name} COMMAND ${target} "--gtest_filter=${filter}")
  # Long tests start first, so that no core waits for one at the end.
  set_tests_properties(${name} PROPERTIES LABELS ${label} TIMEOUT ${seconds} COST ${seconds}
    ENVIRONMENT "FINGERPOST_DATA=${FINGERPOST_DATA};${ARGN}")
endfunction()

# fingerpost_test_folder(FOLDER SECONDS [PARTS N] [SUITES PATTERN...] [LIBRARY...]): registers the program of a folder; its
# cases have the label FOLDER. SUITES are those that walk the schemes: they run once for each folder of schemes, as
# FOLDER/SCHEME (`ctest -R SCHEME`). All others are FOLDER/others, or in parts FOLDER/others_1 and so on.
function(fingerpost_test_folder folder seconds)
  cmake_parse_arguments(PARSE_ARGV 2 arg "" "PARTS" "SUITES")
  fingerpost_folder_program(${folder} ${arg_UNPARSED_ARGUMENTS})
  string(REPLACE "/" "_" target "test_${folder}")
  list(JOIN arg_SUITES ":" suites)
  set(others "*")
  if(arg_SUITES)
    set(others "-${suites}")
    foreach(scheme IN LISTS tested_folders)
      fingerpost_add_cases(${target} ${folder}/${scheme} ${folder} ${seconds} "${suites}" FINGERPOST_SCHEMES=${scheme})
    endforeach()
  endif()
  if(arg_PARTS)
    foreach(part RANGE 1 ${arg_PARTS})
      math(EXPR index "${part} - 1")
      fingerpost_add_cases(${target} ${folder}/others_${part} ${folder} ${seconds} "${others}"
        GTEST_TOTAL_SHARDS=${arg_PARTS} GTEST_SHARD_INDEX=${index})
    endforeach()
  else()
    fingerpost_add_cases(${target} ${folder}/others ${folder} ${seconds} "${others}")
  endif()
endfunction()

if(TARGET GTest::gtest_main)
  # Every scheme for the widths of tests, and the code that checks them. It compiles in 1/3 less time at -O1. The schemes of
  # users, for 32 and 128 bits, are in the library.
  add_library(fingerpost_test_schemes STATIC EXCLUDE_FROM_ALL tests/support/test_registry.cpp tests/support/suite.cpp)
  target_link_libraries(fingerpost_test_schemes PRIVATE fingerpost_settings fingerpost
    fingerpost_oracle GTest::gtest)
  target_compile_options(fingerpost_test_schemes PRIVATE ${slow_level})
  fingerpost_merge(fingerpost_test_schemes)
  set_source_files_properties(tests/support/test_registry.cpp tests/support/suite.cpp PROPERTIES
    SKIP_UNITY_BUILD_INCLUSION ON)
  file(GLOB scheme_folders CONFIGURE_DEPENDS LIST_DIRECTORIES true RELATIVE "${PROJECT_SOURCE_DIR}/fingerpost/schemes"
    "${PROJECT_SOURCE_DIR}/fingerpost/schemes/*")
  set(FINGERPOST_TEST_SCHEMES "" CACHE STRING "folders of schemes to test, separated by commas; empty for all")
  string(REPLACE "," ";" tested_folders "${FINGERPOST_TEST_SCHEMES}")
  list(REMOVE_ITEM tested_folders "")
  list(REMOVE_DUPLICATES tested_folders)
  if(NOT tested_folders)
    set(tested_folders ${scheme_folders})
  endif()
  foreach(scheme IN LISTS scheme_folders)
    set(source "${PROJECT_BINARY_DIR}/entries_for_tests/${scheme}.cpp")
    if(scheme IN_LIST tested_folders)
      configure_file(tests/support/test_entries.cpp.in "${source}" @ONLY)
    else()
      configure_file(tests/support/no_entries.cpp.in "${source}" @ONLY)
    endif()
    target_sources(fingerpost_test_schemes PRIVATE "${source}")
  endforeach()
  fingerpost_test_folder(unit 600 PARTS 2 SUITES corpus/* Table/* SchemeChange/*)
  fingerpost_test_folder(bench 600 fingerpost_bench)
  fingerpost_test_folder(property 900
    SUITES clustered/* below_one_prefix/* Updates/* halves.* internet/real_tables.*)
  fingerpost_test_folder(exhaustive 3600 SUITES tiny_widths.* offset/*)
  fingerpost_test_folder(concurrency 600 SUITES LiveTable/* SchemeUnderReaders/* LiveHalves.*)
  fingerpost_test_folder(abi 300)
  fingerpost_test_folder(faults 600 SUITES Faults/*)
  fingerpost_test_folder(model 3600)
  if(TARGET fingerpost_cuda_standin_objects)
    fingerpost_test_folder(gpu 900 fingerpost_gpu_objects fingerpost_cuda_standin_objects)
    set_target_properties(fingerpost_cuda_standin PROPERTIES EXCLUDE_FROM_ALL OFF) # for tests of the Python package
  endif()
  if(TARGET fingerpost_cuda_objects)
    # These tests run on a GPU; without one they are skipped.
    file(GLOB gpu_tests CONFIGURE_DEPENDS tests/gpu/*.cpp)
    fingerpost_test_program(test_gpu_device ${gpu_tests})
    target_link_libraries(test_gpu_device PRIVATE fingerpost_test_schemes fingerpost fingerpost_io fingerpost_oracle
      fingerpost_gpu_objects fingerpost_cuda_objects)
    set_target_properties(test_gpu_device PROPERTIES EXCLUDE_FROM_ALL ON)
  endif()
  if(TARGET fingerpost_commands)
    fingerpost_test_folder(cli 300 fingerpost_commands)
  endif()
  # White-box tests of single schemes, which may name them; schemes/SCHEME runs the suites in its folder.
  fingerpost_folder_program(schemes)
  set_target_properties(test_schemes PROPERTIES LINKER_LANGUAGE CXX) # which no source says where none is tested
  foreach(scheme IN LISTS scheme_folders)
    file(GLOB sources CONFIGURE_DEPENDS tests/schemes/${scheme}/*.cpp)
    if(NOT scheme IN_LIST tested_folders)
      set_source_files_properties(${sources} PROPERTIES HEADER_FILE_ONLY ON)
      continue()
    endif()
    set(suites "")
    foreach(source IN LISTS sources)
      file(STRINGS ${source} cases REGEX "^(TYPED_)?TEST(_F|_P)?\\(")
      list(TRANSFORM cases REPLACE "^[A-Z_]+\\(([A-Za-z0-9_]+).*" "\\1.*:\\1/*:*/\\1.*")
      list(APPEND suites ${cases})
    endforeach()
    list(REMOVE_DUPLICATES suites)
    list(JOIN suites ":" suites)
    if(suites)
      fingerpost_add_cases(test_schemes schemes/${scheme} schemes/${scheme} 300 "${suites}")
    endif()
  endforeach()
  # HTTP is available if Boost.Beast was found.
  if(NOT TARGET fingerpost_http)
    set_source_files_properties(tests/system/http_reader_test.cpp tests/system/http_server_test.cpp
      PROPERTIES HEADER_FILE_ONLY ON)
  endif()
  fingerpost_test_folder(system 300 fingerpost_system)
  target_sources(test_unit PRIVATE tests/support/leaks_of_others.cpp)
  # Allocations are counted and can be made to fail: the calls of aligned_array to libc go through the test.
  set(failing faults model)
  if(TARGET test_gpu)
    list(APPEND failing gpu)
  endif()
  foreach(folder IN LISTS failing)
    target_sources(test_${folder} PRIVATE tests/support/allocations.cpp)
    target_link_options(test_${folder} PRIVATE -Wl,--wrap=aligned_alloc -Wl,--wrap=mmap -Wl,--wrap=free)
  endforeach()
else()
  message(NOTICE "fingerpost: no GoogleTest, so no C++ tests (tools/setup test)")
endif()

# Tests the C interface from C: every tests/abi/*_test.c is a separate program.
include(CheckLanguage)
check_language(C)
if(CMAKE_C_COMPILER)
  enable_language(C)
  file(GLOB c_tests CONFIGURE_DEPENDS tests/abi/*_test.c)
  add_custom_target(abi_programs)
  foreach(source IN LISTS c_tests)
    get_filename_component(name ${source} NAME_WE)
    add_executable(abi_${name} ${source})
    set_target_properties(abi_${name} PROPERTIES C_STANDARD 99 C_EXTENSIONS OFF)
    if(FINGERPOST_SANITIZE OR CMAKE_CROSSCOMPILING)
      target_compile_definitions(abi_${name} PRIVATE FINGERPOST_FEW_ROUNDS)
    endif()
    # Sanitizers of the library need the C++ part of their own runtime.
    if(FINGERPOST_SANITIZE)
      set_target_properties(abi_${name} PROPERTIES LINKER_LANGUAGE CXX)
    endif()
    target_include_directories(abi_${name} PRIVATE "${PROJECT_SOURCE_DIR}")
    target_link_libraries(abi_${name} PRIVATE fingerpost_settings fingerpost_c Threads::Threads)
    add_dependencies(abi_programs abi_${name})
    add_test(NAME abi/${name} COMMAND abi_${name})
    set_tests_properties(abi/${name} PROPERTIES LABELS abi TIMEOUT 300)
  endforeach()
  if(TARGET test_abi)
    add_dependencies(abi_programs test_abi)
  endif()
else()
  message(NOTICE "fingerpost: no C compiler, so no tests of the C interface in C")
endif()

# Installed files are the same with sanitizers and for other machines, so the plain build is enough.
if(NOT CMAKE_CROSSCOMPILING AND NOT FINGERPOST_SANITIZE AND Python3_FOUND AND CMAKE_C_COMPILER)
  file(GLOB scripts CONFIGURE_DEPENDS tests/abi/*_test.py)
  foreach(script IN LISTS scripts)
    get_filename_component(name ${script} NAME_WE)
    add_test(NAME abi/${name} COMMAND ${Python3_EXECUTABLE} ${script} "${PROJECT_BINARY_DIR}")
    set_tests_properties(abi/${name} PROPERTIES LABELS abi TIMEOUT 300
      ENVIRONMENT
      "PYTHONPATH=${PROJECT_SOURCE_DIR}/tests/support;CC=${CMAKE_C_COMPILER};CXX=${CMAKE_CXX_COMPILER};CMAKE=${CMAKE_COMMAND}")
  endforeach()
endif()

# Every script of tests/e2e runs the program as a user does, by the path in $FINGERPOST.
if(TARGET fingerpost_cli AND NOT CMAKE_CROSSCOMPILING)
  file(GLOB scripts CONFIGURE_DEPENDS tests/e2e/*/*_test.sh tests/e2e/*/*_test.py)
  foreach(script IN LISTS scripts)
    get_filename_component(name ${script} NAME_WE)
    add_test(NAME e2e/${name} COMMAND ${script})
    set_tests_properties(e2e/${name} PROPERTIES LABELS e2e TIMEOUT 600 COST 800 SKIP_RETURN_CODE 77
      ENVIRONMENT
      "PYTHONPATH=${PROJECT_SOURCE_DIR}/tests/support;FINGERPOST=$<TARGET_FILE:fingerpost_cli>;FINGERPOST_DATA=${FINGERPOST_DATA};FINGERPOST_PYTHON=${PROJECT_SOURCE_DIR}/build/python/bin/python")
  endforeach()
endif()

# Every page of tests/pages, and the guide to the command line, is a transcript of the program.
if(TARGET fingerpost_cli AND NOT CMAKE_CROSSCOMPILING AND Python3_FOUND)
  file(GLOB pages CONFIGURE_DEPENDS tests/pages/*.md docs/use/tables.md docs/use/cli.md)
  foreach(page IN LISTS pages)
    get_filename_component(name ${page} NAME_WE)
    file(RELATIVE_PATH from_root "${PROJECT_SOURCE_DIR}" "${page}")
    if(from_root MATCHES "^docs/")
      set(name "docs-${name}")
    endif()
    add_test(NAME pages/${name} COMMAND ${Python3_EXECUTABLE} "${PROJECT_SOURCE_DIR}/tests/pages/run.py" ${page})
    set_tests_properties(pages/${name} PROPERTIES LABELS e2e TIMEOUT 600 COST 30
      ENVIRONMENT "PYTHONDONTWRITEBYTECODE=1;FINGERPOST=$<TARGET_FILE:fingerpost_cli>;FINGERPOST_DATA=${FINGERPOST_DATA}")
  endforeach()
endif()

# The output of the program for every scheme, compared with tests/goldens: for some tables here, for
# all in CI.
if(TARGET fingerpost_cli AND NOT CMAKE_CROSSCOMPILING AND NOT FINGERPOST_SANITIZE AND Python3_FOUND)
  add_executable(compose_image tests/tools/compose_image.cpp)
  target_link_libraries(compose_image PRIVATE fingerpost_settings fingerpost fingerpost_io)
  add_test(NAME goldens/check COMMAND ${Python3_EXECUTABLE} "${PROJECT_SOURCE_DIR}/tools/goldens" check
    --program $<TARGET_FILE:fingerpost_cli> --images $<TARGET_FILE:compose_image>)
  set_tests_properties(goldens/check PROPERTIES LABELS e2e TIMEOUT 300 COST 100)
endif()

# The checkers read the tree, not the build, so they run once, in the plain build.
if(NOT CMAKE_CROSSCOMPILING AND NOT FINGERPOST_SANITIZE AND Python3_FOUND)
  function(fingerpost_tool_test name)
    add_test(NAME tools/${name} COMMAND ${ARGN} WORKING_DIRECTORY "${PROJECT_SOURCE_DIR}")
    set_tests_properties(tools/${name} PROPERTIES LABELS tools TIMEOUT 120 SKIP_RETURN_CODE 77)
  endfunction()
  fingerpost_tool_test(c_abi ${Python3_EXECUTABLE} tools/c_abi --check)
  fingerpost_tool_test(check_layers ${Python3_EXECUTABLE} tools/check_layers)
  fingerpost_tool_test(check_comments ${Python3_EXECUTABLE} tools/check_comments)
  fingerpost_tool_test(check_words ${Python3_EXECUTABLE} tools/check_words)
  fingerpost_tool_test(check_limits ${Python3_EXECUTABLE} tools/check_limits)
  fingerpost_tool_test(budget ${Python3_EXECUTABLE} tools/budget)
  fingerpost_tool_test(house_picture ${Python3_EXECUTABLE} tools/house_picture --check)
  get_target_property(library_type fingerpost TYPE)
  if(CMAKE_BUILD_TYPE STREQUAL Release AND NOT library_type STREQUAL INTERFACE_LIBRARY)
    fingerpost_tool_test(check_kernels ${Python3_EXECUTABLE} tools/check_kernels "${PROJECT_BINARY_DIR}")
  endif()
  # The documentation site, if `make docs` or CI has created the environment that builds it.
  if(TARGET fingerpost_cli)
    fingerpost_tool_test(docs_site_build sh -c "tools/docs_site --or-skip \"$1\" && tools/check_site \"$1\""
      sh "${PROJECT_BINARY_DIR}/docs-test")
    set_tests_properties(tools/docs_site_build PROPERTIES TIMEOUT 900 COST 300
      ENVIRONMENT "FINGERPOST=$<TARGET_FILE:fingerpost_cli>")
  endif()
  file(GLOB tool_tests CONFIGURE_DEPENDS tests/tools/*_test.py)
  foreach(script IN LISTS tool_tests)
    get_filename_component(name ${script} NAME_WE)
    fingerpost_tool_test(${name} ${Python3_EXECUTABLE} ${script})
  endforeach()
endif()

# Pages in headless Chromium, in the environment with axe-core (tools/python_env report); without it they are skipped.
if(TARGET fingerpost_cli AND NOT CMAKE_CROSSCOMPILING AND NOT FINGERPOST_SANITIZE AND Python3_FOUND)
  set(browser_python ${Python3_EXECUTABLE})
  if(EXISTS "${PROJECT_SOURCE_DIR}/build/python-report/bin/python")
    set(browser_python "${PROJECT_SOURCE_DIR}/build/python-report/bin/python")
  endif()
  file(GLOB scripts CONFIGURE_DEPENDS tests/browser/*_test.py)
  foreach(script IN LISTS scripts)
    get_filename_component(name ${script} NAME_WE)
    add_test(NAME browser/${name} COMMAND ${browser_python} ${script} WORKING_DIRECTORY "${PROJECT_SOURCE_DIR}")
    set_tests_properties(browser/${name} PROPERTIES LABELS browser TIMEOUT 600 COST 300 SKIP_RETURN_CODE 77
      ENVIRONMENT "PYTHONDONTWRITEBYTECODE=1;FINGERPOST=$<TARGET_FILE:fingerpost_cli>")
  endforeach()
endif()

# The evaluation, in the environment that draws its report (tools/python_env report), or else by any Python, which skips
# the tests of the report.
if(NOT CMAKE_CROSSCOMPILING AND NOT FINGERPOST_SANITIZE AND Python3_FOUND)
  set(evaluation_python ${Python3_EXECUTABLE})
  if(EXISTS "${PROJECT_SOURCE_DIR}/build/python-report/bin/python")
    set(evaluation_python "${PROJECT_SOURCE_DIR}/build/python-report/bin/python")
  endif()
  file(GLOB scripts CONFIGURE_DEPENDS tests/evaluation/*_test.py)
  foreach(script IN LISTS scripts)
    get_filename_component(name ${script} NAME_WE)
    add_test(NAME evaluation/${name} COMMAND ${evaluation_python} ${script} WORKING_DIRECTORY "${PROJECT_SOURCE_DIR}")
    set_tests_properties(evaluation/${name} PROPERTIES LABELS evaluation TIMEOUT 300 SKIP_RETURN_CODE 77
      ENVIRONMENT "PYTHONDONTWRITEBYTECODE=1;FINGERPOST=$<$<TARGET_EXISTS:fingerpost_cli>:$<TARGET_FILE:fingerpost_cli>>")
  endforeach()
endif()

# The Python package, in the environment of tools/python_env. Without it, one test reports that and is skipped. Each folder
# is one process, because starting one and importing pyarrow, pandas and others takes more time than most tests. `make
# test-cluster` has those of tests/python/cluster.
if(NOT CMAKE_CROSSCOMPILING AND NOT FINGERPOST_SANITIZE)
  set(python_tests_run "${FINGERPOST_PYTHON_EXECUTABLE}")
  if(TARGET fingerpost_python)
    foreach(folder IN ITEMS compat cuda enrich frames package table vectors)
      add_test(NAME python/${folder} COMMAND ${python_tests_run} -X faulthandler -m pytest -q -rs tests/python/${folder}
        WORKING_DIRECTORY "${PROJECT_SOURCE_DIR}")
      set_tests_properties(python/${folder} PROPERTIES LABELS python TIMEOUT 1200 COST 300 ENVIRONMENT
        "PYTHONPATH=${PROJECT_BINARY_DIR}/python_package;FINGERPOST_DATA=${FINGERPOST_DATA};PYTHONDONTWRITEBYTECODE=1;FINGERPOST=$<$<TARGET_EXISTS:fingerpost_cli>:$<TARGET_FILE:fingerpost_cli>>;FINGERPOST_CUDA_STANDIN=$<$<TARGET_EXISTS:fingerpost_cuda_standin>:$<TARGET_FILE:fingerpost_cuda_standin>>")
    endforeach()
  elseif(NOT FINGERPOST_PYTHON STREQUAL "OFF")
    add_test(NAME python/not_built COMMAND ${CMAKE_COMMAND} -E echo
      "skipped: the Python package is not built, as ${python_tests_run} has no nanobind (tools/python_env)")
    set_tests_properties(python/not_built PROPERTIES LABELS python SKIP_REGULAR_EXPRESSION "skipped: ")
  endif()
endif()
