// Reads and writes nodes and leaves, and allocates their lines.
#include "fingerpost/fib/parts/cells/packed_lines.hpp"

#include <algorithm>
#include <new>

#include "fingerpost/base/narrow.hpp"
#include "fingerpost/fib/parts/cells/proportions.hpp"

namespace fingerpost::cells {
namespace {

// Lengths are compile-time constants, so there is no branch for each slot.
template <class Code>
std::size_t read_slots(const std::byte* from, std::uint32_t last, std::uint32_t* ends, std::uint32_t* codes) {
    constexpr leaf_shape shape = leaf_shape_for(sizeof(Code));
    std::size_t keys = 0;
    for (std::size_t i = 0; i < shape.keys; ++i) {
        ends[i] = key_at(from, i);
        keys += ends[i] != no_key ? 1 : 0;
    }
    ends[keys] = last;
    for (std::size_t i = 0; i <= shape.keys; ++i)
        codes[i] = get_word<Code>(from + shape.codes_at + i * sizeof(Code));
    return keys + 1;
}

// Writes all ends except the last one. The other slots have all ones, which are never below anything.
void put_keys(std::byte* to, std::size_t slots, std::span<const std::uint32_t> ends) {
    std::uint32_t words[node_shape::keys];
    std::fill_n(words, slots, simd::stored_key(no_key));
    std::transform(ends.begin(), ends.end() - 1, words, simd::stored_key<std::uint32_t>);
    std::memcpy(to, words, slots * sizeof words[0]);
}

} // namespace

std::size_t line_store::read(std::uint32_t leaf, std::uint32_t last, std::uint32_t* ends,
                             std::uint32_t* codes) const noexcept {
    return with_word_of(code_bytes_,
                        [&](auto code) { return read_slots<decltype(code)>(at(leaf), last, ends, codes); });
}

void line_store::read_leaves(std::uint32_t node, std::uint32_t last, std::vector<std::uint32_t>& ends,
                             std::vector<std::uint32_t>& codes) const {
    const std::size_t children = children_of(node);
    std::size_t size = ends.size();
    ends.resize(size + children * most_in_leaf());
    codes.resize(ends.size());
    for (std::size_t i = 0; i < children; ++i)
        size += read(child_of(node, i), i + 1 < children ? end_of(node, i) : last, ends.data() + size,
                     codes.data() + size);
    ends.resize(size);
    codes.resize(size);
}

void line_store::write_node(std::uint32_t node, std::span<const std::uint32_t> child_ends,
                            std::uint32_t first_child) {
    written_.add(node / line);
    put_keys(lines_.data() + node, node_shape::keys, child_ends);
    move_children(node, first_child);
}

void line_store::write_leaf(std::uint32_t leaf, std::span<const std::uint32_t> ends,
                            std::span<const std::uint32_t> codes) {
    std::byte* const to = lines_.data() + leaf;
    written_.add(leaf / line);
    unused_ += most_in_leaf() - ends.size();
    put_keys(to, shape_.keys, ends);
    put_codes(to + shape_.codes_at, codes, code_bytes_);
}

void line_store::recode_leaf(std::uint32_t leaf, std::uint32_t from, std::uint32_t to) {
    if (recode(lines_.data() + leaf + shape_.codes_at, most_in_leaf(), code_bytes_, from, to))
        written_.add(leaf / line);
}

std::uint32_t line_store::allocate(std::size_t count) {
    std::size_t offset = 0;
    if (count == 0 || free_.take(count, offset))
        return static_cast<std::uint32_t>(offset * line);
    reserve(used_ + count);
    offset = used_;
    used_ += count;
    return static_cast<std::uint32_t>(offset * line);
}

void line_store::reserve(std::size_t lines) {
    if (lines * line <= lines_.size())
        return;
    check_size(lines, most_, "lines of trees");
    // Grow in small steps, because usually nothing is copied.
    const std::size_t count = lines_.size() / line;
    if (!lines_.resize(std::clamp(grown_without_copy.of(count), lines, most_) * line))
        move_to(std::clamp(grown_lines.of(count), lines, most_));
}

void line_store::shrink() {
    if (used_ * line < lines_.size())
        move_to(used_);
}

void line_store::move_to(std::size_t lines) {
    if (!lines_.move_to(lines * line, lines / 4 * line, used_ * line))
        throw std::bad_alloc();
}

void line_store::close_up(std::vector<std::uint32_t>& places) {
    std::size_t to = 0;
    std::byte* const lines = lines_.data();
    for (std::size_t from = 0; from < used_; ++from) {
        if (places[from] == 0)
            continue;
        if (to != from)
            std::memcpy(lines + to * line, lines + from * line, line);
        places[from] = static_cast<std::uint32_t>(to++ * line);
    }
    used_ = to;
    free_ = {};
    written_.add_all();
    (void)lines_.resize(used_ * line);
}

void line_store::sync_from(line_store& active, bool were_same) {
    const bool in_part = were_same && active.written_.are_known();
    if (!in_part)
        used_ = 0;
    most_ = active.most_;
    if (!lines_.resize(active.lines_.size()))
        move_to(active.lines_.size() / line);
    if (in_part)
        for (const std::uint32_t number : active.written_.list())
            std::memcpy(lines_.data() + number * line, active.lines_.data() + number * line, line);
    else if (active.used_ > 0)
        std::memcpy(lines_.data(), active.lines_.data(), active.used_ * line);
    shape_ = active.shape_;
    code_bytes_ = active.code_bytes_;
    used_ = active.used_;
    unused_ = active.unused_;
    std::swap(free_, active.free_);
    written_.start(used_ * line);
}

} // namespace fingerpost::cells
