// Conversion of Arrow formats and buffers to column layouts.
#include "python/core/arrow/array_layout.hpp"

#include <array>
#include <cstddef>
#include <stdexcept>
#include <type_traits>
#include <utility>

namespace fingerpost::python::arrow {
namespace {

using columns::content;
using columns::validity;

[[noreturn]] void refuse(const char* why) {
    throw std::invalid_argument(std::string("invalid Arrow array: ") + why);
}

bool bit_of(const std::uint8_t* bits, std::size_t at) noexcept {
    return (bits[at / 8] >> at % 8 & 1) != 0;
}

template <class Offset>
columns::layout offset_rows(const ArrowArray& from, content holds) {
    const auto offsets = values_of<Offset>(from, 1, 1);
    if (offsets.empty())
        return columns::offset_layout<Offset>{{}, {}, holds};
    if (offsets.back() < 0 || from.n_buffers < 3)
        refuse("offsets out of range");
    const auto* bytes = static_cast<const char*>(from.buffers[2]);
    const auto size = bytes == nullptr ? 0 : static_cast<std::size_t>(offsets.back());
    return columns::offset_layout<Offset>{offsets, {bytes, size}, holds};
}

// The views are followed by any number of data buffers, and a buffer with their sizes.
columns::layout view_rows(const ArrowArray& from, content holds, layout_memory& memory) {
    const auto views = values_of<columns::view>(from, 1);
    std::vector<std::span<const char>>& buffers = memory.buffers.emplace_back();
    const std::int64_t count = from.n_buffers - 3;
    for (std::int64_t i = 0; i < count && !views.empty(); ++i) {
        const auto* sizes = static_cast<const std::int64_t*>(from.buffers[from.n_buffers - 1]);
        const auto* bytes = static_cast<const char*>(from.buffers[2 + i]);
        if (sizes == nullptr || sizes[i] < 0)
            refuse("a data buffer has no size");
        buffers.push_back({bytes, bytes == nullptr ? 0 : static_cast<std::size_t>(sizes[i])});
    }
    return columns::view_layout{views, buffers, holds};
}

template <class A>
columns::layout packed_rows(const ArrowArray& from) {
    using row = std::array<unsigned char, sizeof(A)>;
    const auto rows = values_of<row>(from, 1);
    return columns::packed_layout<A>{rows.empty() ? nullptr : rows.front().data(), rows.size()};
}

columns::layout layout_of(std::string_view format, const ArrowArray& from, layout_memory& memory) {
    if (format == "u" || format == "z")
        return offset_rows<std::int32_t>(from, format == "u" ? content::text : content::binary);
    if (format == "U" || format == "Z")
        return offset_rows<std::int64_t>(from, format == "U" ? content::text : content::binary);
    if (format == "vu" || format == "vz")
        return view_rows(from, format == "vu" ? content::text : content::binary, memory);
    if (format == "w:4")
        return packed_rows<ipv4_address>(from);
    if (format == "w:16")
        return packed_rows<ipv6_address>(from);
    return columns::number_layout{values_of<std::uint32_t>(from, 1)};
}

// A column of nulls may have no type and no buffers. Any layout with all rows null will do.
columns::column null_rows(const ArrowArray& from, layout_memory& memory) {
    if (from.length < 0)
        refuse("negative length");
    const auto rows = static_cast<std::size_t>(from.length);
    return {columns::number_layout{memory.numbers.emplace_back(rows)},
            {memory.bits.emplace_back((rows + 7) / 8).data(), 0}};
}

// Format strings and their type names. A format that ends with a colon is a prefix.
constexpr std::array<std::pair<std::string_view, std::string_view>, 47> names = {{
    {"n", "null"},
    {"b", "bool"},
    {"c", "int8"},
    {"C", "uint8"},
    {"s", "int16"},
    {"S", "uint16"},
    {"i", "int32"},
    {"I", "uint32"},
    {"l", "int64"},
    {"L", "uint64"},
    {"e", "float16"},
    {"f", "float32"},
    {"g", "float64"},
    {"z", "binary"},
    {"Z", "large_binary"},
    {"vz", "binary_view"},
    {"u", "utf8"},
    {"U", "large_utf8"},
    {"vu", "utf8_view"},
    {"d:", "decimal"},
    {"w:", "fixed_size_binary"},
    {"tdD", "date32"},
    {"tdm", "date64"},
    {"tts", "time32"},
    {"ttm", "time32"},
    {"ttu", "time64"},
    {"ttn", "time64"},
    {"tss:", "timestamp"},
    {"tsm:", "timestamp"},
    {"tsu:", "timestamp"},
    {"tsn:", "timestamp"},
    {"tDs", "duration"},
    {"tDm", "duration"},
    {"tDu", "duration"},
    {"tDn", "duration"},
    {"tiM", "interval"},
    {"tiD", "interval"},
    {"tin", "interval"},
    {"+l", "list"},
    {"+L", "large_list"},
    {"+vl", "list_view"},
    {"+vL", "large_list_view"},
    {"+w:", "fixed_size_list"},
    {"+s", "struct"},
    {"+m", "map"},
    {"+ud:", "union"},
    {"+r", "run_end_encoded"},
}};

std::string name_of_format(std::string_view format) {
    for (const auto& [letters, name] : names)
        if (format == letters || (letters.ends_with(':') && format.starts_with(letters))) {
            std::string result(name);
            if (letters == "w:")
                result += '[' + std::string(format.substr(2)) + ']';
            return result;
        }
    return "format " + std::string(format);
}

} // namespace

template <class T>
std::span<const T> values_of(const ArrowArray& from, std::int64_t buffer, std::int64_t more) {
    if (from.length < 0 || from.offset < 0 || from.n_buffers <= buffer)
        refuse("bad length, offset or number of buffers");
    if (from.length == 0)
        return {};
    const auto* values = static_cast<const T*>(from.buffers[buffer]);
    if (values == nullptr)
        refuse("missing buffer");
    return {values + from.offset, static_cast<std::size_t>(from.length + more)};
}

template std::span<const std::int8_t> values_of(const ArrowArray&, std::int64_t, std::int64_t);
template std::span<const std::uint8_t> values_of(const ArrowArray&, std::int64_t, std::int64_t);
template std::span<const std::int16_t> values_of(const ArrowArray&, std::int64_t, std::int64_t);
template std::span<const std::uint16_t> values_of(const ArrowArray&, std::int64_t, std::int64_t);
template std::span<const std::int32_t> values_of(const ArrowArray&, std::int64_t, std::int64_t);
template std::span<const std::uint32_t> values_of(const ArrowArray&, std::int64_t, std::int64_t);
template std::span<const std::int64_t> values_of(const ArrowArray&, std::int64_t, std::int64_t);
template std::span<const std::uint64_t> values_of(const ArrowArray&, std::int64_t, std::int64_t);
template std::span<const float> values_of(const ArrowArray&, std::int64_t, std::int64_t);
template std::span<const double> values_of(const ArrowArray&, std::int64_t, std::int64_t);

std::vector<std::optional<bool>> booleans_of(const ArrowArray& from) {
    if (from.length < 0 || from.offset < 0 || from.n_buffers < 2)
        refuse("bad length, offset or number of buffers");
    std::vector<std::optional<bool>> values(static_cast<std::size_t>(from.length));
    const auto* bits = static_cast<const std::uint8_t*>(from.buffers[1]);
    if (bits == nullptr && !values.empty())
        refuse("missing buffer");
    const validity valid = validity_of(from);
    for (std::size_t row = 0; row < values.size(); ++row)
        if (has_value(valid, row))
            values[row] = bit_of(bits, static_cast<std::size_t>(from.offset) + row);
    return values;
}

std::string describe_format(const ArrowSchema& type) {
    if (type.dictionary != nullptr)
        return "dictionary of " + describe_format(*type.dictionary);
    std::string result = name_of_format(type.format);
    if (std::string_view(type.format) != "+s")
        return result;
    for (std::int64_t i = 0; i < type.n_children; ++i) {
        const ArrowSchema& child = *type.children[i];
        result += (i == 0 ? " of " : ", ") + std::string(child.name != nullptr ? child.name : "") + " (" +
                  describe_format(child) + ')';
    }
    return result;
}

bool holds_addresses(const ArrowSchema& type) noexcept {
    constexpr std::array<std::string_view, 10> formats = {"u",  "U",   "vu",   "z", "Z",
                                                          "vz", "w:4", "w:16", "I", "n"};
    for (const std::string_view format : formats)
        if (format == type.format)
            return true;
    return false;
}

validity validity_of(const ArrowArray& from) noexcept {
    // A count of -1 means unknown.
    if (from.null_count == 0 || from.n_buffers < 1 || from.length == 0 || from.buffers[0] == nullptr)
        return {};
    return {static_cast<const std::uint8_t*>(from.buffers[0]), static_cast<std::size_t>(from.offset)};
}

bool has_value(validity valid, std::size_t row) noexcept {
    return valid.bits == nullptr || bit_of(valid.bits, valid.offset + row);
}

columns::column column_of(const ArrowSchema& type, const ArrowArray& from, layout_memory& memory) {
    if (std::string_view(type.format) == "n")
        return null_rows(from, memory);
    return {layout_of(type.format, from, memory), validity_of(from)};
}

single_column single_column_of(const ArrowSchema& type) noexcept {
    if (std::string_view(type.format) != "+s")
        return {&type, false};
    return type.n_children == 1 ? single_column{type.children[0], true} : single_column{};
}

void child_of(const ArrowArray& from, std::size_t child, ArrowArray& view, layout_memory& memory) {
    if (from.n_children <= static_cast<std::int64_t>(child) || from.length < 0 || from.offset < 0)
        refuse("missing field of a struct");
    view = *from.children[child];
    view.release = nullptr;
    if (view.length < from.offset + from.length)
        refuse("a field is shorter than its struct");
    view.offset += from.offset;
    view.length = from.length;
    if (from.offset != 0 && view.null_count != 0)
        view.null_count = -1;
    const validity outer = validity_of(from);
    if (outer.bits == nullptr || view.n_buffers < 1)
        return;
    // A row is null if it is null in either. The combined bitmap has the offset of the child.
    const validity inner = validity_of(view);
    const auto offset = static_cast<std::size_t>(view.offset);
    auto& bits = memory.bits.emplace_back((offset + static_cast<std::size_t>(view.length) + 7) / 8);
    for (std::size_t row = 0; row < static_cast<std::size_t>(view.length); ++row)
        if (has_value(outer, row) && has_value(inner, row))
            bits[(offset + row) / 8] =
                static_cast<std::uint8_t>(bits[(offset + row) / 8] | 1U << (offset + row) % 8);
    std::vector<const void*>& pointers =
        memory.pointers.emplace_back(view.buffers, view.buffers + view.n_buffers);
    pointers[0] = bits.data();
    view.buffers = pointers.data();
    view.null_count = -1;
}

} // namespace fingerpost::python::arrow
