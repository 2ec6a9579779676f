// Builds an LC-trie over sorted routes: the base vector, the chains of covers, and the trie above them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "fingerpost/base/narrow.hpp"
#include "fingerpost/net/route.hpp"
#include "fingerpost/schemes/lc_trie/view.hpp"

namespace fingerpost::lc_trie {

// `Fill` is the percentage of a node's children that must not be empty. `Root` is the number of bits of the
// root's branch if the base vector is large enough. With 0, the fill factor applies to the root too.
template <class A, unsigned Fill, unsigned Root>
class builder {
    static_assert(Fill >= 1 && Fill <= 100 && Root <= 24);

  public:
    // Throws std::bad_alloc, and std::length_error for more than 2^32 nodes.
    explicit builder(std::span<const route<A>> sorted) {
        split(sorted);
        if (base.empty())
            base.push_back({A::first(), next_hop::none});
        trie.resize(1);
        build(0, base.size(), 0, 0);
    }

    std::vector<trie_node> trie;
    std::vector<base_entry<A>> base;
    std::vector<prefix_entry> prefixes;

  private:
    static constexpr unsigned widest = 31;
    // With this many entries, a root of `Root` bits has half of its children in use.
    static constexpr std::size_t large = Root == 0 ? 0 : std::size_t{1} << (Root - 1);

    // Covers precede the routes that they cover, so a route is a cover if and only if it covers the next one.
    void split(std::span<const route<A>> sorted) {
        struct open_cover {
            prefix<A> where;
            std::uint32_t number;
        };
        std::vector<open_cover> open;
        for (std::size_t i = 0; i < sorted.size(); ++i) {
            const auto& [where, hop] = sorted[i];
            while (!open.empty() && !open.back().where.covers(where))
                open.pop_back();
            const std::uint32_t chain = open.empty() ? no_prefix : open.back().number;
            if (i + 1 == sorted.size() || !where.covers(sorted[i + 1].where)) {
                base.push_back({where.base, hop, chain, where.length});
                continue;
            }
            open.push_back({where, to_u32(prefixes.size(), "routes that cover others")});
            prefixes.push_back({hop, chain, where.length});
        }
    }

    // Makes `node` the root of a trie of `count` entries, starting at `first`, which have the same first
    // `pos` bits.
    void build(std::size_t first, std::size_t count, unsigned pos, std::size_t node) {
        if (count == 1) {
            trie[node] = {.at = to_u32(first, "routes that do not cover others")};
            return;
        }
        const unsigned common = common_length(base[first].string, base[first + count - 1].string);
        const unsigned branch = choose_branch(first, count, common, node == 0);
        const std::size_t children = trie.size();
        trie[node] = {.at = to_u32(children, "nodes of an LC-trie"),
                      .branch = static_cast<std::uint8_t>(branch),
                      .skip = static_cast<std::uint8_t>(common - pos)};
        const std::size_t slots = std::size_t{1} << branch;
        check_size(children + slots, no_prefix, "nodes of an LC-trie");
        trie.resize(children + slots);
        const unsigned border = common + branch;
        const std::size_t end = first + count;
        std::size_t next = first;
        for (std::size_t slot = 0; slot < slots;) {
            std::size_t last = next;
            while (last < end && slice(base[last].string, common, branch) == slot)
                ++last;
            if (last == next) {
                const A at = slot_address(base[first].string, common, branch, slot);
                build(nearer(first, next, end, at, border), 1, border, children + slot++);
            } else if (base[next].length < border) {
                // The node has only one entry, because no longer entry starts with its bits.
                const std::size_t wide = std::size_t{1} << (border - base[next].length);
                for (std::size_t i = 0; i < wide; ++i)
                    build(next, 1, border, children + slot++);
            } else {
                build(next, last - next, border, children + slot++);
            }
            next = last;
        }
    }
    // The largest number of bits that leaves enough children in use. Two entries get one bit, in which they
    // differ.
    unsigned choose_branch(std::size_t first, std::size_t count, unsigned common, bool is_root) const {
        const unsigned left = std::min(A::bits - common, widest);
        if (Root != 0 && is_root && count >= large)
            return std::min(Root, left);
        unsigned branch = 1;
        for (; branch < left && count > 2; ++branch) {
            const std::size_t least = ((std::size_t{2} << branch) * Fill + 99) / 100;
            if (count < least || count_slots(first, count, common + branch + 1) < least)
                break;
        }
        return branch;
    }
    // Number of different values of the first `length` bits.
    std::size_t count_slots(std::size_t first, std::size_t count, unsigned length) const {
        std::size_t slots = 1;
        for (std::size_t i = first + 1; i < first + count; ++i)
            slots += common_length(base[i - 1].string, base[i].string) < length ? 1 : 0;
        return slots;
    }
    static A slot_address(A any, unsigned common, unsigned branch, std::size_t slot) {
        using value = typename A::value_type;
        const value bits = shift_left(static_cast<value>(slot), A::bits - common - branch);
        return A{static_cast<value>(prefix<A>::make(any, common).base.value | bits)};
    }
    // The answers for an empty child are covers. The longest of these also covers a neighbouring entry: the
    // last one before or the first one after.
    std::size_t nearer(std::size_t first, std::size_t next, std::size_t end, A at, unsigned border) const {
        if (next == first || next == end)
            return next == first ? next : next - 1;
        return cover_length(next - 1, at, border) > cover_length(next, at, border) ? next - 1 : next;
    }
    unsigned cover_length(std::size_t entry, A at, unsigned border) const {
        const unsigned most = std::min(common_length(base[entry].string, at), border);
        for (std::uint32_t i = base[entry].chain; i != no_prefix; i = prefixes[i].shorter)
            if (prefixes[i].length <= most)
                return prefixes[i].length;
        return 0;
    }
};

} // namespace fingerpost::lc_trie
