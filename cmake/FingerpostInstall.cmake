# What `cmake --install` puts where: headers, both libraries, find_package and pkg-config files, program, man pages.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

# Kernel bodies and vector types are parts of the library's sources, not of what users include.
install(DIRECTORY fingerpost DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT library FILES_MATCHING PATTERN "*.hpp"
  PATTERN "*.inl.hpp" EXCLUDE PATTERN "vec_*.hpp" EXCLUDE)
install(FILES capi/fingerpost.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT library)
install(TARGETS fingerpost fingerpost_c EXPORT fingerpost
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT library
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT library
  INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})

# Before 1.0 a minor version may break programs, later a major one.
set(compatibility SameMajorVersion)
if(PROJECT_VERSION_MAJOR EQUAL 0)
  set(compatibility SameMinorVersion)
endif()
set(package_folder ${CMAKE_INSTALL_LIBDIR}/cmake/fingerpost)
configure_package_config_file(cmake/fingerpost-config.cmake.in fingerpost-config.cmake
  INSTALL_DESTINATION ${package_folder})
write_basic_package_version_file(fingerpost-config-version.cmake COMPATIBILITY ${compatibility})
install(FILES "${PROJECT_BINARY_DIR}/fingerpost-config.cmake" "${PROJECT_BINARY_DIR}/fingerpost-config-version.cmake"
  DESTINATION ${package_folder} COMPONENT library)
install(EXPORT fingerpost NAMESPACE fingerpost:: FILE fingerpost-targets.cmake DESTINATION ${package_folder}
  COMPONENT library)

# The prefix is where the file itself lies, so that `cmake --install --prefix` and moved trees work.
file(RELATIVE_PATH FINGERPOST_PC_PREFIX "/${CMAKE_INSTALL_LIBDIR}/pkgconfig" "/")
string(REGEX REPLACE "/$" "" FINGERPOST_PC_PREFIX "${FINGERPOST_PC_PREFIX}")
configure_file(cmake/fingerpost.pc.in fingerpost.pc @ONLY)
install(FILES "${PROJECT_BINARY_DIR}/fingerpost.pc" DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT library)

# Each function has a page of its own name, which leads to the one that describes it.
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
  install(FILES man/man1/fingerpost.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 COMPONENT program)
  # The program knows its own commands; a cross-built one cannot be asked here.
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
