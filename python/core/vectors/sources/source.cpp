// Sources for columns, dictionaries and arrays.
#include "python/core/vectors/sources/source.hpp"

#include <algorithm>
#include <concepts>
#include <optional>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>

#include "fingerpost/net/mapped.hpp"
#include "fingerpost/net/socket_text.hpp"
#include "fingerpost/simd/byte_order.hpp"
#include "python/core/arrow/array_layout.hpp"
#include "python/core/vectors/sources/prefix_rows.hpp"

namespace fingerpost::python {
namespace {

using columns::column;

class of_column final : public source {
  public:
    explicit of_column(column from) : from_(std::move(from)) {}
    std::size_t rows() const noexcept override { return from_.rows(); }
    void answer(std::size_t first, std::size_t count, scratch& with, answers& out) const override {
        from_.answer(first, count, with, out);
    }
    columns::bad_row explain(std::size_t row) const override { return from_.explain(row); }

  private:
    columns::column_lookup from_;
};

class of_prefixes final : public source {
  public:
    explicit of_prefixes(column from) : from_(std::move(from)) {}
    std::size_t rows() const noexcept override { return columns::row_count(from_); }
    void answer(std::size_t first, std::size_t count, scratch& with, answers& out) const override {
        answer_prefixes(from_, first, count, with, out);
    }
    columns::bad_row explain(std::size_t row) const override { return explain_prefix(from_, row); }

  private:
    column from_;
};

} // namespace

class dictionary {
  public:
    dictionary(column entries, row_kind kind) : entries_(column_source(std::move(entries), kind)) {}

    // Looks up the entries. Later calls do nothing.
    void look_up(function_ref<scratch&()> make_scratch, between_pieces between) {
        if (std::exchange(is_done_, true))
            return;
        scratch& with = make_scratch();
        const std::size_t count = size();
        hops_.resize(count);
        states_.resize(count);
        const auto block = std::make_unique<answers>();
        for (std::size_t first = 0; first < count; first += block_rows) {
            const std::size_t rows = std::min(block_rows, count - first);
            entries_->answer(first, rows, with, *block);
            std::copy_n(block->ids.begin(), rows, hops_.begin() + static_cast<std::ptrdiff_t>(first));
            for (std::size_t i = 0; i < rows; ++i)
                states_[first + i] = block->state_of(i);
            if (first % (32 * block_rows) == 0)
                between();
        }
    }

    std::size_t size() const noexcept { return entries_->rows(); }
    // Results of each entry, after look_up().
    const next_hop* hops() const noexcept { return hops_.data(); }
    const row_state* states() const noexcept { return states_.data(); }
    columns::bad_row explain(std::size_t entry) const { return entries_->explain(entry); }

  private:
    std::unique_ptr<source> entries_;
    bool is_done_ = false;
    std::vector<next_hop> hops_;
    std::vector<row_state> states_;
};

namespace {

template <class Index>
class of_indices final : public source {
  public:
    of_indices(std::span<const Index> indices, columns::validity valid, std::shared_ptr<dictionary> entries)
        : indices_(indices), valid_(valid), entries_(std::move(entries)) {}

    void prepare(function_ref<scratch&()> make_scratch, between_pieces between) override {
        entries_->look_up(make_scratch, between);
    }

    std::size_t rows() const noexcept override { return indices_.size(); }

    void answer(std::size_t first, std::size_t count, scratch&, answers& out) const override {
        const next_hop* const hops = entries_->hops();
        const row_state* const states = entries_->states();
        out.rows = count;
        out.nulls = out.bad = 0;
        for (std::size_t i = 0; i < count; ++i) {
            const std::optional<std::size_t> entry = entry_of(first + i);
            out.states[i] = !arrow::has_value(valid_, first + i) ? row_state::null
                            : entry                              ? states[*entry]
                                                                 : row_state::bad;
            out.ids[i] = out.states[i] < row_state::null ? hops[*entry] : next_hop::none;
            out.nulls += out.states[i] == row_state::null;
            out.bad += out.states[i] == row_state::bad;
        }
        out.has_states = true;
    }

    columns::bad_row explain(std::size_t row) const override {
        const std::optional<std::size_t> entry = entry_of(row);
        columns::bad_row result;
        if (entry)
            result = entries_->explain(*entry);
        else
            result.reason = "index " + std::to_string(indices_[row]) + " is outside the dictionary";
        result.row = row;
        return result;
    }

