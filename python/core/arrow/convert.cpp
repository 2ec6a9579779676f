// Copies texts from the memory of views to the layouts of other types.
#include "python/core/arrow/convert.hpp"

#include <algorithm>
#include <limits>
#include <span>
#include <stdexcept>
#include <string_view>
#include <utility>

#include "fingerpost/values/rows.hpp"

namespace fingerpost::python::arrow {
namespace {

// Views that are read ahead, so that their texts come from memory together.
constexpr std::size_t ahead = 16;

std::span<const view> views_of(const chunk& from) noexcept {
    return {static_cast<const view*>(from.values.get()), from.length};
}

std::size_t text_size(const chunk& from) noexcept {
    std::size_t sum = 0;
    for (const view& row : views_of(from))
        sum += static_cast<std::size_t>(row.size);
    return sum;
}

[[noreturn]] void refuse_size(const char* type) {
    throw std::length_error(std::string("more than 2 GiB of text in one Arrow array of type ") + type +
                            "; request large_utf8 or utf8_view, or export a stream of chunks");
}

chunk rows_of(const chunk& from, kind type) {
    chunk result;
    result.type = type;
    result.length = from.length;
    result.nulls = from.nulls;
    result.valid = from.valid;
    return result;
}

template <class Offset>
chunk with_offsets(const chunk& from, kind type) {
    const std::size_t size = text_size(from);
    if (size > static_cast<std::size_t>(std::numeric_limits<Offset>::max()))
        refuse_size(name_of(type));
    const auto starts = room_for<Offset>(from.length + 1);
    const auto text = room_for<char>(size);
    const std::span<const view> views = views_of(from);
    std::size_t end = 0;
    starts[0] = 0;
    for (std::size_t row = 0; row < views.size(); ++row) {
        if (row + ahead < views.size() && views[row + ahead].size > view::longest_inline)
            __builtin_prefetch(text_of(views[row + ahead], from.texts).data());
        const std::string_view bytes = text_of(views[row], from.texts);
        std::copy_n(bytes.data(), bytes.size(), text.get() + end);
        end += bytes.size();
        starts[row + 1] = static_cast<Offset>(end);
    }
    chunk result = rows_of(from, type);
    result.values = starts;
    result.texts.push_back({{text, text.get()}, size});
    return result;
}

// The texts as a dictionary column of utf8.
std::shared_ptr<const chunk> entries_of(const unique_texts& texts) {
    if (texts.bytes().size() > std::numeric_limits<std::int32_t>::max())
        refuse_size(name_of(kind::dictionary));
    const auto starts = room_for<std::int32_t>(texts.size() + 1);
    starts[0] = 0;
    for (std::size_t i = 0; i < texts.size(); ++i)
        starts[i + 1] = static_cast<std::int32_t>(texts.ends()[i]);
    const std::shared_ptr<const char[]> bytes = texts.share_bytes();
    chunk result;
    result.type = kind::utf8;
    result.length = texts.size();
    result.values = starts;
    result.texts.push_back({{bytes, bytes.get()}, texts.bytes().size()});
    return std::make_shared<const chunk>(std::move(result));
}

chunk with_dictionary(const chunk& from) {
    unique_texts texts;
    const auto indices = room_for<std::int32_t>(from.length);
    const std::span<const view> views = views_of(from);
    for (std::size_t row = 0; row < views.size(); ++row)
        indices[row] =
            from.is_valid(row) ? static_cast<std::int32_t>(texts.intern(text_of(views[row], from.texts))) : 0;
    if (texts.size() > std::numeric_limits<std::int32_t>::max())
        throw std::length_error("more than 2^31 different texts in one Arrow dictionary");
    chunk result = rows_of(from, kind::dictionary);
    result.values = indices;
    result.children.push_back(entries_of(texts));
    return result;
}

chunk with_fields(const chunk& from, const column_type& to) {
    chunk result = rows_of(from, kind::structure);
    for (std::size_t i = 0; i < to.fields.size(); ++i)
        result.children.push_back(converted(from.children[i], to.fields[i]));
    return result;
}

std::vector<std::shared_ptr<const chunk>> fields_of(const std::vector<std::shared_ptr<const chunk>>& chunks,
                                                    std::size_t field) {
    std::vector<std::shared_ptr<const chunk>> fields;
    for (const auto& part : chunks)
        fields.push_back(part->children[field]);
    return fields;
}

} // namespace

column_type requested_type(const column_type& of, const ArrowSchema& request) {
    column_type result = of;
    const std::string_view format = request.format;
    if (of.type == kind::structure && format == "+s" &&
        request.n_children == static_cast<std::int64_t>(of.fields.size()))
        for (std::size_t i = 0; i < of.fields.size(); ++i)
            result.fields[i] = requested_type(of.fields[i], *request.children[i]);
    if (of.type == kind::utf8_view)
        result.type = request.dictionary != nullptr ? kind::dictionary
                      : format == "u"               ? kind::utf8
                      : format == "U"               ? kind::large_utf8
                                                    : kind::utf8_view;
    return result;
}

column_type type_with_offsets(const column_type& of,
                              const std::vector<std::shared_ptr<const chunk>>& chunks) {
    column_type result = of;
    for (std::size_t i = 0; i < of.fields.size(); ++i)
        result.fields[i] = type_with_offsets(of.fields[i], fields_of(chunks, i));
    if (of.type == kind::utf8_view)
        result.type = std::any_of(chunks.begin(), chunks.end(),
                                  [](const auto& part) {
                                      return text_size(*part) > std::numeric_limits<std::int32_t>::max();
                                  })
                          ? kind::large_utf8
                          : kind::utf8;
    return result;
}

std::shared_ptr<const chunk> converted(std::shared_ptr<const chunk> from, const column_type& to) {
    switch (to.type) {
    case kind::structure:
        return std::make_shared<const chunk>(with_fields(*from, to));
    case kind::utf8:
        return std::make_shared<const chunk>(with_offsets<std::int32_t>(*from, kind::utf8));
    case kind::large_utf8:
        return std::make_shared<const chunk>(with_offsets<std::int64_t>(*from, kind::large_utf8));
    case kind::dictionary:
        return std::make_shared<const chunk>(with_dictionary(*from));
    default:
        return from;
    }
}

} // namespace fingerpost::python::arrow
