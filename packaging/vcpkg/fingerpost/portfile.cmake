# Builds the library from its own source tree, as an overlay port, or from the archive of a release, whose port has an
# archive.cmake with the address and the hash (tools/dist writes it).
include("${CMAKE_CURRENT_LIST_DIR}/archive.cmake" OPTIONAL RESULT_VARIABLE release)
if(release)
  vcpkg_download_distfile(archive URLS "${archive_url}" FILENAME "${archive_name}" SHA512 "${archive_sha512}")
  vcpkg_extract_source_archive(SOURCE_PATH ARCHIVE "${archive}")
else()
  get_filename_component(SOURCE_PATH "${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)
endif()

set(options
  -DFINGERPOST_PROGRAM=OFF
  -DFINGERPOST_TESTS=OFF
  -DFINGERPOST_PYTHON=OFF
  -DFINGERPOST_INSTALL=ON)
# Without the feature, libraries of the system must not be found.
if(NOT "compression" IN_LIST FEATURES)
  foreach(package IN ITEMS ZLIB BZip2 LibLZMA FingerpostZstd)
    list(APPEND options -DCMAKE_DISABLE_FIND_PACKAGE_${package}=ON)
  endforeach()
endif()

vcpkg_cmake_configure(SOURCE_PATH "${SOURCE_PATH}" OPTIONS ${options})
vcpkg_cmake_install()
vcpkg_cmake_config_fixup(CONFIG_PATH lib/cmake/fingerpost)
vcpkg_fixup_pkgconfig()
file(REMOVE_RECURSE "${CURRENT_PACKAGES_DIR}/debug/include" "${CURRENT_PACKAGES_DIR}/debug/share")
vcpkg_install_copyright(FILE_LIST "${SOURCE_PATH}/LICENSE")
file(INSTALL "${CMAKE_CURRENT_LIST_DIR}/usage" DESTINATION "${CURRENT_PACKAGES_DIR}/share/${PORT}")
