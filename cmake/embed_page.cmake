# Writes the source of cli/serve/http/embedded_page.hpp:
#
#     cmake -DPAGE=FOLDER -DOPENAPI=FILE -DOUT=FILE -P cmake/embed_page.cmake
#
# FOLDER has page.html, page.css and page.js. The style and the script stand in the page, at the comments
# `<!-- style -->` and `<!-- script -->`, and the policy has their hashes.

include("${CMAKE_CURRENT_LIST_DIR}/page_parts.cmake")

file(READ "${PAGE}/page.html" html)
file(READ "${PAGE}/page.css" css)
file(READ "${PAGE}/page.js" js)
file(READ "${OPENAPI}" openapi)
foreach(part IN ITEMS css js)
  string(SHA256 hash "${${part}}")
  fingerpost_base64(${hash} ${part}_hash)
endforeach()
string(REPLACE "<!-- style -->" "<style>${css}</style>" html "${html}")
string(REPLACE "<!-- script -->" "<script>${js}</script>" html "${html}")
# No text of a table becomes markup, even if the script has a fault: the browser refuses it (Trusted
# Types).
string(CONCAT policy "default-src 'none'; script-src 'sha256-${js_hash}'; style-src 'sha256-${css_hash}'; "
  "img-src data:; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'; "
  "require-trusted-types-for 'script'; trusted-types 'none'")

set(source "// Written by cmake/embed_page.cmake.\n#include \"cli/serve/http/embedded_page.hpp\"\n\nnamespace fingerpost::cli {\n")
foreach(pair IN ITEMS "page_html html" "page_policy policy" "openapi_json openapi")
  string(REPLACE " " ";" pair "${pair}")
  list(GET pair 0 name)
  list(GET pair 1 text)
  string(FIND "${${text}}" ")embedded\"" found)
  if(NOT found EQUAL -1)
    message(FATAL_ERROR "${name} has the end of a raw text of C++")
  endif()
  string(APPEND source "const std::string_view ${name}(R\"embedded(${${text}})embedded\");\n")
endforeach()
string(APPEND source "} // namespace fingerpost::cli\n")
file(WRITE "${OUT}" "${source}")
