# Finds third-party packages and gives each a target of ours, so that a missing package is only a missing
# target.

# A cross build links none of the build machine's libraries, but can use header-only packages.
set(cross ${CMAKE_CROSSCOMPILING})

# A target with the property FINGERPOST_ARCHIVES, the program, links archives instead of shared libraries if they are
# found, because loading each library costs time at every start. `part` replaces `whole`.
function(fingerpost_link_part target part whole)
  if(part)
    target_link_libraries(${target} INTERFACE "$<IF:$<BOOL:$<TARGET_PROPERTY:FINGERPOST_ARCHIVES>>,${part},${whole}>")
  else()
    target_link_libraries(${target} INTERFACE ${whole})
  endif()
endfunction()
function(fingerpost_find_archive name)
  if(NOT cross)
    find_library(FINGERPOST_${name}_ARCHIVE NAMES ${CMAKE_STATIC_LIBRARY_PREFIX}${name}${CMAKE_STATIC_LIBRARY_SUFFIX})
    mark_as_advanced(FINGERPOST_${name}_ARCHIVE)
  endif()
endfunction()

# fingerpost_fmt: the compiled library if it is suitable, or else only its headers.
if(more_than_library AND NOT cross)
  find_package(fmt QUIET CONFIG)
endif()
find_path(FINGERPOST_FMT_INCLUDE fmt/format.h PATHS /usr/include NO_CMAKE_FIND_ROOT_PATH)
mark_as_advanced(FINGERPOST_FMT_INCLUDE)
# Enterprise Linux 8 has version 6, which the program cannot use.
set(fmt_version 0)
foreach(header IN ITEMS core.h base.h)
  if(EXISTS "${FINGERPOST_FMT_INCLUDE}/fmt/${header}")
    file(STRINGS "${FINGERPOST_FMT_INCLUDE}/fmt/${header}" line REGEX "define FMT_VERSION [0-9]+")
    string(REGEX REPLACE ".*FMT_VERSION ([0-9]+).*" "\\1" line "${line}")
    set(fmt_version ${line} ${fmt_version})
  endif()
endforeach()
list(GET fmt_version 0 fmt_version)
if(FINGERPOST_FMT_INCLUDE AND fmt_version LESS 80000)
  # No program.
elseif(TARGET fmt::fmt)
  add_library(fingerpost_fmt INTERFACE)
  # For this version, we know the functions of the header that make up the library.
  if(fmt_VERSION VERSION_GREATER_EQUAL 9 AND fmt_VERSION VERSION_LESS 10)
    configure_file("${CMAKE_CURRENT_LIST_DIR}/fmt_library.cpp.in" "${PROJECT_BINARY_DIR}/fmt_library.cpp" COPYONLY)
    add_library(fingerpost_fmt_archive STATIC EXCLUDE_FROM_ALL "${PROJECT_BINARY_DIR}/fmt_library.cpp")
    target_compile_features(fingerpost_fmt_archive PRIVATE cxx_std_20)
    fingerpost_link_part(fingerpost_fmt fingerpost_fmt_archive fmt::fmt)
  else()
    target_link_libraries(fingerpost_fmt INTERFACE fmt::fmt)
  endif()
elseif(FINGERPOST_FMT_INCLUDE)
  # Debian's cross compilers also search /usr/include, but last, so no path is added.
  add_library(fingerpost_fmt INTERFACE)
  target_compile_definitions(fingerpost_fmt INTERFACE FMT_HEADER_ONLY=1)
endif()

# fingerpost_json: headers that parse JSON.
find_path(FINGERPOST_JSON_INCLUDE nlohmann/json.hpp PATHS /usr/include NO_CMAKE_FIND_ROOT_PATH)
mark_as_advanced(FINGERPOST_JSON_INCLUDE)
if(FINGERPOST_JSON_INCLUDE)
  add_library(fingerpost_json INTERFACE)
  # Headers in /usr/include need no path; others do.
  if(NOT FINGERPOST_JSON_INCLUDE STREQUAL /usr/include)
    target_include_directories(fingerpost_json SYSTEM INTERFACE "${FINGERPOST_JSON_INCLUDE}")
  endif()
endif()

# fingerpost_toml: headers that parse TOML.
if(more_than_library AND NOT cross)
  find_path(FINGERPOST_TOML_INCLUDE toml++/toml.h)
  mark_as_advanced(FINGERPOST_TOML_INCLUDE)
  if(FINGERPOST_TOML_INCLUDE)
    add_library(fingerpost_toml INTERFACE)
    if(NOT FINGERPOST_TOML_INCLUDE STREQUAL /usr/include)
      target_include_directories(fingerpost_toml SYSTEM INTERFACE "${FINGERPOST_TOML_INCLUDE}")
    endif()
  endif()
endif()

