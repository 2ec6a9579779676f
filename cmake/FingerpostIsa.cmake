# Gives each kernel file of fingerpost/simd the flags of its instruction set; the rest stays baseline.

# Kernels neither throw nor let anything through: the unwinder's weak symbol would break tools/check_kernels.
# g++ 12 for 64-bit Arm vectorises the sum of a node's compares across statements and forgets to negate it; the
# exhaustive tests under qemu fail without the flag. With AVX-512 it spills 16 lanes to put their answers side by side.
set(FINGERPOST_FLAGS_scalar -fno-exceptions -fno-tree-slp-vectorize)
set(FINGERPOST_FLAGS_avx2 -fno-exceptions -mavx2 -mbmi -mbmi2 -mpopcnt -mfma)
set(FINGERPOST_FLAGS_avx512 -fno-exceptions -fno-tree-slp-vectorize -mavx512f -mavx512bw -mavx512vl -mavx512dq -mavx2
  -mbmi -mbmi2 -mpopcnt -mprefer-vector-width=512)
# g++ 12 takes the undefined vectors inside its own AVX-512 intrinsics for ours.
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  list(APPEND FINGERPOST_FLAGS_avx512 -Wno-maybe-uninitialized)
endif()
set(FINGERPOST_FLAGS_neon -fno-exceptions -fno-tree-slp-vectorize)
# Thousands of unrolled shifts and loads, each with its check, take minutes and gigabytes to compile; AddressSanitizer
# alone still watches every access of the kernels.
if(FINGERPOST_SANITIZE MATCHES "undefined")
  foreach(isa scalar avx2 avx512 neon)
    list(APPEND FINGERPOST_FLAGS_${isa} -fno-sanitize=undefined)
  endforeach()
endif()
# Its checks as calls, not inline, as clang can have them: half the time to compile.
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

# Optimised as users have them wherever they are compiled for their speed, whatever the rest is.
if(NOT FINGERPOST_SANITIZE)
  foreach(isa scalar avx2 avx512 neon)
    list(APPEND FINGERPOST_FLAGS_${isa} $<$<CONFIG:Release,RelWithDebInfo>:-O3>)
  endforeach()
endif()

# Kernels know no threads, and the thread sanitizer takes minutes over them.
if(FINGERPOST_SANITIZE MATCHES "thread")
  set(FINGERPOST_ISAS scalar)
endif()

# fingerpost_isa_flags(TARGET): simd/<isa>.cpp and simd/*_<isa>.cpp get the flags of <isa>, or leave the target when
# the machine built for has no such instruction set. FINGERPOST_ISA_<ISA> tells the sources which ones were built.
function(fingerpost_isa_flags target)
  get_target_property(type ${target} TYPE)
  if(type STREQUAL INTERFACE_LIBRARY)
    return()
  endif()
  get_target_property(sources ${target} SOURCES)
  set(kept "")
  foreach(source IN LISTS sources)
    if(source MATCHES "/fingerpost/simd/([^/]*_)?(scalar|avx2|avx512|neon)\\.cpp$")
      set(isa ${CMAKE_MATCH_2})
      if(NOT isa IN_LIST FINGERPOST_ISAS)
        continue()
      endif()
      set_source_files_properties(${source} PROPERTIES COMPILE_OPTIONS "${FINGERPOST_FLAGS_${isa}}")
      if(source MATCHES "/simd/${isa}\\.cpp$")
        string(TOUPPER ${isa} upper)
        target_compile_definitions(${target} PRIVATE FINGERPOST_ISA_${upper}=1)
      endif()
    endif()
    list(APPEND kept ${source})
  endforeach()
  set_property(TARGET ${target} PROPERTY SOURCES ${kept})
endfunction()
