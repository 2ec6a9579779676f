# Selects the schemes of the library. Inside another project only the default is built.

set(default_scheme packed_leaves) # the first one of fingerpost/registry/list.hpp
set(always_built ${default_scheme} ranked_cells) # and what it takes for large IPv4 tables
set(usual ${default_scheme})
if(PROJECT_IS_TOP_LEVEL)
  set(usual all)
endif()
set(FINGERPOST_SCHEMES ${usual} CACHE STRING "Schemes of the library besides ${default_scheme}: names, separated by commas, or all")
file(GLOB scheme_folders CONFIGURE_DEPENDS LIST_DIRECTORIES true RELATIVE "${PROJECT_SOURCE_DIR}/fingerpost/schemes"
  "${PROJECT_SOURCE_DIR}/fingerpost/schemes/*")
string(REPLACE "," ";" schemes_built "${FINGERPOST_SCHEMES}")
if(schemes_built STREQUAL "all")
  set(schemes_built ${scheme_folders})
endif()
foreach(scheme IN LISTS schemes_built)
  if(NOT scheme IN_LIST scheme_folders)
    list(JOIN scheme_folders ", " names)
    message(FATAL_ERROR "fingerpost: FINGERPOST_SCHEMES names '${scheme}', which is not all or one of ${names}")
  endif()
endforeach()
set(schemes_not_built ${scheme_folders})
list(REMOVE_ITEM schemes_not_built ${schemes_built} ${always_built})

# For fingerpost_library(): a pattern of the sources to leave out.
list(JOIN schemes_not_built "|" names)
set(fingerpost_sources_not_built "/fingerpost/schemes/(${names})/")
list(LENGTH schemes_not_built count)
list(TRANSFORM schemes_not_built REPLACE "(.+)" "DO(\\1)" OUTPUT_VARIABLE calls)
list(JOIN calls " " calls)
configure_file(fingerpost/registry/schemes_not_built.cpp.in "${PROJECT_BINARY_DIR}/schemes_not_built.cpp" @ONLY)

# Sources that the library gets in addition: the lists of schemes.
set(fingerpost_scheme_sources "${PROJECT_BINARY_DIR}/schemes_not_built.cpp")
foreach(scheme IN LISTS scheme_folders)
  if(NOT scheme IN_LIST schemes_not_built)
    set(has_kernels 0)
    if(EXISTS "${PROJECT_SOURCE_DIR}/fingerpost/schemes/${scheme}/kernels.cpp")
      set(has_kernels 1)
    endif()
    set(source "${PROJECT_BINARY_DIR}/entries/${scheme}.cpp")
    configure_file(fingerpost/registry/entries.cpp.in "${source}" @ONLY)
    list(APPEND fingerpost_scheme_sources "${source}")
  endif()
endforeach()
