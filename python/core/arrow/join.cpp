// Joins chunks into one.
#include <cstring>
#include <map>

#include "python/core/arrow/chunk.hpp"

namespace fingerpost::python::arrow {
namespace {

using chunks_view = std::vector<std::shared_ptr<const chunk>>;

std::size_t width_of(kind type) noexcept {
    return type == kind::uint8 ? 1 : type == kind::uint32 ? 4 : 8;
}

// Returns a bitmap with is_set(part, row) for all rows.
template <class F>
std::shared_ptr<const std::uint8_t[]> join_bits(const chunks_view& from, std::size_t length, F is_set) {
    auto bits = std::make_shared<std::uint8_t[]>(bitmap_bytes(length));
    std::size_t at = 0;
    for (const auto& part : from)
        for (std::size_t row = 0; row < part->length; ++row, ++at)
            bits[at / 8] = static_cast<std::uint8_t>(bits[at / 8] | unsigned{is_set(*part, row)} << at % 8);
    return bits;
}

bool is_true(const chunk& part, std::size_t row) noexcept {
    return (static_cast<const std::uint8_t*>(part.values.get())[row / 8] >> row % 8 & 1) != 0;
}

void join_fixed(const chunks_view& from, std::size_t width, chunk& into) {
    const auto bytes = room_for<char>(into.length * width);
    char* out = bytes.get();
    for (const auto& part : from) {
        std::memcpy(out, part->values.get(), part->length * width);
        out += part->length * width;
    }
    into.values = bytes;
}

// Returns the view with the new number of its buffer.
view moved(view row, const std::vector<std::int32_t>& places) noexcept {
    std::int32_t buffer = 0;
    std::memcpy(&buffer, row.rest + 4, sizeof(buffer));
    std::memcpy(row.rest + 4, &places[static_cast<std::size_t>(buffer)], sizeof(buffer));
    return row;
}

// Chunks of one call share the pool of the table, so each buffer is added once.
void join_views(const chunks_view& from, chunk& into) {
    const auto views = room_for<view>(into.length);
    std::map<const char*, std::int32_t> numbers;
    view* out = views.get();
    for (const auto& part : from) {
        std::vector<std::int32_t> places;
        for (const text_buffer& text : part->texts) {
            const auto [known, is_new] =
                numbers.emplace(text.bytes.get(), static_cast<std::int32_t>(into.texts.size()));
            if (is_new)
                into.texts.push_back(text);
            places.push_back(known->second);
        }
        const auto* const rows = static_cast<const view*>(part->values.get());
        for (std::size_t row = 0; row < part->length; ++row)
            *out++ = rows[row].size > view::longest_inline ? moved(rows[row], places) : rows[row];
    }
    into.values = views;
}

} // namespace

std::shared_ptr<const chunk> joined(const column_type& type, const chunks_view& from) {
    if (from.size() == 1)
        return from.front();
    chunk result;
    result.type = type.type;
    for (const auto& part : from) {
        result.length += part->length;
        result.nulls += part->nulls;
    }
    if (result.nulls > 0)
        result.valid = join_bits(from, result.length,
                                 [](const chunk& part, std::size_t row) { return part.is_valid(row); });
    for (std::size_t i = 0; i < type.fields.size(); ++i) {
        chunks_view children;
        for (const auto& part : from)
            children.push_back(part->children[i]);
        result.children.push_back(joined(type.fields[i], children));
    }
    if (type.type == kind::utf8_view)
        join_views(from, result);
    else if (type.type == kind::boolean)
        result.values = join_bits(from, result.length, is_true);
    else if (type.type != kind::structure)
        join_fixed(from, width_of(type.type), result);
    return std::make_shared<const chunk>(std::move(result));
}

} // namespace fingerpost::python::arrow
