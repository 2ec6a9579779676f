# Lookups on a GPU: libfingerpost_cuda.so where clang and the tools of CUDA are found (tools/setup gpu), and always
# libfingerpost_cuda_standin.so, whose kernels run on the CPU, for tests.

option(FINGERPOST_GPU "Build lookups on a GPU, with its stand-in" ${PROJECT_IS_TOP_LEVEL})
if(NOT FINGERPOST_GPU)
  return()
endif()
set(FINGERPOST_CUDA "${PROJECT_SOURCE_DIR}/build/python-gpu/lib/python3*/site-packages/nvidia/cu13" CACHE STRING
  "Folder of CUDA with bin, include and lib; the default is what tools/python_env gpu installs")
set(FINGERPOST_GPU_ARCHITECTURES 80 90 CACHE STRING "Compute capabilities of the kernels")
file(GLOB cuda LIST_DIRECTORIES true ${FINGERPOST_CUDA})
find_program(FINGERPOST_CUDA_CLANG NAMES clang++-16 clang++ DOC "compiles the kernels")
mark_as_advanced(FINGERPOST_CUDA_CLANG)

# The standard variant of each scheme of the library, and its parameters after the address.
set(parameters_poptrie ", 18")
set(parameters_dxr ", 18")
set(parameters_tree_bitmap ", 5")
set(narrow dir_24_8 dxr lulea ranked_cells sail_b sail_u) # only for IPv4
set(two_forms packed_leaves)                              # one of two FIBs for IPv4
# With kernels besides find(), for both widths, in gpu/own_*.hpp.
set(shared_kernels packed_leaves)
set(group_kernels packed_leaves planb)

set(gpu_sources gpu/fingerpost_cuda.cpp gpu/fingerpost_cuda_arrays.cpp gpu/host_lanes.cpp gpu/device_table.cpp gpu/array_upload.cpp
  "${PROJECT_BINARY_DIR}/gpu/entries.cpp")
set(declarations "")
set(calls_32 "")
set(calls_128 "")
set(kernel_schemes "")
foreach(scheme IN LISTS scheme_folders)
  if(scheme IN_LIST schemes_not_built)
    continue()
  endif()
  list(APPEND kernel_schemes ${scheme})
  set(parameters "${parameters_${scheme}}")
  set(is_wide 1)
  if(scheme IN_LIST narrow)
    set(is_wide 0)
  endif()
  set(two_forms_32 0)
  if(scheme IN_LIST two_forms)
    set(two_forms_32 1)
  endif()
  set(has_shared 0)
  if(scheme IN_LIST shared_kernels)
    set(has_shared 1)
  endif()
  set(has_groups 0)
  set(own_include "")
  if(scheme IN_LIST group_kernels)
    set(has_groups 1)
    set(own_include "#include \"gpu/own_${scheme}.hpp\"")
  endif()
  string(APPEND declarations "entry<ipv4_address> ${scheme}_32();\n")
  string(APPEND calls_32 "${scheme}_32(), ")
  if(is_wide)
    string(APPEND declarations "entry<ipv6_address> ${scheme}_128();\n")
    string(APPEND calls_128 "${scheme}_128(), ")
  endif()
  configure_file(gpu/scheme.cpp.in "${PROJECT_BINARY_DIR}/gpu/${scheme}.cpp" @ONLY)
  configure_file(gpu/kernels.cu.in "${PROJECT_BINARY_DIR}/gpu/${scheme}.cu" @ONLY)
  list(APPEND gpu_sources "${PROJECT_BINARY_DIR}/gpu/${scheme}.cpp")
endforeach()
string(REGEX REPLACE ", $" "" calls_32 "${calls_32}")
string(REGEX REPLACE ", $" "" calls_128 "${calls_128}")
configure_file(gpu/entries.cpp.in "${PROJECT_BINARY_DIR}/gpu/entries.cpp" @ONLY)

# All but the device. Sources of two schemes may be one translation unit.
add_library(fingerpost_gpu_objects OBJECT EXCLUDE_FROM_ALL ${gpu_sources})
target_include_directories(fingerpost_gpu_objects PUBLIC "${PROJECT_SOURCE_DIR}")
target_compile_features(fingerpost_gpu_objects PUBLIC cxx_std_20)
target_link_libraries(fingerpost_gpu_objects PRIVATE fingerpost_settings PUBLIC fingerpost)
fingerpost_merge(fingerpost_gpu_objects)

