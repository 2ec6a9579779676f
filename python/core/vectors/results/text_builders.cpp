// Views of cells. The memory accesses of a block overlap, because each step is done for all rows before the
// next.
#include "python/core/vectors/results/text_builders.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <stdexcept>
#include <string>

#include "fingerpost/base/bits.hpp"
#include "io/format/parts/printable.hpp"

namespace fingerpost::python {
namespace {

using arrow::view;

constexpr std::uint64_t high_bits = 0x8080'8080'8080'8080;
constexpr std::array<std::uint32_t, 1> no_cells{};
constexpr std::array<std::uint64_t, 1> no_ends{};

// The first `size` bytes of a number that was loaded from memory; all if there are fewer.
constexpr std::uint64_t first_bytes(std::uint64_t number, std::size_t size) noexcept {
    return size >= sizeof(number) ? number : number & ((std::uint64_t{1} << 8 * size) - 1);
}

// The view of a text that is short enough to be in it. Adds its bits to `bits`. Reads `readable` bytes at
// most.
view short_view(const char* text, std::size_t size, std::size_t readable, std::uint64_t& bits) noexcept {
    char bytes[16] = {};
    if (readable >= sizeof(bytes))
        std::memcpy(bytes, text, sizeof(bytes));
    else
        std::memcpy(bytes, text, size);
    const std::uint64_t start = first_bytes(load_little<std::uint64_t>(bytes), size);
    const std::uint64_t rest = first_bytes(load_little<std::uint64_t>(bytes + 8), size < 8 ? 0 : size - 8);
    bits |= start | rest;
    view result{static_cast<std::int32_t>(size), {}};
    std::memcpy(result.rest, &start, sizeof(start));
    std::memcpy(result.rest + sizeof(start), &rest, sizeof(result.rest) - sizeof(start));
    return result;
}

// The bits of the bytes of a text of at least eight.
std::uint64_t bits_of(const char* text, std::size_t size) noexcept {
    std::uint64_t bits = load_little<std::uint64_t>(text + size - 8);
    for (std::size_t at = 0; at + 8 < size; at += 8)
        bits |= load_little<std::uint64_t>(text + at);
    return bits;
}

std::string mended(std::string_view text) {
    constexpr std::string_view replacement = "\xef\xbf\xbd";
    std::string result;
    while (!text.empty()) {
        const std::size_t size = io::utf8_size(text);
        result += size == 0 ? replacement : text.substr(0, size);
        text.remove_prefix(std::max<std::size_t>(size, 1));
    }
    return result;
}

} // namespace

row_views::row_views(std::size_t rows, std::string_view missed, std::vector<arrow::text_buffer> shared)
    : views_(arrow::room_for<view>(rows)), shared_(std::move(shared)) {
    arrow::text_store of_missed(shared_.size());
    missed_ = of_missed.add(missed);
    std::move(of_missed).finish(shared_);
    for (std::size_t i = 0; i < (rows + piece_rows - 1) / piece_rows; ++i)
        stores_.emplace_back(shared_.size() + i, 1);
    uses_shared_ = missed.size() > view::longest_inline;
}

void row_views::fill_gaps(const answers& block) noexcept {
    view* const out = row(block.first);
    if (block.matched == block.rows)
        return;
    for (std::size_t i = 0; i < block.rows; ++i)
        if (block.ids[i] == next_hop::none)
            out[i] = block.has_address(i) ? missed_ : view{};
}

void row_views::finish(arrow::chunk& into) && {
    into.values = std::move(views_);
    const bool has_stored =
        std::any_of(stores_.begin(), stores_.end(), [](const auto& store) { return !store.is_empty(); });
    // Without long texts, the column does not keep the memory of the table.
    if (has_stored || uses_shared_)
        into.texts = std::move(shared_);
    for (arrow::text_store& store : stores_) {
        if (!has_stored)
            break;
        if (store.is_empty())
            into.texts.emplace_back();
        std::move(store).finish(into.texts);
    }
    stores_.clear();
}

struct cell_views::places {
    alignas(64) std::array<std::uint32_t, block_rows> texts;
    alignas(64) std::array<std::uint64_t, block_rows> starts;
    alignas(64) std::array<std::uint64_t, block_rows> sizes;
};

template <class A>
cell_numbers::family_rows cell_numbers::rows_of(const query& lookups) noexcept {
    const value_view& rows = lookups.rows<A>();
    return {rows.columns() == 0 ? no_cells.data() : rows.cells().data(), rows.types().missing};
}

cell_numbers::cell_numbers(const query& lookups, std::size_t column)
    : columns_(lookups.columns().size()), column_(column), ipv4_(rows_of<ipv4_address>(lookups)),
      ipv6_(rows_of<ipv6_address>(lookups)) {}

template <class A>
cell_views::family_texts cell_views::texts_of(const query& lookups, std::vector<arrow::text_buffer>& shared) {
    const value_view& rows = lookups.rows<A>();
    if (rows.columns() == 0)
        return {no_ends.data(), {}};
    return {rows.ends().data(), arrow::text_pool(lookups.texts<A>(), rows.bytes().size(), shared)};
}

cell_views::cell_views(const query& lookups, std::size_t column, std::vector<arrow::text_buffer>& shared)
    : numbers_(lookups, column), ipv4_(texts_of<ipv4_address>(lookups, shared)),
      // The families of a live table share their texts.
      ipv6_(lookups.rows<ipv6_address>().ends().data() == ipv4_.ends
                ? ipv4_
                : texts_of<ipv6_address>(lookups, shared)) {}

void cell_views::find(const answers& block, places& out) const noexcept {
    numbers_.read(block, out.texts);
    for (std::size_t i = 0; i < block.rows; ++i) {
        const family_texts& from = texts_of(block, i);
        const std::uint32_t text = out.texts[i];
        const std::uint64_t before = from.ends[text - (text != 0)];
        out.starts[i] = text != 0 ? before : 0;
        out.sizes[i] = block.ids[i] != next_hop::none ? from.ends[text] - out.starts[i] : 0;
        __builtin_prefetch(from.pool.begin() + out.starts[i]);
    }
}

bool cell_views::operator()(const answers& block, view* out, arrow::text_store& mended_texts) const {
    places where;
    find(block, where);
    bool is_shared = false;
    for (std::size_t i = 0; i < block.rows; ++i) {
        const arrow::text_pool& pool = texts_of(block, i).pool;
        const std::size_t size = where.sizes[i];
        const std::size_t start = where.starts[i];
        const char* const text = pool.begin() + start;
        std::uint64_t bits = 0;
        if (size <= view::longest_inline) {
            out[i] = short_view(text, size, pool.size() - start, bits);
        } else if (size <= arrow::text_pool::longest) {
            bits = bits_of(text, size);
            out[i] = pool.at(start, size);
            is_shared = true;
        } else {
            throw std::length_error("a text of more than 1 GiB does not fit an Arrow column");
        }
        if ((bits & high_bits) != 0 && !io::is_utf8({text, size}))
            out[i] = mended_texts.add(mended({text, size}));
    }
    return is_shared;
}

} // namespace fingerpost::python
