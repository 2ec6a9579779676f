// Sources for columns. Dense columns are looked up directly, others through a block that separates families.
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

bool holds_text(const column& of) noexcept {
    return std::visit(
        [](const auto& values) {
            if constexpr (requires { values.holds; })
                return values.holds == columns::content::text;
            else
                return false;
        },
        of.values);
}

template <class A>
constexpr row_state state_of = std::same_as<A, ipv4_address> ? row_state::ipv4 : row_state::ipv6;

// Looks up the other form of an address if that form decides the result of the row.
template <class A>
void ask_other_form(A address, std::size_t row, scratch& with, answers& out) {
    const auto ask = [&]<class B>(B form) {
        next_hop hop;
        with.by->lookup(std::span<const B>(&form, 1), std::span(&hop, 1));
        return hop;
    };
    const auto has_ipv4 = [&](ipv4_address a) {
        return (std::same_as<A, ipv4_address> ? out.ids[row] : ask(a)) != next_hop::none;
    };
    const auto take = [&]<class B>(B form) {
        if constexpr (!std::same_as<A, B>) {
            if (!std::exchange(out.has_states, true))
                std::fill_n(out.states.begin(), out.rows, out.uniform);
            out.ids[row] = ask(form);
            out.states[row] = state_of<B>;
        }
    };
    in_answering_form(
        address, has_ipv4, [&](ipv6_address a) { return with.by->match_length(a); }, take,
        with.by->aliases());
}

constexpr bool has_two_forms(ipv4_address, next_hop hop, ipv4_aliases) noexcept {
    return hop == next_hop::none;
}
constexpr bool has_two_forms(ipv6_address a, next_hop, ipv4_aliases aliases) noexcept {
    return ipv4_within(a, aliases).has_value();
}

// Looks up the other forms of all addresses of a block. row_of(i) is the row of addresses[i].
template <class A, class Row>
void ask_other_forms(std::span<const A> addresses, Row row_of, scratch& with, answers& out) {
    if (!with.by->may_answer(A{}))
        return;
    const ipv4_aliases aliases = with.by->aliases();
    // Few blocks have such an address, so first scan the block without branches.
    bool has_other_form = !aliases.empty();
    for (std::size_t i = 0; i < addresses.size(); ++i)
        has_other_form |= has_two_forms(addresses[i], out.ids[row_of(i)], {});
    for (std::size_t i = 0; has_other_form && i < addresses.size(); ++i)
        if (has_two_forms(addresses[i], out.ids[row_of(i)], aliases))
            ask_other_form(addresses[i], row_of(i), with, out);
}

// Looks up a block in which all rows have addresses of one family.
template <class A>
void answer_dense(std::span<const A> addresses, scratch& with, answers& out) {
    out.rows = addresses.size();
    out.nulls = out.bad = 0;
    out.has_states = false;
    out.uniform = state_of<A>;
    with.by->lookup(addresses, std::span(out.ids).first(addresses.size()));
    ask_other_forms(
        addresses, [](std::size_t i) { return i; }, with, out);
}

// Looks up the addresses of one family, and stores the results of their rows.
template <class A>
void look_up(const columns::address_list<A>& list, scratch& with, answers& out) {
    if (list.count == 0)
        return;
    const auto hops = std::span(with.hops).first(list.count);
    with.by->lookup(list.span(), hops);
    for (std::size_t i = 0; i < list.count; ++i)
        out.ids[list.rows[i]] = hops[i];
    ask_other_forms(
        list.span(), [&list](std::size_t i) { return std::size_t{list.rows[i]}; }, with, out);
}

// Parses texts that are not addresses as socket addresses.
void read_sockets(const column& from, scratch& with) {
    columns::block& read = with.read;
    const auto take = [&]<class A>(columns::address_list<A>& list, std::size_t row, std::string_view host) {
        list.addresses[list.count] = *parse_address<A>(host);
        list.rows[list.count++] = static_cast<std::uint16_t>(row);
        read.states[row] = state_of<A>;
        --read.bad;
    };
    for (std::size_t row = 0; row < read.rows; ++row) {
        if (read.states[row] != row_state::bad)
            continue;
        const auto text = columns::bytes_of(from, read.first + row);
        const auto host = text && holds_text(from) ? socket_host(*text) : std::nullopt;
        if (host && detect_family(*host) == family::ipv4)
            take(read.ipv4, row, *host);
        else if (host)
            take(read.ipv6, row, *host);
    }
}

