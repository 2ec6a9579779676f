# Defines fingerpost::zstd, because CMake has no module for zstd and few installations of it have a config file. Used in
# this tree and, installed, by fingerpost-config.cmake.
find_path(FINGERPOST_ZSTD_INCLUDE zstd.h)
find_library(FINGERPOST_ZSTD_LIBRARY zstd)
mark_as_advanced(FINGERPOST_ZSTD_INCLUDE FINGERPOST_ZSTD_LIBRARY)
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(FingerpostZstd REQUIRED_VARS FINGERPOST_ZSTD_LIBRARY FINGERPOST_ZSTD_INCLUDE)
if(FingerpostZstd_FOUND AND NOT TARGET fingerpost::zstd)
  add_library(fingerpost::zstd UNKNOWN IMPORTED)
  set_target_properties(fingerpost::zstd PROPERTIES IMPORTED_LOCATION "${FINGERPOST_ZSTD_LIBRARY}"
    INTERFACE_INCLUDE_DIRECTORIES "${FINGERPOST_ZSTD_INCLUDE}")
endif()
