# The C interface: a part of libfingerpost.a, and libfingerpost.so, which exports nothing else.

# Compiled once for both libraries.
file(GLOB capi_sources CONFIGURE_DEPENDS capi/*.cpp)
add_library(fingerpost_capi OBJECT ${capi_sources})
target_include_directories(fingerpost_capi PRIVATE "${PROJECT_SOURCE_DIR}")
target_compile_features(fingerpost_capi PRIVATE cxx_std_20)
target_compile_definitions(fingerpost_capi PRIVATE FINGERPOST_VERSION="${PROJECT_VERSION}")
target_link_libraries(fingerpost_capi PRIVATE fingerpost_settings)
fingerpost_merge(fingerpost_capi)
target_sources(fingerpost PRIVATE $<TARGET_OBJECTS:fingerpost_capi>)

add_library(fingerpost_c SHARED $<TARGET_OBJECTS:fingerpost_capi>)
add_library(fingerpost::c ALIAS fingerpost_c)
# The version in the library's soname, which rises with every change that breaks programs (tools/c_abi).
set(FINGERPOST_ABI 1)
set_target_properties(fingerpost_c PROPERTIES OUTPUT_NAME fingerpost EXPORT_NAME c LINKER_LANGUAGE CXX
  VERSION ${FINGERPOST_ABI}.${PROJECT_VERSION_MINOR}.${PROJECT_VERSION_PATCH} SOVERSION ${FINGERPOST_ABI}
  LINK_DEPENDS "${PROJECT_SOURCE_DIR}/capi/fingerpost.map")
target_include_directories(fingerpost_c INTERFACE
  $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/capi> $<INSTALL_INTERFACE:include>)
target_link_options(fingerpost_c PRIVATE "LINKER:--version-script=${PROJECT_SOURCE_DIR}/capi/fingerpost.map")
target_link_libraries(fingerpost_c PRIVATE fingerpost)
# Sanitizers leave their functions undefined until the program is linked.
if(NOT FINGERPOST_SANITIZE)
  target_link_options(fingerpost_c PRIVATE LINKER:--no-undefined)
endif()