// Looks up the block in `with.read`, which was read from the column.
void answer_block(const column& from, scratch& with, answers& out) {
    const columns::block& read = with.read;
    if (read.ipv6.count == read.rows)
        return answer_dense(read.ipv6.span(), with, out);
    if (read.ipv4.count == read.rows)
        return answer_dense(read.ipv4.span(), with, out);
    if (read.bad > 0)
        read_sockets(from, with);
    out.rows = read.rows;
    out.nulls = read.nulls;
    out.bad = read.bad;
    out.has_states = true;
    std::copy_n(read.states.begin(), read.rows, out.states.begin());
    if (read.nulls + read.bad > 0)
        std::fill_n(out.ids.begin(), read.rows, next_hop::none);
    look_up(read.ipv4, with, out);
    look_up(read.ipv6, with, out);
}

class of_column final : public source {
  public:
    of_column(column from, row_kind kind)
        : from_(std::move(from)), kind_(kind), reader_(from_),
          swap_(simd::byte_order(simd::preferred_isa())) {}

    std::size_t rows() const noexcept override { return columns::row_count(from_); }

    void answer(std::size_t first, std::size_t count, scratch& with, answers& out) const override {
        if (kind_ == row_kind::prefix)
            return answer_prefixes(from_, first, count, with, out);
        if (from_.valid.bits != nullptr || !answer_directly(first, count, with, out)) {
            reader_.read(first, count, with.read);
            answer_block(from_, with, out);
        }
    }

    columns::bad_row explain(std::size_t row) const override {
        return kind_ == row_kind::prefix ? explain_prefix(from_, row) : columns::explain(from_, row);
    }

  private:
    // Returns false for layouts with rows of both families, and for unaligned numbers.
    bool answer_directly(std::size_t first, std::size_t count, scratch& with, answers& out) const {
        if (const auto* numbers = std::get_if<columns::number_layout>(&from_.values)) {
            static_assert(sizeof(ipv4_address) == sizeof(std::uint32_t));
            const auto* addresses = reinterpret_cast<const ipv4_address*>(numbers->numbers.data());
            if (reinterpret_cast<std::uintptr_t>(addresses) % alignof(ipv4_address) != 0)
                return false;
            answer_dense(std::span(addresses + first, count), with, out);
        } else if (const auto* ipv4 = std::get_if<columns::packed_layout<ipv4_address>>(&from_.values)) {
            swap_.ipv4(ipv4->bytes + first * sizeof(ipv4_address), with.read.ipv4.addresses.data(), count);
            answer_dense(std::span<const ipv4_address>(with.read.ipv4.addresses).first(count), with, out);
        } else if (const auto* ipv6 = std::get_if<columns::packed_layout<ipv6_address>>(&from_.values)) {
            swap_.ipv6(ipv6->bytes + first * sizeof(ipv6_address), with.read.ipv6.addresses.data(), count);
            answer_dense(std::span<const ipv6_address>(with.read.ipv6.addresses).first(count), with, out);
        } else {
            return false;
        }
        return true;
    }

    column from_;
    row_kind kind_;
    columns::block_reader reader_;
    const simd::byte_order_kernels& swap_;
};

} // namespace

class dictionary {
  public:
    dictionary(column entries, row_kind kind) : entries_(std::move(entries), kind) {}

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
            entries_.answer(first, rows, with, *block);
            std::copy_n(block->ids.begin(), rows, hops_.begin() + static_cast<std::ptrdiff_t>(first));
            for (std::size_t i = 0; i < rows; ++i)
                states_[first + i] = block->state_of(i);
            if (first % (32 * block_rows) == 0)
                between();
        }
    }

    std::size_t size() const noexcept { return entries_.rows(); }
    // Results of each entry, after look_up().
    const next_hop* hops() const noexcept { return hops_.data(); }
    const row_state* states() const noexcept { return states_.data(); }
    columns::bad_row explain(std::size_t entry) const { return entries_.explain(entry); }

  private:
    of_column entries_;
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
        answer_dense(std::span<const ipv4_address>(with.read.ipv4.addresses).first(count), with, out);
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
                ask_other_form(a, row, with, out);
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
        answer_block(texts, with, out);
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
    return std::make_unique<of_column>(std::move(from), kind);
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
