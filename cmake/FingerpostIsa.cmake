# Compiles kernels once for each instruction set, with its flags; all other code stays baseline.

# Kernels neither throw nor propagate exceptions, because the unwinder's weak symbol would break tools/check_kernels.
# g++ 12 for 64-bit Arm vectorises the sum of a node's compares across statements and forgets to negate it; without
# the flag, the exhaustive tests fail under qemu. With AVX-512, it spills 16 lanes to put their answers next to each
# other.
set(FINGERPOST_FLAGS_scalar -fno-exceptions -fno-tree-slp-vectorize)
set(FINGERPOST_FLAGS_avx2 -fno-exceptions -mavx2 -mbmi -mbmi2 -mpopcnt -mfma)
set(FINGERPOST_FLAGS_avx512 -fno-exceptions -fno-tree-slp-vectorize -mavx512f -mavx512bw -mavx512vl -mavx512dq -mavx2
  -mbmi -mbmi2 -mpopcnt -mprefer-vector-width=512)
# g++ 12 mistakes the undefined vectors inside its AVX-512 intrinsics for ours.
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  list(APPEND FINGERPOST_FLAGS_avx512 -Wno-maybe-uninitialized -Wno-uninitialized)
endif()
set(FINGERPOST_FLAGS_neon -fno-exceptions -fno-tree-slp-vectorize)
# g++ turns the scalar steps of an index into gathers, which cost twice as much on AMD.
set_source_files_properties("${PROJECT_SOURCE_DIR}/fingerpost/schemes/packed_leaves/kernels.cpp"
  "${PROJECT_SOURCE_DIR}/fingerpost/schemes/ranked_cells/kernels.cpp" PROPERTIES
  COMPILE_OPTIONS "-fno-tree-vectorize;-fno-tree-slp-vectorize;-falign-functions=64")
# On Zen 4 the loop of four gathers takes up to twice as long, depending on the alignment of its first
# instruction.
set_source_files_properties("${PROJECT_SOURCE_DIR}/fingerpost/schemes/dxr/kernels.cpp" PROPERTIES
  COMPILE_OPTIONS "-falign-loops=64")
# With all checks, thousands of unrolled shifts and loads take minutes and gigabytes to compile. AddressSanitizer
# alone still checks every access of the kernels.
if(FINGERPOST_SANITIZE MATCHES "undefined")
  foreach(isa scalar avx2 avx512 neon)
    list(APPEND FINGERPOST_FLAGS_${isa} -fno-sanitize=undefined)
  endforeach()
endif()
# Checks as calls instead of inline code, which clang offers, halve the compile time.
if(FINGERPOST_SANITIZE MATCHES "address" AND CMAKE_CXX_COMPILER_ID MATCHES "Clang")
  foreach(isa scalar avx2 avx512 neon)
    list(APPEND FINGERPOST_FLAGS_${isa} -mllvm -asan-instrumentation-with-call-threshold=0)
  endforeach()
endif()
if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64|amd64)$")
  set(FINGERPOST_ISAS scalar avx2 avx512)
elseif(CMAKE_SYSTEM_PROCESSOR MATCHES "^(aarch64|arm64)$")
  set(FINGERPOST_ISAS scalar neon)
else()
  set(FINGERPOST_ISAS scalar)
endif()

# Kernels are optimised as in users' builds if they are compiled for speed, regardless of other
# code.
if(NOT FINGERPOST_SANITIZE)
  foreach(isa scalar avx2 avx512 neon)
    list(APPEND FINGERPOST_FLAGS_${isa} $<$<CONFIG:Release,RelWithDebInfo>:-O3>)
  endforeach()
endif()

# Kernels do not use threads, and would take minutes to compile with the thread sanitizer.
if(FINGERPOST_SANITIZE MATCHES "thread")
  set(FINGERPOST_ISAS scalar)
endif()

# fingerpost_compile_kernels(TARGET): compiles the target's files named kernels.cpp once for each instruction set, as
# the object library TARGET_kernels_<isa>, and removes them from the target. FINGERPOST_KERNELS_FOR_<ISA> is defined
# for these files. FINGERPOST_ISA_<ISA> is defined for the other sources of the target, for each instruction set that
# was built.
function(fingerpost_compile_kernels target)
  get_target_property(sources ${target} SOURCES)
  set(kernels ${sources})
  list(FILTER kernels INCLUDE REGEX "/kernels\\.cpp$")
  list(FILTER sources EXCLUDE REGEX "/kernels\\.cpp$")
  set_property(TARGET ${target} PROPERTY SOURCES ${sources})
  foreach(isa IN LISTS FINGERPOST_ISAS)
    string(TOUPPER ${isa} upper)
    set(objects ${target}_kernels_${isa})
    add_library(${objects} OBJECT ${kernels})
    target_include_directories(${objects} PRIVATE "${PROJECT_SOURCE_DIR}")
    target_compile_features(${objects} PRIVATE cxx_std_20)
    target_link_libraries(${objects} PRIVATE fingerpost_settings)
    target_compile_options(${objects} PRIVATE ${FINGERPOST_FLAGS_${isa}})
    target_compile_definitions(${objects} PRIVATE FINGERPOST_KERNELS_FOR_${upper}=1)
    target_sources(${target} PRIVATE $<TARGET_OBJECTS:${objects}>)
    target_compile_definitions(${target} PRIVATE FINGERPOST_ISA_${upper}=1)
  endforeach()
endfunction()
