// Parts of the builders that do not depend on types.
#include "python/core/vectors/results/builders.hpp"

#include <algorithm>
#include <cstring>
#include <string>
#include <string_view>

#include "io/format/parts/printable.hpp"

namespace fingerpost::python {

void mend_utf8(std::vector<char>& text, std::size_t from) {
    constexpr std::string_view replacement = "\xef\xbf\xbd";
    if (std::none_of(text.begin() + static_cast<std::ptrdiff_t>(from), text.end(),
                     [](char c) { return static_cast<unsigned char>(c) >= 0x80; }))
        return;
    const std::string written(text.begin() + static_cast<std::ptrdiff_t>(from), text.end());
    text.resize(from);
    for (std::string_view rest = written; !rest.empty();) {
        const std::size_t size = io::utf8_size(rest);
        const std::string_view valid = size == 0 ? replacement : rest.substr(0, size);
        text.insert(text.end(), valid.begin(), valid.end());
        rest.remove_prefix(size == 0 ? 1 : size);
    }
}

std::size_t text_pieces::size() const noexcept {
    std::size_t sum = 0;
    for (const std::vector<char>& piece : pieces_)
        sum += piece.size();
    return sum;
}

template <class Offset>
void text_pieces::join(arrow::chunk& into) {
    const auto starts = arrow::room_for<Offset>(rows_ + 1);
    const auto text = arrow::room_for<char>(size());
    std::size_t base = 0;
    starts[0] = 0;
    for (std::size_t i = 0; i < pieces_.size(); ++i) {
        const std::size_t last = std::min(rows_, (i + 1) * piece_rows);
        for (std::size_t row = i * piece_rows; row < last; ++row)
            starts[row + 1] = static_cast<Offset>(base + ends_[row]);
        if (!pieces_[i].empty())
            std::memcpy(text.get() + base, pieces_[i].data(), pieces_[i].size());
        base += pieces_[i].size();
        std::vector<char>().swap(pieces_[i]);
    }
    ends_.reset();
    into.values = starts;
    into.text = text;
}

void text_pieces::finish(arrow::chunk& into, bool large) {
    large ? join<std::int64_t>(into) : join<std::int32_t>(into);
}

void struct_builder::add(std::string name, std::unique_ptr<builder> of, std::unique_ptr<valid_sink> valid) {
    parts_.push_back({std::move(name), std::move(of), std::move(valid)});
}

void struct_builder::take(const answers& block) {
    for (const part& field : parts_) {
        field.of->take(block);
        if (field.valid != nullptr)
            field.valid->take(block);
    }
}

bool struct_builder::needs_large() const noexcept {
    return std::any_of(parts_.begin(), parts_.end(),
                       [](const part& field) { return field.of->needs_large(); });
}

arrow::column_type struct_builder::type(bool large) const {
    arrow::column_type result{arrow::kind::structure, {}, {}};
    for (const part& field : parts_) {
        result.fields.push_back(field.of->type(large));
        result.fields.back().name = field.name;
    }
    return result;
}

std::shared_ptr<const arrow::chunk> struct_builder::finish(const valid_sink& valid, bool large) {
    arrow::chunk result;
    result.type = arrow::kind::structure;
    result.length = rows_;
    if (with_nulls_) {
        result.nulls = valid.nulls();
        result.valid = valid.bits();
    }
    for (const part& field : parts_)
        result.children.push_back(field.of->finish(field.valid != nullptr ? *field.valid : valid, large));
    return std::make_shared<const arrow::chunk>(std::move(result));
}

} // namespace fingerpost::python
