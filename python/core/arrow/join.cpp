// Joins chunks into one.
#include <cstring>
#include <limits>
#include <stdexcept>

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

template <class Offset>
void join_text(const chunks_view& from, chunk& into) {
    std::size_t size = 0;
    for (const auto& part : from)
        size += static_cast<std::size_t>(static_cast<const Offset*>(part->values.get())[part->length]);
    if (size > static_cast<std::size_t>(std::numeric_limits<Offset>::max()))
        throw std::length_error(
            "more than 2 GiB of text in one Arrow array; export a stream of chunks instead");
    const auto starts = room_for<Offset>(into.length + 1);
    const auto text = room_for<char>(size);
    Offset* out = starts.get();
    Offset base = 0;
    for (const auto& part : from) {
        const auto* offsets = static_cast<const Offset*>(part->values.get());
        for (std::size_t row = 0; row < part->length; ++row)
            *out++ = base + offsets[row];
        std::memcpy(text.get() + base, part->text.get(), static_cast<std::size_t>(offsets[part->length]));
        base += offsets[part->length];
    }
    *out = base;
    into.values = starts;
    into.text = text;
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
    if (type.type == kind::utf8)
        join_text<std::int32_t>(from, result);
    else if (type.type == kind::large_utf8)
        join_text<std::int64_t>(from, result);
    else if (type.type == kind::boolean)
        result.values = join_bits(from, result.length, is_true);
    else if (type.type != kind::structure)
        join_fixed(from, width_of(type.type), result);
    return std::make_shared<const chunk>(std::move(result));
}

} // namespace fingerpost::python::arrow
