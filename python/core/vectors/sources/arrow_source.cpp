// Sources for Arrow formats, including dictionaries.
#include "python/core/vectors/sources/arrow_source.hpp"

#include <algorithm>
#include <cstdint>
#include <map>
#include <stdexcept>
#include <string_view>
#include <utility>

#include "python/core/raise.hpp"

namespace fingerpost::python {
namespace {

using arrow::ArrowArray;
using arrow::ArrowSchema;

constexpr std::string_view accepted_texts =
    "utf8, large_utf8, utf8_view, null, or a dictionary of one of these";

bool holds_rows(const ArrowSchema& type, row_kind kind) noexcept {
    const std::string_view format(type.format);
    return kind == row_kind::address ? holds_addresses(type)
                                     : format == "u" || format == "U" || format == "vu" || format == "n";
}

[[noreturn]] void refuse(const ArrowSchema& type, row_kind kind) {
    const bool prefixes = kind == row_kind::prefix;
    std::string message = (prefixes ? "prefixes" : "addresses") + std::string(" cannot have Arrow type ") +
                          describe_format(type) + "; accepted types: ";
    message += prefixes ? accepted_texts : arrow::accepted_formats;
    if (std::string_view(type.format) == "+s" && type.n_children > 1)
        message += prefixes ? ". Pass the column of prefixes" : ". Pass the column of addresses";
    raise(PyExc_TypeError, message);
}

// Whether the format is a type of dictionary indices.
bool is_index(std::string_view format) noexcept {
    return format.size() == 1 && std::string_view("cCsSiIlL").find(format.front()) != std::string_view::npos;
}

template <class Index>
std::unique_ptr<source> indices(const ArrowArray& from, std::shared_ptr<dictionary> entries) {
    return indices_source(arrow::values_of<Index>(from, 1), arrow::validity_of(from), std::move(entries));
}

// The dictionaries of a column's chunks. In most streams all chunks share one dictionary. The addresses of
// its buffers identify it, because no buffer moves or is freed while the chunks exist.
class dictionaries {
  public:
    explicit dictionaries(row_kind kind) : kind_(kind) {}

    std::shared_ptr<dictionary> of(const ArrowSchema& type, const ArrowArray& from,
                                   arrow::layout_memory& memory) {
        std::shared_ptr<dictionary>& known = known_[key_of(type.format, from)];
        if (known == nullptr)
            known = make_dictionary(column_of(type, from, memory), kind_);
        return known;
    }

  private:
    using key = std::vector<std::uint64_t>;

    static key key_of(std::string_view format, const ArrowArray& from) {
        key identity = {static_cast<std::uint64_t>(from.length), static_cast<std::uint64_t>(from.offset)};
        const std::int64_t count = std::max<std::int64_t>(from.n_buffers, 0);
        for (std::int64_t i = 0; i < count; ++i)
            identity.push_back(reinterpret_cast<std::uintptr_t>(from.buffers[i]));
        // The last buffer of views has the sizes of the others. Producers write it again for each chunk.
        constexpr std::int64_t not_variadic = 3;
        if (format.starts_with('v') && count >= not_variadic) {
            const auto* const sizes = static_cast<const std::int64_t*>(from.buffers[count - 1]);
            identity.pop_back();
            identity.insert(identity.end(), sizes, sizes + (sizes != nullptr ? count - not_variadic : 0));
        }
        return identity;
    }

    row_kind kind_;
    std::map<key, std::shared_ptr<dictionary>> known_;
};

std::unique_ptr<source> encoded_source(const ArrowSchema& type, const ArrowArray& from,
                                       arrow::layout_memory& memory, dictionaries& known) {
    if (from.dictionary == nullptr)
        throw std::invalid_argument("invalid Arrow array: missing dictionary");
    std::shared_ptr<dictionary> entries = known.of(*type.dictionary, *from.dictionary, memory);
    switch (type.format[0]) {
    case 'c':
        return indices<std::int8_t>(from, std::move(entries));
    case 'C':
        return indices<std::uint8_t>(from, std::move(entries));
    case 's':
        return indices<std::int16_t>(from, std::move(entries));
    case 'S':
        return indices<std::uint16_t>(from, std::move(entries));
    case 'i':
        return indices<std::int32_t>(from, std::move(entries));
    case 'I':
        return indices<std::uint32_t>(from, std::move(entries));
    case 'l':
        return indices<std::int64_t>(from, std::move(entries));
    default:
        return indices<std::uint64_t>(from, std::move(entries));
    }
}

} // namespace

std::unique_ptr<arrow_chunks> read_chunks(arrow::imported data, row_kind kind) {
    auto result = std::make_unique<arrow_chunks>();
    result->data = std::move(data);
    const ArrowSchema& whole = *result->data.schema;
    const auto [type, in_struct] = single_column_of(whole);
    if (type == nullptr)
        refuse(whole, kind);
    const bool encoded = type->dictionary != nullptr;
    if (encoded ? !is_index(type->format) || !holds_rows(*type->dictionary, kind) : !holds_rows(*type, kind))
        refuse(*type, kind);
    dictionaries known(kind);
    for (const arrow::owned<ArrowArray>& chunk : result->data.chunks) {
        ArrowArray view{};
        if (in_struct)
            child_of(*chunk, 0, view, result->memory);
        const ArrowArray& rows = in_struct ? view : *chunk;
        result->sources.push_back(encoded ? encoded_source(*type, rows, result->memory, known)
                                          : column_source(column_of(*type, rows, result->memory), kind));
        result->rows += result->sources.back()->rows();
    }
    return result;
}

} // namespace fingerpost::python
