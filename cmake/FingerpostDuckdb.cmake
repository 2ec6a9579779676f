# The loadable extension for DuckDB, fingerpost.duckdb_extension, where the headers of DuckDB's C API are
# (tools/duckdb_headers; `make duckdb-extension`).

set(FINGERPOST_DUCKDB_HEADERS "${PROJECT_SOURCE_DIR}/build/duckdb_headers" CACHE PATH "Folder of duckdb_extension.h")
# DuckDB's name of the machine.
string(REPLACE "x86_64" "amd64" duckdb_machine "${CMAKE_SYSTEM_PROCESSOR}")
string(REPLACE "aarch64" "arm64" duckdb_machine "${duckdb_machine}")
if(NOT TARGET fingerpost_sql OR NOT EXISTS "${FINGERPOST_DUCKDB_HEADERS}/duckdb_extension.h")
  return()
endif()
find_package(Python3 QUIET COMPONENTS Interpreter)
if(NOT Python3_FOUND)
  return()
endif()

add_library(fingerpost_duckdb MODULE EXCLUDE_FROM_ALL sql/extension/extension.cpp)
target_include_directories(fingerpost_duckdb SYSTEM PRIVATE "${FINGERPOST_DUCKDB_HEADERS}")
target_include_directories(fingerpost_duckdb PRIVATE "${PROJECT_SOURCE_DIR}")
target_link_libraries(fingerpost_duckdb PRIVATE fingerpost_settings fingerpost_sql)
set_target_properties(fingerpost_duckdb PROPERTIES CXX_VISIBILITY_PRESET hidden)
# DuckDB's module has its own copies of what the C++ library defines.
target_link_options(fingerpost_duckdb PRIVATE LINKER:--exclude-libs,ALL LINKER:--gc-sections -static-libstdc++ -static-libgcc)
add_custom_command(TARGET fingerpost_duckdb POST_BUILD VERBATIM
  COMMAND "${Python3_EXECUTABLE}" "${PROJECT_SOURCE_DIR}/sql/extension/add_footer.py" "$<TARGET_FILE:fingerpost_duckdb>"
    "${PROJECT_BINARY_DIR}/fingerpost.duckdb_extension" "${PROJECT_VERSION}" "linux_${duckdb_machine}")
