// The steps of a lookup with numbers in the form of addresses, cache lines and nodes.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <fmt/format.h>
#include <string>
#include <utility>
#include <vector>

#include "cli/explain/bitmap_words.hpp"
#include "cli/explain/node_words.hpp"
#include "cli/explain/structure_collector.hpp"
#include "fingerpost/fib/scheme_entry.hpp"
#include "terminal/failure.hpp"

namespace fingerpost::cli {

// Writes the numbers of one step. Schemes pad the bits that they use to 32 or 64; the sought key and the size
// of the numbers show which.
template <class A>
class number_writer {
  public:
    number_writer(A address, const trace_step& step)
        : first_(step.first_bit), bits_(std::min(step.bits, 64U)) {
        if (bits_ == 0 || step.with != compared::keys)
            return;
        std::uint64_t largest = step.key;
        for (const std::uint64_t value : step.values)
            largest = std::max(largest, value);
        const std::uint64_t sought = slice(address, first_, bits_);
        for (const unsigned width : {64U, 32U, bits_}) {
            if (width < bits_ || largest > low_mask<std::uint64_t>(width) ||
                step.key >> (width - bits_) != sought)
                continue;
            // A zero fits any width.
            is_part_ = step.key != 0 || !is_part_ || padding_ == width - bits_;
            padding_ = is_part_ ? width - bits_ : 0;
        }
    }
    std::string text(std::uint64_t number) const {
        return is_part_ ? part_of_address<A>(number >> padding_, first_, bits_)
                        : fmt::format("{:#x}", number);
    }

    bool is_part() const { return is_part_; }
    // Both compare only the bits that the step uses.
    bool is_below(std::uint64_t a, std::uint64_t b) const { return a >> padding_ < b >> padding_; }
    bool is_equal(std::uint64_t a, std::uint64_t b) const { return a >> padding_ == b >> padding_; }

  private:
    unsigned first_;
    unsigned bits_;
    unsigned padding_ = 0;
    bool is_part_ = false; // the key is a part of the address
};

template <class A>
std::string seen_bits(A address, const trace_step& step) {
    if (step.bits == 0)
        return {};
    if (step.bits == A::bits)
        return to_string(address);
    if (step.bits <= 64)
        return part_of_address<A>(slice(address, step.first_bit, step.bits), step.first_bit, step.bits);
    return to_string(prefix<A>::make(address, step.first_bit + step.bits));
}

// Numbers cache lines in the order of their first reads.
class line_numbers {
  public:
    std::vector<std::size_t> read(const trace_step& step) {
        constexpr std::uint64_t line_bytes = 64;
        std::vector<std::size_t> numbers;
        const auto first = reinterpret_cast<std::uintptr_t>(step.at);
        for (std::uint64_t line = first / line_bytes; line <= (first + step.bytes - 1) / line_bytes; ++line) {
            const auto known = std::find(known_.begin(), known_.end(), line);
            numbers.push_back(static_cast<std::size_t>(known - known_.begin()) + 1);
            if (known == known_.end())
                known_.push_back(line);
        }
        return numbers;
    }

