# Installs headers, the libraries, find_package and pkg-config files, the program and the documentation.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

# The public headers, and those that they include. Bodies of templates that the library has compiled, and the internals of
# tables, images, schemes and kernels, are not installed.
set(bodies "image/image(_routes|_view)?|rib/(aggregate|path_trie|rib)|table/(table|table_by_name|transaction)")
set(inside "fib/(layout|make_entry|plain_reads)|base/near_name|rib/path_search|image/(image_(parts|writer)|images_reader)")
string(APPEND inside "|table/(core|fair_lock|in_place|left_right|publication|readers|state|update|walks)|(${bodies})\\.inl")
foreach(folder IN ITEMS base net values rib fib table image map)
  file(GLOB headers CONFIGURE_DEPENDS fingerpost/${folder}/*.hpp)
  list(FILTER headers EXCLUDE REGEX "/(${inside})\\.hpp$")
  install(FILES ${headers} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/fingerpost/${folder} COMPONENT library)
endforeach()
install(FILES fingerpost/columns/block.hpp fingerpost/columns/column.hpp fingerpost/columns/column_reader.hpp
  DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/fingerpost/columns COMPONENT library)
install(FILES fingerpost/simd/isa.hpp fingerpost/simd/tuning.hpp DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/fingerpost/simd COMPONENT library)
install(FILES fingerpost/registry/list.hpp fingerpost/registry/one_scheme.hpp fingerpost/registry/registry.hpp
  fingerpost/registry/strides_in_name.hpp
  DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/fingerpost/registry COMPONENT library)
install(FILES fingerpost/fingerpost.hpp DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/fingerpost COMPONENT library)
install(FILES capi/fingerpost.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT library)
# `io/` is too common a name for the system's include folder.
set(FINGERPOST_IO_INCLUDEDIR ${CMAKE_INSTALL_INCLUDEDIR}/fingerpost_io)
install(DIRECTORY io DESTINATION ${FINGERPOST_IO_INCLUDEDIR} COMPONENT library FILES_MATCHING PATTERN "*.hpp")
target_include_directories(fingerpost_io INTERFACE $<INSTALL_INTERFACE:${FINGERPOST_IO_INCLUDEDIR}>)
foreach(target IN LISTS FINGERPOST_IO_TARGETS)
  target_link_libraries(fingerpost_io INTERFACE $<INSTALL_INTERFACE:${target}>)
endforeach()
set_target_properties(fingerpost_io PROPERTIES EXPORT_NAME io)
install(TARGETS fingerpost fingerpost_c EXPORT fingerpost
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT library
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT library
  INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(TARGETS fingerpost_io EXPORT fingerpost-io ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT library)
# The archive has its own name because `-lfingerpost` finds the shared library, which has no C++ interface
# (decision 0019).
file(CREATE_LINK libfingerpost.a "${PROJECT_BINARY_DIR}/libfingerpost_cpp.a" SYMBOLIC)
install(FILES "${PROJECT_BINARY_DIR}/libfingerpost_cpp.a" DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT library)

foreach(target IN ITEMS fingerpost fingerpost_c fingerpost_io)
endforeach()

# Pages link to each other by their paths in the tree.
foreach(component IN ITEMS library program)
  install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT ${component})
endforeach()
install(FILES README.md CHANGELOG.md DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT library)
install(DIRECTORY docs DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT library FILES_MATCHING PATTERN "*.md" PATTERN "*.svg"
  PATTERN "serve-openapi.json" PATTERN "explain.txt" PATTERN notebooks EXCLUDE)

# Before 1.0, a minor version may break programs; later, only a major one.
set(compatibility SameMajorVersion)
if(PROJECT_VERSION_MAJOR EQUAL 0)
  set(compatibility SameMinorVersion)
endif()
set(package_folder ${CMAKE_INSTALL_LIBDIR}/cmake/fingerpost)
configure_package_config_file(cmake/fingerpost-config.cmake.in fingerpost-config.cmake
  INSTALL_DESTINATION ${package_folder})
write_basic_package_version_file(fingerpost-config-version.cmake COMPATIBILITY ${compatibility})
install(FILES "${PROJECT_BINARY_DIR}/fingerpost-config.cmake" "${PROJECT_BINARY_DIR}/fingerpost-config-version.cmake"
  cmake/FindFingerpostZstd.cmake cmake/FindFingerpostMaxminddb.cmake DESTINATION ${package_folder} COMPONENT library)
foreach(set IN ITEMS fingerpost fingerpost-io)
  install(EXPORT ${set} NAMESPACE fingerpost:: FILE ${set}-targets.cmake DESTINATION ${package_folder}
    COMPONENT library)
endforeach()

# The prefix is derived from the location of the file, so that `cmake --install --prefix` and moved trees work.
file(RELATIVE_PATH FINGERPOST_PC_PREFIX "/${CMAKE_INSTALL_LIBDIR}/pkgconfig" "/")
string(REGEX REPLACE "/$" "" FINGERPOST_PC_PREFIX "${FINGERPOST_PC_PREFIX}")
# fingerpost_link_flags(TARGET VARIABLE): the linker flags for an imported library in any location.
function(fingerpost_link_flags target variable)
  foreach(property IN ITEMS IMPORTED_LOCATION_RELEASE IMPORTED_LOCATION_NONE IMPORTED_LOCATION)
    get_target_property(file ${target} ${property})
    if(file)
      break()
    endif()
  endforeach()
  get_filename_component(folder "${file}" DIRECTORY)
  get_filename_component(name "${file}" NAME_WE)
  string(REGEX REPLACE "^lib" "-l" flags ${name})
  if(NOT folder IN_LIST CMAKE_CXX_IMPLICIT_LINK_DIRECTORIES)
    string(PREPEND flags "-L${folder} ")
  endif()
  set(${variable} ${flags} PARENT_SCOPE)
endfunction()
# Archives do not record what they need, so a program that links one must also name these packages.
set(FINGERPOST_PC_IO "")
foreach(target IN LISTS FINGERPOST_IO_TARGETS)
  fingerpost_link_flags(${target} flags)
  string(APPEND FINGERPOST_PC_IO " ${flags}")
endforeach()
foreach(package IN ITEMS fingerpost fingerpost-cpp fingerpost-io)
  configure_file(cmake/${package}.pc.in ${package}.pc @ONLY)
  install(FILES "${PROJECT_BINARY_DIR}/${package}.pc" DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT library)
endforeach()

# Each function has a page under its name, which refers to the page that describes it.
set(aliases "${PROJECT_BINARY_DIR}/man3")
file(REMOVE_RECURSE "${aliases}")
set(man_pages fingerpost fingerpost_table fingerpost_lookup fingerpost_image)
foreach(page IN LISTS man_pages)
  install(FILES man/man3/${page}.3 DESTINATION ${CMAKE_INSTALL_MANDIR}/man3 COMPONENT library)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS man/man3/${page}.3)
  file(STRINGS man/man3/${page}.3 declarations REGEX "^.fB[a-z].* [*]?fingerpost_[a-z0-9_]+\\(")
  foreach(declaration IN LISTS declarations)
    string(REGEX MATCH "fingerpost_[a-z0-9_]+\\(" function "${declaration}")
    string(REPLACE "(" "" function "${function}")
    if(NOT function IN_LIST man_pages)
      file(WRITE "${aliases}/${function}.3" ".so man3/${page}.3\n")
    endif()
  endforeach()
endforeach()
install(DIRECTORY "${aliases}/" DESTINATION ${CMAKE_INSTALL_MANDIR}/man3 COMPONENT library)

if(TARGET fingerpost_cli)
  install(TARGETS fingerpost_cli RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT program)
  # Files for `fingerpost lab report`: a Python package, and the descriptions of the experiments.
  install(DIRECTORY lab/evaluation lab/experiments DESTINATION ${CMAKE_INSTALL_DATADIR}/fingerpost COMPONENT program
    FILES_MATCHING PATTERN "*.py" PATTERN "*.json" PATTERN "*.css" PATTERN "*.toml" PATTERN __pycache__ EXCLUDE)
  # Units that run `fingerpost serve` as a service, and an example of its configuration.
  install(FILES packaging/systemd/fingerpost.service packaging/systemd/fingerpost.socket DESTINATION lib/systemd/system
    COMPONENT program)
  install(FILES packaging/systemd/serve.toml DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT program)
  install(FILES man/man1/fingerpost.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 COMPONENT program)
  # The program lists its commands itself. A cross-built program cannot run here.
  if(NOT CMAKE_CROSSCOMPILING)
    set(completions "${PROJECT_BINARY_DIR}/completions")
    file(MAKE_DIRECTORY "${completions}")
    add_custom_command(TARGET fingerpost_cli POST_BUILD VERBATIM
      COMMAND sh -c "\"$1\" completion bash > bash && \"$1\" completion zsh > zsh && \"$1\" completion fish > fish"
        sh $<TARGET_FILE:fingerpost_cli>
      WORKING_DIRECTORY "${completions}" COMMENT "Writing shell completions")
    install(FILES "${completions}/bash" DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions
      RENAME fingerpost COMPONENT program)
    install(FILES "${completions}/zsh" DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions
      RENAME _fingerpost COMPONENT program)
    install(FILES "${completions}/fish" DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d
      RENAME fingerpost.fish COMPONENT program)
  endif()
endif()
