# Defines fingerpost::maxminddb, because CMake has no module for libmaxminddb and Debian's package has no config file. Used
# in this tree and, installed, by fingerpost-config.cmake.
find_path(FINGERPOST_MAXMINDDB_INCLUDE maxminddb.h)
find_library(FINGERPOST_MAXMINDDB_LIBRARY maxminddb)
mark_as_advanced(FINGERPOST_MAXMINDDB_INCLUDE FINGERPOST_MAXMINDDB_LIBRARY)
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(FingerpostMaxminddb
  REQUIRED_VARS FINGERPOST_MAXMINDDB_LIBRARY FINGERPOST_MAXMINDDB_INCLUDE)
if(FingerpostMaxminddb_FOUND AND NOT TARGET fingerpost::maxminddb)
  add_library(fingerpost::maxminddb UNKNOWN IMPORTED)
  set_target_properties(fingerpost::maxminddb PROPERTIES IMPORTED_LOCATION "${FINGERPOST_MAXMINDDB_LIBRARY}"
    INTERFACE_INCLUDE_DIRECTORIES "${FINGERPOST_MAXMINDDB_INCLUDE}")
endif()
