// Copies routes out of images.
#include "cli/table_sources.hpp"

#include <array>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "cli/failure.hpp"
#include "fingerpost/image/any_image.hpp"

namespace fingerpost::cli {
namespace {

constexpr bool is_start_of_images(std::string_view start) {
    if (start.size() != image_magic.size())
        return false;
    for (std::size_t i = 0; i < start.size(); ++i)
        if (static_cast<unsigned char>(start[i]) != image_magic[i])
            return false;
    return true;
}
static_assert(is_start_of_images(io::image_start));

} // namespace

io::both_tables read_mrt_table(io::table_input& input, const io::table_options&) {
    throw failure(
        io::message({input.source().name(), 0, {}, "an MRT file, which is not read as a table yet"}));
}

io::both_tables read_image_table(const std::string& path, const io::table_options& options) {
    if (path == "-")
        throw failure("stdin: the image of a table, which is mapped and so needs a file; name it");
    const auto opened = open_any_image(path);
    if (!opened)
        throw failure(io::message({path, 0, {}, to_string(opened.error())}));
    io::table_builder made(options);
    std::visit(
        [&]<class A>(const image<A>& one) {
            for (const route<A>& r : one.copy_routes()) {
                if (made.choose(family_of<A>) != io::table_builder::choice::take)
                    continue;
                const std::string hop = std::to_string(r.hop.id);
                const std::array<std::string_view, 1> cells{hop};
                made.add(r.where, cells);
            }
        },
        *opened);
    return std::move(made).finish_both(0);
}

} // namespace fingerpost::cli