# fingerpost_gpu_library(NAME DEVICE): a shared library that exports the C interface alone, for the devices of one source. Its
# modules of kernels are the blocks of assembly in the variable `modules`. Tests link its objects, NAME_objects.
function(fingerpost_gpu_library name device)
  set(source "${PROJECT_BINARY_DIR}/gpu/${name}_modules.cpp")
  configure_file(gpu/modules.cpp.in "${source}" @ONLY)
  add_library(${name}_objects OBJECT EXCLUDE_FROM_ALL gpu/${device}.cpp "${source}")
  target_link_libraries(${name}_objects PRIVATE fingerpost_settings PUBLIC fingerpost)
  target_include_directories(${name}_objects PUBLIC "${PROJECT_SOURCE_DIR}")
  add_library(${name} SHARED EXCLUDE_FROM_ALL $<TARGET_OBJECTS:fingerpost_gpu_objects> $<TARGET_OBJECTS:${name}_objects>)
  target_include_directories(${name} INTERFACE "${PROJECT_SOURCE_DIR}/gpu")
  target_link_libraries(${name} PRIVATE fingerpost)
  set_target_properties(${name} PROPERTIES LINKER_LANGUAGE CXX
    LINK_DEPENDS "${PROJECT_SOURCE_DIR}/gpu/fingerpost_cuda.map")
  target_link_options(${name} PRIVATE "LINKER:--version-script=${PROJECT_SOURCE_DIR}/gpu/fingerpost_cuda.map")
endfunction()

# The stand-in has empty modules.
set(modules "")
foreach(module IN LISTS kernel_schemes ITEMS gather)
  string(APPEND modules ".globl fingerpost_gpu_${module}\n.hidden fingerpost_gpu_${module}\nfingerpost_gpu_${module}:\n")
endforeach()
fingerpost_gpu_library(fingerpost_cuda_standin device_standin)

if(NOT EXISTS "${cuda}/bin/ptxas" OR NOT FINGERPOST_CUDA_CLANG)
  return()
endif()
# For each module of kernels: PTX for every architecture by clang, machine code by ptxas, all of it in one fat binary. The
# last PTX is also in it, from which drivers compile code for newer devices. clang inlines all of a lookup, because calls
# use the stack, which is in the memory of the device.
set(modules "")
set(fat_binaries "")
foreach(module IN LISTS kernel_schemes ITEMS gather)
  set(base "${PROJECT_BINARY_DIR}/gpu/${module}")
  set(source "${base}.cu")
  if(module STREQUAL gather)
    set(source "${PROJECT_SOURCE_DIR}/gpu/gather.cu")
  endif()
  set(images "")
  set(depends "")
  foreach(architecture IN LISTS FINGERPOST_GPU_ARCHITECTURES)
    set(ptx "${base}.${architecture}.ptx")
    set(cubin "${base}.${architecture}.cubin")
    add_custom_command(OUTPUT "${ptx}" VERBATIM DEPFILE "${ptx}.d" DEPENDS "${source}"
      COMMAND "${FINGERPOST_CUDA_CLANG}" -x cuda -nocudainc -nocudalib --cuda-device-only
        --cuda-gpu-arch=sm_${architecture} -std=c++20 -O3 -mllvm -inline-threshold=4000 -DNDEBUG
        -S -MD -MF "${ptx}.d" -MT "${ptx}" -Xclang -fcuda-allow-variadic-functions --cuda-feature=+ptx78
        "-I${PROJECT_SOURCE_DIR}" "${source}" -o "${ptx}"
      COMMENT "Compiling the kernels of ${module} for sm_${architecture}")
    add_custom_command(OUTPUT "${cubin}" VERBATIM DEPENDS "${ptx}"
      COMMAND "${cuda}/bin/ptxas" -O3 -arch=sm_${architecture} "${ptx}" -o "${cubin}")
    list(APPEND images "--image3=kind=elf,sm=${architecture},file=${cubin}")
    list(APPEND depends "${cubin}")
  endforeach()
  list(APPEND images "--image3=kind=ptx,sm=${architecture},file=${ptx}")
  add_custom_command(OUTPUT "${base}.fatbin" VERBATIM DEPENDS ${depends}
    COMMAND "${cuda}/bin/fatbinary" -64 "--create=${base}.fatbin" ${images})
  list(APPEND fat_binaries "${base}.fatbin")
  set(symbol fingerpost_gpu_${module})
  string(APPEND modules
    ".balign 16\n.globl ${symbol}\n.hidden ${symbol}\n${symbol}:\n.incbin \"${base}.fatbin\"\n")
endforeach()
# Without the library, which takes far longer.
add_custom_target(fingerpost_kernels DEPENDS ${fat_binaries})

fingerpost_gpu_library(fingerpost_cuda device_cuda)
set_source_files_properties("${PROJECT_BINARY_DIR}/gpu/fingerpost_cuda_modules.cpp" PROPERTIES OBJECT_DEPENDS "${fat_binaries}")
add_dependencies(fingerpost_cuda_objects fingerpost_kernels)
target_include_directories(fingerpost_cuda_objects SYSTEM PRIVATE "${cuda}/include")
target_link_libraries(fingerpost_cuda_objects PUBLIC "${cuda}/lib/libcudart_static.a" Threads::Threads ${CMAKE_DL_LIBS} rt)
target_link_libraries(fingerpost_cuda PRIVATE fingerpost_cuda_objects)
