// Interns rows and texts.
#include "fingerpost/values/rows.hpp"

#include <algorithm>
#include <array>

#include "fingerpost/base/narrow.hpp"

namespace fingerpost {

namespace {

// Number of items that are searched together: enough to overlap their memory accesses, and few enough that
// all data stays in the first-level cache until it is used.
constexpr std::size_t together = 32;

std::uint32_t hash_of(const hash_key& key, std::span<const std::uint32_t> row) {
    const auto bytes = std::as_bytes(row);
    return key.hash(std::string_view(reinterpret_cast<const char*>(bytes.data()), bytes.size()));
}

// Returns the first item with this hash, or none. With a probability of 1 - 2^-32 it is the right one.
std::uint32_t first_met(const hash_index& index, std::uint32_t hash) {
    return index.find(hash, [](std::uint32_t) { return true; });
}

} // namespace

void unique_texts::make_room() {
    index_.grow(size(),
                [this](const hash_key& key, std::uint32_t place) { return key.hash((*this)[place]); });
}

std::uint32_t unique_texts::intern(std::string_view text) {
    if (last_ != hash_index::none && is(last_, text))
        return last_;
    make_room();
    return last_ = intern_hashed(text, index_.key().hash(text));
}

// Call make_room() first.
std::uint32_t unique_texts::intern_hashed(std::string_view text, std::uint32_t hash) {
    std::uint32_t& slot = index_.slot(hash, [&](std::uint32_t place) { return is(place, text); });
    if (slot != hash_index::none)
        return slot;
    const std::size_t before = bytes_.size();
    bytes_.append(text);
    try {
        ends_.push_back(bytes_.size());
    } catch (...) {
        bytes_.shrink(before);
        throw;
    }
    slot = to_u32(size() - 1, "texts of values");
    if (is_missing(text))
        missing_ = slot;
    return slot;
}

void unique_texts::intern(std::span<const std::string_view> texts, std::span<std::uint32_t> numbers) {
    std::array<std::uint32_t, together> hashes{};
    std::array<std::uint32_t, together> guesses{};
    while (!texts.empty()) {
        const auto group = texts.first(std::min(together, texts.size()));
        make_room();
        const std::uint64_t seed = index_.key().seed();
        for (std::size_t i = 0; i < group.size(); ++i)
            hashes[i] = index_.key().hash(group[i]);
        for (std::size_t i = 0; i < group.size(); ++i)
            guesses[i] = first_met(index_, hashes[i]);
        for (std::size_t i = 0; i < group.size(); ++i)
            if (guesses[i] != hash_index::none)
                __builtin_prefetch(ends_.data() + guesses[i]);
        for (std::size_t i = 0; i < group.size(); ++i)
            if (guesses[i] != hash_index::none)
                __builtin_prefetch(text(guesses[i]).data());
        for (std::size_t i = 0; i < group.size(); ++i) {
            if (guesses[i] != hash_index::none && is(guesses[i], group[i])) {
                numbers[i] = guesses[i];
                continue;
            }
            make_room();
            // A growing index may choose a new key.
            const bool is_same_key = index_.key().seed() == seed;
            numbers[i] = intern_hashed(group[i], is_same_key ? hashes[i] : index_.key().hash(group[i]));
        }
        texts = texts.subspan(group.size());
        numbers = numbers.subspan(group.size());
    }
}

value_rows::value_rows() : value_rows(std::array<std::string_view, 1>{"next_hop"}) {}

value_rows::value_rows(std::span<const std::string_view> columns)
    : columns_(columns.size()), types_(columns.size()) {
    for (const std::string_view name : columns)
        cells_.push_back(texts_.intern(name));
}

next_hop value_rows::intern(std::span<const std::string_view> cells) {
    const auto is_last = [&] {
        for (std::size_t i = 0; i < columns_; ++i)
            if (!equal_cells(cell(last_, i), cells[i]))
                return false;
        return true;
    };
    if (last_ != next_hop::none && is_last())
        return last_;
    make_room();
    // The row is appended before the search, and remains there if it is new.
    const std::size_t before = cells_.size();
    try {
        for (std::size_t i = 0; i < columns_; ++i)
            cells_.push_back(texts_.intern(cells[i]));
    } catch (...) {
        cells_.resize(before);
        throw;
    }
    return last_ = intern_end(hash_of(index_.key(), end_row()));
}

void value_rows::make_room() {
    index_.grow(size(), [&](const hash_key& key, std::uint32_t number) { return hash_of(key, row(number)); });
}

// Makes the uncounted row at the end of cells_ the next row, or removes it if an equal row exists. Call
// make_room() before appending it.
next_hop value_rows::intern_end(std::uint32_t hash) {
    const std::size_t before = cells_.size() - columns_;
    const std::span<const std::uint32_t> sought = end_row();
    std::uint32_t& number = index_.slot(hash, [&](std::uint32_t place) {
        return std::equal(sought.begin(), sought.end(), row(place).begin());
    });
    if (number == hash_index::none)
        number = to_u32(before / columns_ - 1, "rows of values");
    else
        cells_.resize(before);
    return next_hop{number};
}

// Sets row_texts_ to the text numbers of the cells. A cell that shares its memory with the cell above is not
// searched.
void value_rows::intern_texts(std::span<const std::string_view> cells) {
    row_texts_.resize(cells.size());
    searched_.clear();
    places_.clear();
    for (std::size_t i = 0; i < cells.size(); ++i)
        if (i < columns_ || cells[i].data() != cells[i - columns_].data() ||
            cells[i].size() != cells[i - columns_].size()) {
            searched_.push_back(cells[i]);
            places_.push_back(i);
        }
    numbers_.resize(searched_.size());
    texts_.intern(searched_, numbers_);
    std::size_t next = 0;
    for (std::size_t i = 0; i < cells.size(); ++i) {
        const bool is_new = next < places_.size() && places_[next] == i;
        row_texts_[i] = is_new ? numbers_[next] : row_texts_[i - columns_];
        next += is_new ? 1 : 0;
    }
}

void value_rows::intern(std::span<const std::string_view> cells, std::span<next_hop> numbers) {
    intern_texts(cells);
    std::array<std::uint32_t, together> hashes{};
    for (std::size_t first = 0; first < numbers.size(); first += together) {
        const auto group = numbers.subspan(first, std::min(together, numbers.size() - first));
        const auto row_of = [&](std::size_t i) {
            return std::span<const std::uint32_t>(row_texts_).subspan((first + i) * columns_, columns_);
        };
        make_room();
        const std::uint64_t seed = index_.key().seed();
        for (std::size_t i = 0; i < group.size(); ++i)
            hashes[i] = hash_of(index_.key(), row_of(i));
        for (std::size_t i = 0; i < group.size(); ++i)
            if (const std::uint32_t guess = first_met(index_, hashes[i]); guess != hash_index::none)
                __builtin_prefetch(row(guess).data());
        for (std::size_t i = 0; i < group.size(); ++i) {
            make_room();
            const std::span<const std::uint32_t> row = row_of(i);
            cells_.insert(cells_.end(), row.begin(), row.end());
            // A growing index may choose a new key.
            group[i] = intern_end(index_.key().seed() == seed ? hashes[i] : hash_of(index_.key(), row));
        }
    }
    if (!numbers.empty())
        last_ = numbers.back();
}

value_view value_rows::view() const noexcept {
    const bool has_types =
        std::any_of(types_.begin(), types_.end(), [](column_type type) { return type != column_type::text; });
    const value_types types{has_types ? std::span(types_) : std::span<const column_type>(), texts_.missing()};
    return {cells_, texts_.ends(), texts_.bytes(), columns_, types};
}

bool value_rows::has_cells(std::size_t column) const noexcept {
    for (std::size_t at = columns_ + column; at < cells_.size(); at += columns_)
        if (cells_[at] != texts_.missing())
            return true;
    return false;
}

std::vector<common_types> value_rows::common(std::span<const char> is_used) const {
    std::vector<common_types> types(columns_);
    std::vector<common_types> text_types(texts_.size(), common_types::unknown());
    if (texts_.missing() != hash_index::none)
        text_types[texts_.missing()] = common_types();
    // This many rows stay in the first-level cache for all of their columns.
    constexpr std::size_t block = 512;
    for (std::size_t first = 0; first < size(); first += block)
        for (std::size_t column = 0; column < columns_; ++column)
            if (!types[column].is_text_alone())
                types[column] &= common(column, first, std::min(first + block, size()), is_used, text_types);
    return types;
}

common_types value_rows::common(std::size_t column, std::size_t first, std::size_t end,
                                std::span<const char> is_used, std::span<common_types> text_types) const {
    const std::span<const std::uint32_t> cells(cells_);
    common_types result;
    for (std::size_t row = first, at = (first + 1) * columns_ + column; row < end; ++row, at += columns_) {
        if (!is_used.empty() && is_used[row] == 0)
            continue;
        common_types types = text_types[cells[at]];
        if (types.is_unknown())
            types = text_types[cells[at]] = common_types::of(texts_[cells[at]]);
        result &= types;
        if (result.is_text_alone())
            break;
    }
    return result;
}

} // namespace fingerpost
