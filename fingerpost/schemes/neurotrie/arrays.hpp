// The arrays of the trie. For builds and changes, a node is converted to pieces and back.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <new>
#include <span>
#include <stdexcept>
#include <vector>

#include "fingerpost/base/bits.hpp"
#include "fingerpost/fib/parts/answers/next_hop_codec.hpp"
#include "fingerpost/fib/parts/memory/block_pool.hpp"
#include "fingerpost/fib/parts/multibit/tree_check.hpp"
#include "fingerpost/schemes/neurotrie/vertices.hpp"
#include "fingerpost/schemes/neurotrie/view.hpp"

namespace fingerpost::neurotrie {

// Block sizes: exact up to 64 granules; larger blocks waste at most 1/32.
template <class T, std::uint32_t Longest>
struct near_sizes {
    static constexpr std::uint32_t granule = every_size<T, Longest>::granule;
    static constexpr std::uint32_t exact = 64, steps = 32; // `steps` in each doubling
    static constexpr bool can_cut = true;
    static constexpr std::size_t smallest_step = 64;

    static constexpr std::uint32_t number_of(std::uint32_t elements) noexcept {
        const std::uint32_t granules = (elements + granule - 1) / granule;
        if (granules <= exact)
            return granules - 1;
        const auto doublings = static_cast<std::uint32_t>(std::bit_width(granules - 1) - 6); // at least 1
        const std::uint32_t step = std::uint32_t{1} << doublings;
        return exact + (doublings - 1) * steps + (granules - steps * step + step - 1) / step - 1;
    }
    static constexpr std::uint32_t elements_of(std::uint32_t number) noexcept {
        if (number < exact)
            return (number + 1) * granule;
        const std::uint32_t doublings = (number - exact) / steps + 1;
        return (steps + (number - exact) % steps + 1) * (std::uint32_t{1} << doublings) * granule;
    }
    static constexpr std::uint32_t count = number_of(Longest) + 1;
    static constexpr std::uint32_t first_piece(std::uint32_t rest) noexcept {
        const std::uint32_t fits = number_of(std::min(rest, Longest));
        return elements_of(fits) <= rest ? elements_of(fits) : elements_of(fits - 1);
    }
};

// The content of a slot: the code of an answer, or the header of a child.
struct content {
    bool is_node = false;
    std::uint32_t code = 0;
    header below{};
};
constexpr content leaf_with(std::uint32_t code) noexcept {
    return {.is_node = false, .code = code, .below = {}};
}
constexpr content node_with(const header& below) noexcept {
    return {.is_node = true, .code = 0, .below = below};
}

// A piece extends from its first slot to the first slot of the next piece. A child has exactly one slot.
struct piece {
    std::uint32_t slot = 0;
    content has;
};
using pieces = std::vector<piece>;

class node_arrays {
    static constexpr std::uint32_t most_slots = std::uint32_t{1} << widest_stride;

  public:
    // `leaf_bytes` is 2 or 4.
    explicit node_arrays(unsigned leaf_bytes = 2) noexcept : leaf_units_(leaf_bytes / 2) {}

    // Required by fib/layout.hpp.
    template <class Self, class Visit>
    static void for_each_array(Self& of, Visit&& visit) {
        visit("headers", of.headers_);
        visit("blocks", of.blocks_);
        visit("leaves", of.leaves_);
        visit("root", of.root_);
    }
    // Called after the arrays were read from a file.
    void set_leaf_bytes(unsigned bytes) noexcept { leaf_units_ = bytes / 2; }
    // Nodes must not share blocks or leaves.
    template <class A>
    void check(const layout_check& in, const next_hop_codec& codec) const {
        tree_check<A> tree(in, headers_.size());
        std::size_t blocks = 0, leaves = 0;
        tree.add(root_, 1, 0, nullptr);
        tree.for_each([&](std::uint32_t number, unsigned depth) {
            const header& node = at(number);
            in.require(node.stride >= 1 && node.stride <= widest_stride && depth + node.stride <= A::bits,
                       &node, "a node has an invalid stride");
            in.leads_into(blocks_, node.blocks, blocks_of(node.stride), &node);
            const counts has = check_blocks(in, node);
            in.leads_into(leaves_, node.leaves, std::size_t{has.runs} * leaf_units_, &node);
            blocks += blocks_of(node.stride);
            leaves += has.runs * leaf_units_;
            in.require(blocks <= blocks_.size() && leaves <= leaves_.size(), &node, "nodes overlap");
            for (std::uint32_t run = 0; run < has.runs; ++run)
                in.is_code(codec, code_of(node, run), leaves_.at(node.leaves + run * leaf_units_));
            tree.add(node.children, has.children, depth + node.stride, &node);
        });
    }

