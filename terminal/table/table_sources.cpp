// Copies routes from images and recorded tables, and keeps some of their columns.
#include "terminal/table/table_sources.hpp"

#include <algorithm>
#include <cstdint>
#include <fmt/format.h>
#include <string_view>
#include <utility>
#include <vector>

#include "fingerpost/image/any_image.hpp"
#include "io/format/parts/table_columns.hpp"
#include "terminal/failure.hpp"
#include "terminal/table/load_mrt.hpp"

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

// Next hops without values are numbers.
template <class A>
void add_routes(const std::string& path, const image<A>& from, std::size_t columns, io::table_builder& to) {
    std::vector<std::string_view> cells(columns);
    for (const route<A>& r : from.routes()) {
        const auto choice = to.choose(family_of<A>);
        if (choice == io::table_builder::choice::refuse)
            throw failure(io::message({path, 0, {}, to.refusal(family_of<A>)}));
        if (choice == io::table_builder::choice::skip)
            continue;
        const std::string number = from.values().columns() == 0 ? std::to_string(r.hop.id) : std::string();
        for (std::size_t i = 0; i < columns; ++i)
            cells[i] = number.empty() ? from.value(r.hop, i) : std::string_view(number);
        to.add(r.where, cells);
    }
}

std::size_t column_of(const value_rows& values, const std::string& name, const std::string& file) {
    std::string there;
    for (std::size_t i = 0; i < values.columns(); ++i) {
        if (values.name(i) == name)
            return i;
        there.append(i == 0 ? "" : ", ").append(values.name(i));
    }
    throw failure(
        io::message({file, 0, {}, fmt::format("there is no column {} among {}", io::quoted(name), there)}));
}

} // namespace

io::both_tables read_mrt_table(io::table_input& input, const io::table_options& options,
                               const io::peer_choice& peer) {
    return load_mrt(input.source(), options, {peer, io::mrt_values::all}).tables;
}

void keep_columns(io::both_tables& tables, const std::vector<std::string>& names, const std::string& file) {
    if (names.empty())
        return;
    const auto keep = [&](auto& table) {
        std::vector<std::size_t> from;
        for (const std::string& name : names) {
            from.push_back(column_of(table.values, name, file));
            if (std::count(from.begin(), from.end(), from.back()) > 1)
                throw failure(io::message({file, 0, {}, io::named_twice(name)}));
        }
        const std::vector<std::string_view> columns(names.begin(), names.end());
        value_rows kept(columns);
        std::vector<next_hop> rows;
        std::vector<std::string_view> cells(from.size());
        for (std::uint32_t row = 0; row < table.values.size(); ++row) {
            for (std::size_t i = 0; i < from.size(); ++i)
                cells[i] = table.values.cell({row}, from[i]);
            rows.push_back(kept.intern(cells));
        }
        for (auto& route : table.routes)
            route.hop = rows[route.hop.id];
        table.values = std::move(kept);
    };
    keep(tables.ipv4);
    keep(tables.ipv6);
}

io::both_tables read_image_table(const std::string& path, const io::table_options& options) {
    if (path == "-")
        throw failure("stdin: the image of a table, which is mapped and so needs a file; name it");
    const auto opened = open_both_images(path);
    if (!opened)
        throw failure(io::message({path, 0, {}, to_string(opened.error())}));
    const value_view& values = opened->ipv4 ? opened->ipv4->values() : opened->ipv6->values();
    std::vector<std::string_view> columns;
    for (std::size_t i = 0; i < values.columns(); ++i)
        columns.push_back(values.name(i));
    if (columns.empty())
        columns.emplace_back("next_hop");
    io::table_builder made(options, columns);
    const auto take = [&](const auto& one) {
        if (one)
            add_routes(path, *one, columns.size(), made);
    };
    take(opened->ipv4);
    take(opened->ipv6);
    return std::move(made).finish_both(0);
}

} // namespace fingerpost::cli
