# Puts pages together from files, and makes texts into sources of C++; for scripts that embed pages.

# Converts a SHA-256 from hexadecimal to base64: three digits are two characters, and the last digit
# is one.
function(fingerpost_base64 hex variable)
  set(alphabet "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/")
  set(text "")
  foreach(at RANGE 0 60 3)
    string(SUBSTRING "${hex}" ${at} 3 digits)
    math(EXPR high "0x${digits} >> 6")
    math(EXPR low "0x${digits} & 63")
    string(SUBSTRING "${alphabet}" ${high} 1 first)
    string(SUBSTRING "${alphabet}" ${low} 1 second)
    string(APPEND text "${first}${second}")
  endforeach()
  string(SUBSTRING "${hex}" 63 1 digit)
  math(EXPR last "0x${digit} << 2")
  string(SUBSTRING "${alphabet}" ${last} 1 first)
  set(${variable} "${text}${first}=" PARENT_SCOPE)
endfunction()

# Joins the files of a folder after `begin`, and returns the source of a policy that allows this text.
function(fingerpost_joined folder begin text_variable source_variable)
  set(text "${begin}")
  foreach(name IN LISTS ARGN)
    file(READ "${folder}/${name}" one)
    string(APPEND text "${one}")
  endforeach()
  string(SHA256 hash "${text}")
  fingerpost_base64(${hash} base64)
  set(${text_variable} "${text}" PARENT_SCOPE)
  set(${source_variable} "'sha256-${base64}'" PARENT_SCOPE)
endfunction()

# Writes a raw string of C++. Compilers must accept 65536 characters.
function(fingerpost_raw_string text variable)
  string(FIND "${text}" ")embedded\"" found)
  string(LENGTH "${text}" length)
  if(NOT found EQUAL -1 OR length GREATER 65000)
    message(FATAL_ERROR "a text of ${length} characters is too long for a raw string, or has the end of one")
  endif()
  set(${variable} "R\"embedded(${text})embedded\"" PARENT_SCOPE)
endfunction()
