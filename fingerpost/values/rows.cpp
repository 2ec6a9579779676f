// Assigns numbers to rows and texts.
#include "fingerpost/values/rows.hpp"

#include <algorithm>
#include <array>

#include "fingerpost/base/narrow.hpp"

namespace fingerpost {

std::uint32_t unique_texts::intern(std::string_view text) {
    if (last_ != hash_index::none && (*this)[last_] == text)
        return last_;
    index_.grow(size(),
                [this](const hash_key& key, std::uint32_t place) { return key.hash((*this)[place]); });
    const std::uint32_t hash = index_.key().hash(text);
    const auto is_text = [&](std::uint32_t place) { return (*this)[place] == text; };
    if (const std::uint32_t known = index_.find(hash, is_text); known != hash_index::none)
        return last_ = known;
    const std::size_t before = bytes_.size();
    bytes_ += text;
    try {
        ends_.push_back(bytes_.size());
    } catch (...) {
        bytes_.resize(before);
        throw;
    }
    return last_ = index_.slot(hash, is_text) = to_u32(size() - 1, "texts of values");
}

value_rows::value_rows() : value_rows(std::array<std::string_view, 1>{"next_hop"}) {}

value_rows::value_rows(std::span<const std::string_view> columns) : columns_(columns.size()) {
    for (const std::string_view name : columns)
        cells_.push_back(texts_.intern(name));
}

next_hop value_rows::intern(std::span<const std::string_view> cells) {
    const auto is_last = [&] {
        for (std::size_t i = 0; i < columns_; ++i)
            if (cell(last_, i) != cells[i])
                return false;
        return true;
    };
    if (last_ != next_hop::none && is_last())
        return last_;
    const auto hash_of = [](const hash_key& key, std::span<const std::uint32_t> row) {
        const auto bytes = std::as_bytes(row);
        return key.hash(std::string_view(reinterpret_cast<const char*>(bytes.data()), bytes.size()));
    };
    index_.grow(size(), [&](const hash_key& key, std::uint32_t number) { return hash_of(key, row(number)); });
    // The row is put at the end while it is searched for, and stays there if it is new.
    const std::size_t before = cells_.size();
    try {
        for (std::size_t i = 0; i < columns_; ++i)
            cells_.push_back(texts_.intern(cells[i]));
    } catch (...) {
        cells_.resize(before);
        throw;
    }
    const std::span<const std::uint32_t> wanted = std::span(cells_).subspan(before);
    std::uint32_t& number = index_.slot(hash_of(index_.key(), wanted), [&](std::uint32_t place) {
        return std::equal(wanted.begin(), wanted.end(), row(place).begin());
    });
    if (number == hash_index::none)
        number = to_u32(before / columns_ - 1, "rows of values");
    else
        cells_.resize(before);
    last_ = next_hop{number};
    return last_;
}

value_view value_rows::view() const noexcept {
    value_view made;
    (void)value_view::make(cells_, texts_.ends(), texts_.bytes(), columns_, made);
    return made;
}

} // namespace fingerpost
