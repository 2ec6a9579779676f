// Defines the format of saved images.
#include "fingerpost/base/cxx20.hpp"
#include "io/format/image/image_start.hpp"
#include "io/format/parts/format_entry.hpp"

namespace fingerpost::io {

extern const format_entry image_format;
constinit const format_entry image_format{
    .name = "image",
    .summary = "a saved table image",
    .written_as = "image",
    .has_magic = [](std::string_view start) { return start.starts_with(image_start); },
    .no_text = "a table image, not text"};

} // namespace fingerpost::io
