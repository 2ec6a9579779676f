// From Arrow's formats to sources, dictionaries among them.
#include "python/core/vectors/arrow_source.hpp"

#include <stdexcept>
#include <string_view>
#include <utility>

#include "python/core/raise.hpp"

namespace fingerpost::python {
namespace {

using arrow::ArrowArray;
using arrow::ArrowSchema;

[[noreturn]] void refuse(const ArrowSchema& type) {
    std::string words = "addresses cannot be of the Arrow type " + describe_format(type) + "; accepted are ";
    words += arrow::accepted_formats;
    if (std::string_view(type.format) == "+s" && type.n_children > 1)
        words += ". Give the one column that has the addresses";
    raise(PyExc_TypeError, words);
}

// What a dictionary's indices may be.
bool is_index(std::string_view format) noexcept {
    return format.size() == 1 && std::string_view("cCsSiIlL").find(format.front()) != std::string_view::npos;
}

template <class Index>
std::unique_ptr<source> indices(const ArrowArray& from, columns::column entries) {
    return indices_source(arrow::values_of<Index>(from, 1), arrow::validity_of(from), std::move(entries));
}

std::unique_ptr<source> dictionary(const ArrowSchema& type, const ArrowArray& from,
                                   arrow::layout_memory& memory) {
    if (from.dictionary == nullptr)
        throw std::invalid_argument("the Arrow array breaks its format: its dictionary is missing");
    columns::column entries = column_of(*type.dictionary, *from.dictionary, memory);
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

std::unique_ptr<arrow_chunks> read_chunks(arrow::imported data) {
    auto result = std::make_unique<arrow_chunks>();
    result->data = std::move(data);
    const ArrowSchema& whole = *result->data.schema;
    const auto [type, in_struct] = single_column_of(whole);
    if (type == nullptr)
        refuse(whole);
    const bool encoded = type->dictionary != nullptr;
    if (encoded ? !is_index(type->format) || !holds_addresses(*type->dictionary) : !holds_addresses(*type))
        refuse(*type);
    for (const arrow::owned<ArrowArray>& chunk : result->data.chunks) {
        ArrowArray view{};
        if (in_struct)
            child_of(*chunk, 0, view, result->memory);
        const ArrowArray& rows = in_struct ? view : *chunk;
        result->sources.push_back(encoded ? dictionary(*type, rows, result->memory)
                                          : column_source(column_of(*type, rows, result->memory)));
        result->rows += result->sources.back()->rows();
    }
    return result;
}

} // namespace fingerpost::python
