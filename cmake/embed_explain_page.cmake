# Writes the source of cli/explain/page/template.hpp from the files of the page:
#
#     cmake -DPAGE=FOLDER -DDRAWING_STYLE=FILE -DOUT=FILE -P cmake/embed_explain_page.cmake
#
# The style of the drawings is the raw string in the source of drawing_css(); the policy of the page needs its hash, so
# it is known when the page is built. Style and script stand in the page, at the comments `<!-- style -->` and
# `<!-- script -->`, and the policy
# has their hashes. The page is cut at `<!-- data -->`.
include("${CMAKE_CURRENT_LIST_DIR}/page_parts.cmake")

file(READ "${DRAWING_STYLE}" source)
string(REGEX MATCH "R\"\\(.*\\)\";" drawing_style "${source}")
string(LENGTH "${drawing_style}" length)
if(length LESS 100)
  message(FATAL_ERROR "${DRAWING_STYLE} has no raw string")
endif()
math(EXPR length "${length} - 6")
string(SUBSTRING "${drawing_style}" 3 ${length} drawing_style)
fingerpost_joined("${PAGE}" "${drawing_style}" css css_source page.css drawing.css)
fingerpost_joined("${PAGE}" "\"use strict\";\n" js js_source base.js table.js line.js parts.js panel.js edit.js page.js)
file(READ "${PAGE}/page.html" html)
string(CONCAT policy "default-src 'none'; script-src ${js_source}; style-src ${css_source}; img-src data:; "
  "base-uri 'none'; form-action 'none'")
string(REPLACE "<!-- policy -->" "${policy}" html "${html}")
string(REPLACE "<!-- style -->" "<style>${css}</style>" html "${html}")
string(REPLACE "<!-- script -->" "<script>${js}</script>" html "${html}")
string(FIND "${html}" "<!-- data -->" cut)
string(SUBSTRING "${html}" 0 ${cut} head)
math(EXPR cut "${cut} + 13")
string(SUBSTRING "${html}" ${cut} -1 tail)
fingerpost_raw_string("${head}" head)
fingerpost_raw_string("${tail}" tail)
file(WRITE "${OUT}" "// Written by cmake/embed_explain_page.cmake.
#include \"cli/explain/page/template.hpp\"

namespace fingerpost::cli {
const std::string_view page_head = ${head};
const std::string_view page_tail = ${tail};
} // namespace fingerpost::cli
")
