# The router: its control part, which needs no DPDK and is tested wherever its packages are, its data part and the
# program, which are built where DPDK 22.11 or later is found (tools/setup router).

set(router_missing "")
if(NOT FINGERPOST_ROUTER OR CMAKE_CROSSCOMPILING)
  return()
endif()

find_package(PkgConfig QUIET)
if(NOT PkgConfig_FOUND)
  set(router_missing pkg-config)
else()
  pkg_check_modules(FINGERPOST_MNL QUIET IMPORTED_TARGET libmnl)
  pkg_check_modules(FINGERPOST_TOML QUIET IMPORTED_TARGET tomlplusplus>=3.3)
  pkg_check_modules(FINGERPOST_ROUTER_DPDK QUIET libdpdk>=22.11)
  foreach(package IN ITEMS MNL TOML ROUTER_DPDK)
    if(NOT FINGERPOST_${package}_FOUND)
      list(APPEND router_missing ${package})
    endif()
  endforeach()
endif()
if(NOT TARGET fingerpost_fmt)
  list(APPEND router_missing fmt)
endif()
if(NOT TARGET fingerpost_http)
  list(APPEND router_missing Boost.Beast)
endif()

# Configuration, sources of routes, and the other parts of the control thread.
if(TARGET PkgConfig::FINGERPOST_MNL AND TARGET PkgConfig::FINGERPOST_TOML AND TARGET fingerpost_fmt
   AND TARGET fingerpost_http)
  fingerpost_library(fingerpost_router_control router/config/*.cpp router/routes/*.cpp)
  fingerpost_merge(fingerpost_router_control)
  fingerpost_link(fingerpost_router_control fingerpost fingerpost_io fingerpost_system fingerpost_fmt PkgConfig::FINGERPOST_MNL
    PkgConfig::FINGERPOST_TOML Threads::Threads)
endif()

if(router_missing)
  list(JOIN router_missing ", " missing_names)
  message(NOTICE "fingerpost: no router, as these are missing: ${missing_names} (tools/setup router)")
  return()
endif()

# DPDK's headers hold code for SSE 4.2, so sources that include them are compiled for it: the router alone, never the
# library.
add_library(fingerpost_router_dpdk INTERFACE)
target_include_directories(fingerpost_router_dpdk SYSTEM INTERFACE ${FINGERPOST_ROUTER_DPDK_INCLUDE_DIRS})
target_compile_options(fingerpost_router_dpdk INTERFACE ${FINGERPOST_ROUTER_DPDK_CFLAGS_OTHER})
target_link_libraries(fingerpost_router_dpdk INTERFACE ${FINGERPOST_ROUTER_DPDK_LINK_LIBRARIES})

fingerpost_library(fingerpost_router_data router/measure/*.cpp router/packet/*.cpp router/forward/*.cpp router/ports/*.cpp
  router/watch/*.cpp router/threads/*.cpp router/trace/*.cpp)
fingerpost_merge(fingerpost_router_data)
# These ask DPDK's headers for more than others do.
set_source_files_properties(router/packet/fragment.cpp router/packet/icmp.cpp PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
fingerpost_link(fingerpost_router_data fingerpost fingerpost_router_control fingerpost_router_dpdk)

# Devices made of rings, which tests and the benchmark send packets through; other drivers are loaded when a
# configuration names them.
find_library(FINGERPOST_NET_RING rte_net_ring HINTS ${FINGERPOST_ROUTER_DPDK_LIBRARY_DIRS} REQUIRED)
mark_as_advanced(FINGERPOST_NET_RING)
add_library(fingerpost_router_rings INTERFACE)
target_link_libraries(fingerpost_router_rings INTERFACE ${FINGERPOST_NET_RING})

add_custom_target(router)
file(GLOB router_sources CONFIGURE_DEPENDS router/*.cpp)
if(router_sources)
  add_executable(fingerpost_router ${router_sources})
  fingerpost_merge(fingerpost_router)
  set_target_properties(fingerpost_router PROPERTIES OUTPUT_NAME fingerpost-router
    RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/bin")
  target_compile_definitions(fingerpost_router PRIVATE FINGERPOST_VERSION="${PROJECT_VERSION}")
  target_link_libraries(fingerpost_router PRIVATE fingerpost_settings fingerpost_router_data)
  add_dependencies(router fingerpost_router)
endif()

# The router's benchmark, run by `make bench-router`. It has its own copy of DPDK's tables as competitors, which the
# program has only in builds for processors that DPDK runs on.
add_custom_target(router_bench)
file(GLOB router_bench_sources CONFIGURE_DEPENDS bench/router/*.cpp)
if(router_bench_sources AND TARGET fingerpost_bench)
  list(FILTER router_bench_sources EXCLUDE REGEX "/main\\.cpp$")
  add_library(fingerpost_router_bench_parts STATIC EXCLUDE_FROM_ALL ${router_bench_sources}
    lab/competitors/linked/dpdk_heap.cpp)
  fingerpost_merge(fingerpost_router_bench_parts)
  target_link_libraries(fingerpost_router_bench_parts PUBLIC fingerpost_settings fingerpost_bench
    fingerpost_router_data fingerpost_router_rings)
  add_executable(fingerpost_router_bench EXCLUDE_FROM_ALL bench/router/main.cpp)
  set_target_properties(fingerpost_router_bench PROPERTIES OUTPUT_NAME fingerpost-router-bench
    RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/bin")
  target_link_libraries(fingerpost_router_bench PRIVATE fingerpost_router_bench_parts)
  add_dependencies(router_bench fingerpost_router_bench)
endif()
