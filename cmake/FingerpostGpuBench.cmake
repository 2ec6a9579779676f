# The benchmark of lookups on a GPU: fingerpost-gpu-bench with libfingerpost_cuda.so where that is built, and always
# fingerpost-gpu-bench-standin, for tests.

if(NOT TARGET fingerpost_cuda_standin OR NOT TARGET fingerpost_bench)
  return()
endif()
add_library(fingerpost_gpu_bench_parts STATIC EXCLUDE_FROM_ALL gpu/bench/measure_gpu.cpp)
target_link_libraries(fingerpost_gpu_bench_parts PUBLIC fingerpost_settings fingerpost_bench)

# The library is in the folder above the program, or in the folder `lib` beside the program's.
function(fingerpost_gpu_bench_program name library)
  string(REPLACE "_" "-" program ${name})
  add_executable(${name} EXCLUDE_FROM_ALL gpu/bench/main.cpp)
  target_link_libraries(${name} PRIVATE fingerpost_gpu_bench_parts ${library})
  set_target_properties(${name} PROPERTIES OUTPUT_NAME ${program} RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/bin"
    BUILD_RPATH_USE_ORIGIN ON)
endfunction()

fingerpost_gpu_bench_program(fingerpost_gpu_bench_standin fingerpost_cuda_standin)
if(TARGET fingerpost_cuda)
  fingerpost_gpu_bench_program(fingerpost_gpu_bench fingerpost_cuda)
endif()

# Builds with sanitizers test the library alone, by tests/gpu.
if(NOT FINGERPOST_TESTS OR FINGERPOST_SANITIZE)
  return()
endif()
if(TARGET GTest::gtest_main)
  fingerpost_test_folder(gpu_bench 300 fingerpost_gpu_bench_parts fingerpost_gpu_objects fingerpost_cuda_standin_objects)
endif()
if(Python3_FOUND AND NOT CMAKE_CROSSCOMPILING)
  add_custom_target(gpu_bench_for_tests ALL DEPENDS fingerpost_gpu_bench_standin)
  file(GLOB scripts CONFIGURE_DEPENDS tests/gpu_bench/*_test.py)
  foreach(script IN LISTS scripts)
    get_filename_component(name ${script} NAME_WE)
    add_test(NAME gpu_bench/${name} COMMAND ${Python3_EXECUTABLE} ${script})
    set_tests_properties(gpu_bench/${name} PROPERTIES LABELS gpu TIMEOUT 300 SKIP_RETURN_CODE 77 ENVIRONMENT
      "PYTHONDONTWRITEBYTECODE=1;FINGERPOST_GPU_BENCH=$<TARGET_FILE:fingerpost_gpu_bench_standin>")
  endforeach()
endif()