  private:
    std::optional<std::size_t> entry_of(std::size_t row) const noexcept {
        // A negative index becomes very large.
        const auto index = static_cast<std::uint64_t>(indices_[row]);
        return index < entries_->size() ? std::optional<std::size_t>(index) : std::nullopt;
    }

    std::span<const Index> indices_;
    columns::validity valid_;
    std::shared_ptr<dictionary> entries_;
};

template <class T>
T load(const char* at, bool swapped) noexcept {
    T value;
    __builtin_memcpy(&value, at, sizeof value);
    if (!swapped)
        return value;
    if constexpr (sizeof(T) == 4)
        return __builtin_bswap32(value);
    else
        return __builtin_bswap64(value);
}

// For sources of numbers, which have no bad rows.
columns::bad_row nothing_bad(std::size_t row) {
    return {row, {}, {}};
}

class of_numbers final : public source {
  public:
    of_numbers(strided from, bool swapped) : from_(from), swapped_(swapped) {}
    std::size_t rows() const noexcept override { return from_.rows; }
    void answer(std::size_t first, std::size_t count, scratch& with, answers& out) const override {
        const char* at = from_.bytes + static_cast<std::ptrdiff_t>(first) * from_.stride;
        for (std::size_t i = 0; i < count; ++i, at += from_.stride)
            with.read.ipv4.addresses[i] = {load<std::uint32_t>(at, swapped_)};
        columns::answer_dense(std::span<const ipv4_address>(with.read.ipv4.addresses).first(count), with,
                              out);
    }
    columns::bad_row explain(std::size_t row) const override { return nothing_bad(row); }

  private:
    strided from_;
    bool swapped_;
};

class of_halves final : public source {
  public:
    of_halves(half_column first, std::optional<half_column> low) : first_(first), low_(low) {}
    std::size_t rows() const noexcept override { return first_.from.rows; }
    void answer(std::size_t first, std::size_t count, scratch& with, answers& out) const override {
        out.rows = count;
        out.nulls = out.bad = 0;
        out.has_states = false;
        out.uniform = row_state::ipv6;
        const auto low = low_ ? read(*low_, first, count, with.low_halves) : std::span<const std::uint64_t>();
        const auto top = read(first_, first, count, with.first_halves);
        with.by->lookup_halves(top, low, std::span(out.ids).first(count));
        if (low.empty() || !with.by->may_answer(ipv6_address{}))
            return;
        for (std::size_t row = 0; row < count; ++row)
            if (const auto a = from_halves<ipv6_address>(top[row], low[row]);
                ipv4_within(a, with.by->aliases()))
                columns::answer_other_form(a, row, with, out);
    }
    columns::bad_row explain(std::size_t row) const override { return nothing_bad(row); }

  private:
    // Returns the halves in place if possible, otherwise copies.
    static std::span<const std::uint64_t> read(const half_column& column, std::size_t first,
                                               std::size_t count, std::span<std::uint64_t> copies) noexcept {
        const char* at = column.from.bytes + static_cast<std::ptrdiff_t>(first) * column.from.stride;
        if (!column.swapped && column.from.stride == sizeof(std::uint64_t) &&
            reinterpret_cast<std::uintptr_t>(at) % alignof(std::uint64_t) == 0)
            return {reinterpret_cast<const std::uint64_t*>(at), count};
        for (std::size_t i = 0; i < count; ++i, at += column.from.stride)
            copies[i] = load<std::uint64_t>(at, column.swapped);
        return copies.first(count);
    }

    half_column first_;
    std::optional<half_column> low_;
};

// Appends a code point as UTF-8. Invalid ones become a question mark, which no address contains.
void append_utf8(std::vector<char>& to, std::uint32_t point) {
    const auto add = [&](std::uint32_t byte) { to.push_back(static_cast<char>(byte)); };
    const auto add_rest = [&](unsigned shift) { add(0x80 | (point >> shift & 0x3f)); };
    if (point < 0x80) {
        add(point);
    } else if (point < 0x800) {
        add(0xc0 | point >> 6);
        add_rest(0);
    } else if (point < 0x10000 && (point < 0xd800 || point > 0xdfff)) {
        add(0xe0 | point >> 12);
        add_rest(6);
        add_rest(0);
    } else if (point >= 0x10000 && point < 0x110000) {
        add(0xf0 | point >> 18);
        add_rest(12);
        add_rest(6);
        add_rest(0);
    } else {
        add('?');
    }
}

class of_padded_text final : public source {
  public:
    of_padded_text(strided from, std::size_t width, bool code_points, bool swapped, row_kind kind)
        : from_(from), width_(width), code_points_(code_points), swapped_(swapped), kind_(kind) {}
    std::size_t rows() const noexcept override { return from_.rows; }
    void answer(std::size_t first, std::size_t count, scratch& with, answers& out) const override {
        const column texts = pack(first, count, with);
        if (kind_ == row_kind::prefix)
            return answer_prefixes(texts, 0, count, with, out);
        columns::block_reader(texts).read(0, count, with.read);
        columns::answer_block(texts, with, out);
    }
    columns::bad_row explain(std::size_t row) const override {
        scratch with;
        const column text = pack(row, 1, with);
        columns::bad_row result =
            kind_ == row_kind::prefix ? explain_prefix(text, 0) : columns::explain(text, 0);
        result.row = row;
        return result;
    }