  private:
    std::vector<std::uint64_t> known_;
};

template <class A>
explained_step explain_step(A address, const trace_step& step, line_numbers& lines, hop_text texts) {
    const number_writer<A> writer(address, step);
    explained_step result{.part = std::string(step.part),
                          .offset = step.offset,
                          .bytes = step.bytes,
                          .in_line =
                              static_cast<std::uint32_t>(reinterpret_cast<std::uintptr_t>(step.at) % 64),
                          .lines = lines.read(step),
                          .first_bit = step.first_bit,
                          .bits = step.bits,
                          .address_bits = seen_bits(address, step),
                          .with = step.with,
                          .slot = step.key,
                          .counted = step.counted,
                          .matched = step.matched,
                          .result = step.result};
    if (step.best != next_hop::none)
        result.best = texts(step.best);
    // Some schemes do not give an index.
    const bool has_key = step.with != compared::nothing || step.key != 0 || step.bits == 0 ||
                         slice(address, step.first_bit, step.bits) == 0;
    if (has_key)
        result.key = step.with == compared::keys ? writer.text(step.key) : std::to_string(step.key);
    result.is_cut = step.with == compared::keys && step.bits > 64 && writer.is_part();
    result.is_ascending = std::is_sorted(step.values.begin(), step.values.end());
    for (const std::uint64_t value : step.values) {
        result.values.push_back(writer.text(value));
        result.below += writer.is_below(value, step.key) ? 1U : 0U;
        result.is_key = result.is_key || writer.is_equal(value, step.key);
        result.set_bits += static_cast<std::size_t>(std::popcount(value));
    }
    if (step.with == compared::keys)
        result.slot = result.below;
    if (step.with == compared::bitmap) {
        const std::size_t word = step.values.size() == 1 ? 0 : static_cast<std::size_t>(step.key / 64);
        result.is_key = word < step.values.size() && (step.values[word] >> step.key % 64 & 1) != 0;
    }
    result.counted_before =
        result.counts_to_match() ? step.matched->bit - std::uint64_t{64} * step.counted.first_word : step.key;
    if (step.counted.words == 1 && step.key < 64) {
        const std::uint64_t word = step.values[step.counted.first_word];
        const std::uint64_t below = word & low_mask<std::uint64_t>(static_cast<unsigned>(step.key));
        result.is_in_run = (word >> step.key & 1) == 0 &&
                           static_cast<std::uint64_t>(std::popcount(below)) == step.counted.rank + 1;
        if (result.is_in_run)
            result.counted_before = static_cast<std::uint64_t>(std::bit_width(below)) - 1;
    }
    if (step.matched)
        result.matched_prefix = to_string(prefix<A>::make(address, step.first_bit + step.matched->length));
    return result;
}

// The first bits of an address; beyond 64 as an address.
template <class A>
std::string first_bits(A address, unsigned bits) {
    return bits <= 64 ? part_of_address<A>(slice(address, 0, bits), 0, bits)
                      : to_string(prefix<A>::make(address, bits));
}

// Adds to a step the node that it reads.
template <class A>
void add_node(explained_step& to, const explained_node& node, A address) {
    to.node = node.number;
    to.kind = node.kind;
    to.level = node.level;
    to.prefix = node.prefix;
    const bool branches = branch_bit(node) && to.bits == node.bits + 1;
    if (to.with == compared::keys && node.values.size() == 1 && (branches || to.bits == node.bits) &&
        node.prefix.ends_with(fmt::format("/{}", node.bits))) {
        to.compared_bits = node.bits;
        to.compared_text = first_bits(address, node.bits);
        to.is_in_prefix = to.compared_text == (node.bits <= 64 ? node.values.front() : node.prefix);
        if (branches && node.bits < A::bits)
            to.branch = static_cast<unsigned>(slice(address, node.bits, 1));
    }
    name_bitmaps(to, node);
}

// Adds a step to a lookup; the step before it leads there.
inline void add_step(explained_lookup& to, explained_step added, const trace_step& step) {
    if (!to.steps.empty()) {
        explained_step& before = to.steps.back();
        before.next_part = step.part;
        if (step.offset % step.bytes == 0)
            before.next_entry = step.offset / step.bytes;
        before.turns_back =
            before.node && added.node &&
            (added.level < before.level || (added.level == before.level && before.compared_bits != 0));
        const unsigned end = before.first_bit + before.bits;
        if (before.bits == 1 && added.bits == 1 && added.first_bit > end)
            added.skipped = added.first_bit - end;
    }
    to.steps.push_back(std::move(added));
}

// The lookup of an address in a FIB with the nodes that it reads. Throws failure if the answer is not
// `right`.
template <class A>
explained_lookup explain_lookup(const scheme_facts& facts, const any_fib<A>& fib, A address, hop_text texts,
                                next_hop right) {
    explained_lookup lookup{.scheme = facts.name, .summary = facts.summary};
    lookup.memory_bytes = total_bytes(fib.memory_parts());
    structure_collector<A> structure(fib, address, texts);
    line_numbers lines;
    const auto add = [&](const trace_step& step) {
        explained_step explained = explain_step(address, step, lines, texts);
        if (const explained_node* const node = structure.node_of(step))
            add_node(explained, *node, address);
        add_step(lookup, std::move(explained), step);
    };
    if (fib.trace(address, add) != right)
        throw failure(fmt::format("{} answers {} otherwise than the table; see fingerpost help check",
                                  facts.name, to_string(address)));
    lookup.structure = std::move(structure).take();
    return lookup;
}

} // namespace fingerpost::cli