# fingerpost_http: Boost.Beast, headers that parse HTTP requests.
if(more_than_library AND NOT cross)
  find_path(FINGERPOST_BEAST_INCLUDE boost/beast/http/basic_parser.hpp)
  mark_as_advanced(FINGERPOST_BEAST_INCLUDE)
  if(FINGERPOST_BEAST_INCLUDE)
    add_library(fingerpost_http INTERFACE)
    if(NOT FINGERPOST_BEAST_INCLUDE STREQUAL /usr/include)
      target_include_directories(fingerpost_http SYSTEM INTERFACE "${FINGERPOST_BEAST_INCLUDE}")
    endif()
  endif()
endif()

# fingerpost_re2: users' regular expressions, matched in linear time.
if(more_than_library AND NOT cross)
  find_path(FINGERPOST_RE2_INCLUDE re2/re2.h)
  find_library(FINGERPOST_RE2_LIBRARY re2)
  mark_as_advanced(FINGERPOST_RE2_INCLUDE FINGERPOST_RE2_LIBRARY)
  if(FINGERPOST_RE2_INCLUDE AND FINGERPOST_RE2_LIBRARY)
    add_library(fingerpost_re2 INTERFACE)
    target_include_directories(fingerpost_re2 SYSTEM INTERFACE "${FINGERPOST_RE2_INCLUDE}")
    fingerpost_find_archive(re2)
    fingerpost_link_part(fingerpost_re2 "${FINGERPOST_re2_ARCHIVE}" "${FINGERPOST_RE2_LIBRARY}")
    target_link_libraries(fingerpost_re2 INTERFACE Threads::Threads)
  endif()
endif()

# fingerpost_compression: the decompressors that were found, each with its definition. fingerpost_maxminddb: the reader of
# MaxMind DB files, if it was found. Users of the installed library also need them, so FINGERPOST_IO_PACKAGES has the names
# of the packages and FINGERPOST_IO_TARGETS those of their targets.
add_library(fingerpost_compression INTERFACE)
add_library(fingerpost_maxminddb INTERFACE)
set(FINGERPOST_IO_PACKAGES "")
set(FINGERPOST_IO_TARGETS "")
function(fingerpost_io_package into name package target archive)
  find_package(${package} QUIET)
  if(TARGET ${target})
    fingerpost_find_archive(${archive})
    fingerpost_link_part(${into} "${FINGERPOST_${archive}_ARCHIVE}" ${target})
    target_compile_definitions(${into} INTERFACE FINGERPOST_HAVE_${name}=1)
    set(FINGERPOST_IO_PACKAGES ${FINGERPOST_IO_PACKAGES} ${package} PARENT_SCOPE)
    set(FINGERPOST_IO_TARGETS ${FINGERPOST_IO_TARGETS} ${target} PARENT_SCOPE)
  endif()
endfunction()
if(NOT cross)
  fingerpost_io_package(fingerpost_compression ZLIB ZLIB ZLIB::ZLIB z)
  fingerpost_io_package(fingerpost_compression BZ2 BZip2 BZip2::BZip2 bz2)
  fingerpost_io_package(fingerpost_compression LZMA LibLZMA LibLZMA::LibLZMA lzma)
  fingerpost_io_package(fingerpost_compression ZSTD FingerpostZstd fingerpost::zstd zstd)
  fingerpost_io_package(fingerpost_maxminddb MAXMINDDB FingerpostMaxminddb fingerpost::maxminddb maxminddb)
endif()

# fingerpost_dpdk: DPDK's lookup libraries, which only the benchmark's competitors use. Its headers need none of the
# machine flags of pkg-config, so sources that include them stay baseline.
# Off except in the preset bench, because a program linked to DPDK ends immediately on a CPU without SSE
# 4.2.
option(FINGERPOST_DPDK "Build the benchmark's competitors of DPDK when libdpdk is there" OFF)
# Sanitizers would only report objects that DPDK itself does not free.
if(FINGERPOST_DPDK AND NOT cross AND NOT FINGERPOST_SANITIZE)
  find_package(PkgConfig QUIET)
  if(PkgConfig_FOUND)
    pkg_check_modules(FINGERPOST_LIBDPDK QUIET libdpdk)
  endif()
  if(FINGERPOST_LIBDPDK_FOUND)
    add_library(fingerpost_dpdk INTERFACE)
    target_include_directories(fingerpost_dpdk SYSTEM INTERFACE ${FINGERPOST_LIBDPDK_INCLUDE_DIRS})
    foreach(library rte_fib rte_lpm rte_eal)
      find_library(FINGERPOST_${library} ${library} HINTS ${FINGERPOST_LIBDPDK_LIBRARY_DIRS} REQUIRED)
      mark_as_advanced(FINGERPOST_${library})
      target_link_libraries(fingerpost_dpdk INTERFACE ${FINGERPOST_${library}})
    endforeach()
  endif()
endif()