  private:
    // Copies rows to a column of text.
    column pack(std::size_t first, std::size_t count, scratch& with) const {
        with.text.clear();
        with.text_starts.assign(1, 0);
        const char* at = from_.bytes + static_cast<std::ptrdiff_t>(first) * from_.stride;
        for (std::size_t i = 0; i < count; ++i, at += from_.stride) {
            code_points_ ? append_points(at, with.text) : append_bytes(at, with.text);
            with.text_starts.push_back(static_cast<std::int64_t>(with.text.size()));
        }
        return {columns::offset_layout<std::int64_t>{with.text_starts, with.text, columns::content::text},
                {}};
    }
    // Like numpy, removes trailing zeros and keeps others.
    void append_bytes(const char* at, std::vector<char>& to) const {
        std::size_t size = width_;
        while (size > 0 && at[size - 1] == 0)
            --size;
        to.insert(to.end(), at, at + size);
    }
    void append_points(const char* at, std::vector<char>& to) const {
        std::size_t size = width_;
        while (size > 0 && load<std::uint32_t>(at + 4 * (size - 1), false) == 0)
            --size;
        for (std::size_t i = 0; i < size; ++i)
            append_utf8(to, load<std::uint32_t>(at + 4 * i, swapped_));
    }

    strided from_;
    std::size_t width_;
    bool code_points_;
    bool swapped_;
    row_kind kind_;
};

} // namespace

std::unique_ptr<source> column_source(column from, row_kind kind) {
    if (kind == row_kind::prefix)
        return std::make_unique<of_prefixes>(std::move(from));
    return std::make_unique<of_column>(std::move(from));
}

std::shared_ptr<dictionary> make_dictionary(column entries, row_kind kind) {
    return std::make_shared<dictionary>(std::move(entries), kind);
}

template <class Index>
std::unique_ptr<source> indices_source(std::span<const Index> indices, columns::validity valid,
                                       std::shared_ptr<dictionary> entries) {
    return std::make_unique<of_indices<Index>>(indices, valid, std::move(entries));
}

using entries_pointer = std::shared_ptr<dictionary>;
template std::unique_ptr<source> indices_source(std::span<const std::int8_t>, columns::validity,
                                                entries_pointer);
template std::unique_ptr<source> indices_source(std::span<const std::uint8_t>, columns::validity,
                                                entries_pointer);
template std::unique_ptr<source> indices_source(std::span<const std::int16_t>, columns::validity,
                                                entries_pointer);
template std::unique_ptr<source> indices_source(std::span<const std::uint16_t>, columns::validity,
                                                entries_pointer);
template std::unique_ptr<source> indices_source(std::span<const std::int32_t>, columns::validity,
                                                entries_pointer);
template std::unique_ptr<source> indices_source(std::span<const std::uint32_t>, columns::validity,
                                                entries_pointer);
template std::unique_ptr<source> indices_source(std::span<const std::int64_t>, columns::validity,
                                                entries_pointer);
template std::unique_ptr<source> indices_source(std::span<const std::uint64_t>, columns::validity,
                                                entries_pointer);

std::unique_ptr<source> number_source(strided from, bool swapped) {
    return std::make_unique<of_numbers>(from, swapped);
}

std::unique_ptr<source> halves_source(half_column first, std::optional<half_column> low) {
    return std::make_unique<of_halves>(first, low);
}

std::unique_ptr<source> padded_text_source(strided from, std::size_t width, bool code_points, bool swapped,
                                           row_kind kind) {
    return std::make_unique<of_padded_text>(from, width, code_points, swapped, kind);
}

} // namespace fingerpost::python
