// A node of a FIB with its numbers as texts.
#pragma once

#include <algorithm>
#include <cstdint>
#include <fmt/format.h>
#include <optional>
#include <string>
#include <utility>

#include "cli/explain/address_part.hpp"
#include "cli/explain/explanation.hpp"
#include "fingerpost/base/function_ref.hpp"
#include "fingerpost/fib/inspectable.hpp"
#include "fingerpost/net/text.hpp"

namespace fingerpost::cli {

// The text of a next hop as the table has it.
using hop_text = function_ref<std::string(next_hop)>;

// The prefix that has exactly these addresses, or nothing.
template <class A>
std::optional<prefix<A>> prefix_of(A first, A last) {
    unsigned length = 0;
    while (length < A::bits && slice(first, length, 1) == slice(last, length, 1))
        ++length;
    const auto common = prefix<A>::make(first, length);
    if (common.first() == first && common.last() == last)
        return common;
    return std::nullopt;
}

// Number, parent and path are the caller's.
template <class A>
explained_node describe_node(const structure_node<A>& node, hop_text texts) {
    const auto same = prefix_of(node.first, node.last);
    explained_node result{.slot = node.slot,
                          .level = node.level,
                          .kind = std::string(node.kind),
                          .part = std::string(node.part),
                          .offset = node.offset,
                          .bytes = node.bytes,
                          .first = to_string(node.first),
                          .last = to_string(node.last),
                          .prefix = same ? to_string(*same) : "",
                          .first_bit = node.first_bit,
                          .bits = node.bits,
                          .children = node.children};
    node_contents held;
    node.contents(held);
    result.with = held.with;
    result.padding = held.padding;
    const unsigned width = std::min(node.bits, 64U);
    for (const std::uint64_t value : held.values)
        result.values.push_back(held.with == compared::keys && width > 0
                                    ? part_of_address<A>(value, node.first_bit, width)
                                    : fmt::format("{:#x}", value));
    if (held.with == compared::bitmap)
        result.words = std::move(held.values);
    for (const node_contents::bitmap& bitmap : held.bitmaps)
        result.bitmaps.push_back({std::string(bitmap.name), bitmap.has_slots});
    for (const node_contents::answer& answer : held.answers)
        result.answers.push_back(
            {answer.slot, answer.hop == next_hop::none ? std::string() : texts(answer.hop)});
    for (const node_contents::number& number : held.numbers)
        result.numbers.emplace_back(number.name, number.value);
    return result;
}

} // namespace fingerpost::cli