    struct counts {
        std::uint32_t children = 0, runs = 0;
    };
    counts counts_of(const header& of) const noexcept {
        const block& last = *blocks_.at(of.blocks + blocks_of(of.stride) - 1);
        return {last.children_before + static_cast<std::uint32_t>(std::popcount(last.child)),
                last.runs_before + static_cast<std::uint32_t>(std::popcount(last.run))};
    }
    // The bytes of a node, without its own header but with the headers of its children.
    std::uint32_t bytes_of(const header& of) const noexcept {
        const counts has = counts_of(of);
        return blocks_of(of.stride) * block_bytes + has.children * header_bytes + has.runs * leaf_bytes();
    }

    // Makes a node of these pieces with the stride and the marks of `like`. Returns the answer instead if all
    // slots have the same one. Throws std::bad_alloc, and std::length_error if an array has no numbers left.
    content make(const pieces& of, const header& like);
    // Always makes a node. Needed for a root with only one answer.
    header make_node(const pieces& of, const header& like);
    // Replaces a node by one with the pieces `by`.
    content replace(const header& old, const pieces& by) {
        release(old);
        return make(by, old);
    }
    pieces taken_apart(const header& of) const;
    // Frees the arrays of a node, but not those of its descendants.
    void release(const header& of) noexcept;
    void release_all(const header& of) noexcept;

    header& at(std::uint32_t number) noexcept { return *headers_.at(number); }
    const header& at(std::uint32_t number) const noexcept { return *headers_.at(number); }
    const header& root() const noexcept { return at(root_); }
    // Throws like make().
    void set_root(const header& to) {
        if (!has_root_)
            root_ = allocated(headers_, 1);
        has_root_ = true;
        at(root_) = to;
    }
    const block& block_at(std::uint32_t number) const noexcept { return *blocks_.at(number); }
    std::uint32_t code_of(const header& in, std::uint32_t run) const noexcept {
        const std::uint16_t* const at = leaves_.at(in.leaves + run * leaf_units_);
        if (leaf_units_ == 1)
            return *at;
        std::uint32_t code;
        std::memcpy(&code, at, sizeof code);
        return code;
    }

    trie_view view() const noexcept { return {headers_.data(), blocks_.data(), leaves_.data(), root_}; }
    unsigned leaf_bytes() const noexcept { return 2 * leaf_units_; }

    // The bytes of all nodes by the formula that budgets use, without rounding to block sizes.
    std::uint64_t planned_bytes() const noexcept { return bytes_ + header_bytes; }
    std::size_t memory_bytes() const noexcept {
        return headers_.memory_bytes() + blocks_.memory_bytes() + leaves_.memory_bytes();
    }
    // Bytes in use.
    std::size_t live_bytes() const noexcept {
        return headers_.live_elements() * sizeof(header) + blocks_.live_elements() * sizeof(block) +
               leaves_.live_elements() * sizeof(std::uint16_t);
    }
    bool sparse() const noexcept { return headers_.sparse() || blocks_.sparse() || leaves_.sparse(); }
    // Copies all nodes into arrays without free elements, each node before its children. Throws like make(),
    // without a change.
    node_arrays copied() const;

  private:
    // Checks that each slot without a child has a leaf.
    counts check_blocks(const layout_check& in, const header& of) const;
    template <class Pool>
    static std::uint32_t allocated(Pool& pool, std::uint32_t count) {
        const std::uint32_t got = pool.allocate(count);
        if (got == Pool::nil)
            fail(pool.shortage(count));
        return got;
    }
    static counts counts_of(const pieces& of) noexcept;
    [[noreturn]] static void fail(errc why) {
        if (why == errc::capacity)
            throw std::length_error("nodes or leaves of a Neurotrie");
        throw std::bad_alloc();
    }
    template <class Pool>
    static void reserve(Pool& pool, std::size_t elements) {
        if (!pool.reserve(elements))
            fail(pool.shortage(elements));
    }
    void set_code(const header& in, std::uint32_t run, std::uint32_t code) noexcept {
        std::uint16_t* const at = leaves_.at(in.leaves + run * leaf_units_);
        if (leaf_units_ == 1)
            *at = static_cast<std::uint16_t>(code);
        else
            std::memcpy(at, &code, sizeof code);
    }
    void count_before(const header& in) noexcept;
    void copy(const header& from, node_arrays& to, std::uint32_t number) const;

    block_pool<header, most_slots, near_sizes<header, most_slots>> headers_;
    block_pool<block, most_slots / block_slots, powers_of_two<block, most_slots / block_slots>> blocks_;
    block_pool<std::uint16_t, 2 * most_slots, near_sizes<std::uint16_t, 2 * most_slots>> leaves_;
    std::uint32_t root_ = 0;
    bool has_root_ = false;
    unsigned leaf_units_;
    std::uint64_t bytes_ = 0; // bytes of all nodes, without the root's header
};

} // namespace fingerpost::neurotrie
