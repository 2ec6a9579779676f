# Builds every fuzz/<name>.cpp as a libFuzzer program fuzz_<name>.

if(NOT CMAKE_CXX_COMPILER_ID MATCHES Clang)
  message(FATAL_ERROR "FINGERPOST_FUZZ needs clang; use the preset asan")
endif()

file(GLOB harnesses CONFIGURE_DEPENDS fuzz/*.cpp)
add_custom_target(fuzzers)
foreach(harness IN LISTS harnesses)
  get_filename_component(name ${harness} NAME_WE)
  add_executable(fuzz_${name} ${harness})
  set_target_properties(fuzz_${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/fuzz")
  target_link_options(fuzz_${name} PRIVATE -fsanitize=fuzzer)
  target_link_libraries(fuzz_${name} PRIVATE fingerpost_settings fingerpost fingerpost_io fingerpost_forms fingerpost_oracle)
  add_dependencies(fuzzers fuzz_${name})
endforeach()
