# The Python package: the extension module fingerpost._core, and a package folder in the build tree for tests.

# AUTO: built if the Python of the test environment (tools/python_env) has nanobind. A sanitizer must be part of the
# program from its start, which an interpreter does not provide; with sanitizers the module must be requested.
set(python_default OFF)
if(PROJECT_IS_TOP_LEVEL)
  set(python_default AUTO)
endif()
set(FINGERPOST_PYTHON ${python_default} CACHE STRING "Build the Python module: ON, OFF, or AUTO where nanobind is found")
set(FINGERPOST_PYTHON_EXECUTABLE "${PROJECT_SOURCE_DIR}/build/python/bin/python" CACHE FILEPATH
  "The Python whose nanobind AUTO looks for, and which runs the tests")
set(python_wanted ${FINGERPOST_PYTHON})
if(python_wanted STREQUAL "AUTO")
  set(python_wanted OFF)
  if(EXISTS "${FINGERPOST_PYTHON_EXECUTABLE}" AND NOT CMAKE_CROSSCOMPILING AND NOT FINGERPOST_SANITIZE)
    set(python_wanted ON)
  endif()
endif()
if(NOT python_wanted OR NOT TARGET fingerpost_sql)
  return()
endif()

# scikit-build-core has already chosen its Python.
if(NOT Python_EXECUTABLE AND EXISTS "${FINGERPOST_PYTHON_EXECUTABLE}")
  set(Python_EXECUTABLE "${FINGERPOST_PYTHON_EXECUTABLE}")
endif()
find_package(Python 3.10 QUIET COMPONENTS Interpreter Development.Module OPTIONAL_COMPONENTS Development.SABIModule)
if(Python_FOUND AND NOT nanobind_DIR)
  execute_process(COMMAND "${Python_EXECUTABLE}" -m nanobind --cmake_dir
    OUTPUT_VARIABLE nanobind_folder OUTPUT_STRIP_TRAILING_WHITESPACE RESULT_VARIABLE nanobind_missing ERROR_QUIET)
  if(NOT nanobind_missing)
    set(nanobind_DIR "${nanobind_folder}")
  endif()
endif()
if(Python_FOUND AND nanobind_DIR)
  find_package(nanobind QUIET CONFIG)
endif()
if(NOT nanobind_FOUND)
  if(FINGERPOST_PYTHON STREQUAL "AUTO")
    return()
  endif()
  set(python_missing "nanobind is missing (pip install nanobind)")
  if(NOT Python_FOUND)
    set(python_missing "the headers of a Python 3.10 or later are missing (Debian: apt install python3-dev)")
  endif()
  message(FATAL_ERROR "fingerpost: no Python module, as ${python_missing}")
endif()

file(GLOB_RECURSE python_sources CONFIGURE_DEPENDS python/core/*.cpp)
# Uses the stable ABI. nanobind needs that of Python 3.12, so older interpreters and those without a GIL get their
# own modules. The latter keep running without it, because the locks of python/core/module_lock.hpp replace it.
nanobind_add_module(fingerpost_python STABLE_ABI FREE_THREADED NB_STATIC NB_DOMAIN fingerpost NOMINSIZE
  NB_SUPPRESS_WARNINGS ${python_sources})
fingerpost_merge(fingerpost_python)
set_target_properties(fingerpost_python PROPERTIES OUTPUT_NAME _core
  LIBRARY_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/python_package/fingerpost")
target_include_directories(fingerpost_python PRIVATE "${PROJECT_SOURCE_DIR}")
target_compile_definitions(fingerpost_python PRIVATE FINGERPOST_VERSION="${PROJECT_VERSION}")
target_link_libraries(fingerpost_python PRIVATE fingerpost_settings fingerpost_sql ${CMAKE_DL_LIBS})
# `python -m fingerpost` is the program, where it can be built.
if(TARGET fingerpost_package_commands)
  target_sources(fingerpost_python PRIVATE cli/program.cpp)
  set_source_files_properties(cli/program.cpp python/core/bind_program.cpp PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
  set_property(SOURCE python/core/bind_program.cpp APPEND PROPERTY COMPILE_DEFINITIONS FINGERPOST_HAVE_PROGRAM=1)
  target_compile_definitions(fingerpost_python PRIVATE FINGERPOST_FEW_COMMANDS=1)
  target_link_libraries(fingerpost_python PRIVATE fingerpost_package_commands)
  target_link_options(fingerpost_python PRIVATE LINKER:--gc-sections)
endif()
# Symbols of the library must not meet those of another copy in the same process.
target_link_options(fingerpost_python PRIVATE LINKER:--exclude-libs,ALL)

# The package as it is installed: links to the sources, so that a change needs no build.
file(GLOB_RECURSE python_files CONFIGURE_DEPENDS RELATIVE "${PROJECT_SOURCE_DIR}/python/fingerpost" python/fingerpost/*.py
  python/fingerpost/*.pyi python/fingerpost/py.typed)
foreach(file IN LISTS python_files)
  cmake_path(GET file PARENT_PATH folder)
  file(MAKE_DIRECTORY "${PROJECT_BINARY_DIR}/python_package/fingerpost/${folder}")
  file(CREATE_LINK "${PROJECT_SOURCE_DIR}/python/fingerpost/${file}"
    "${PROJECT_BINARY_DIR}/python_package/fingerpost/${file}" SYMBOLIC)
endforeach()

if(DEFINED SKBUILD)
  install(TARGETS fingerpost_python LIBRARY DESTINATION fingerpost COMPONENT python)
endif()
