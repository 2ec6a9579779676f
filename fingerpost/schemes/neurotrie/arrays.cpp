// Makes nodes from pieces, and pieces from nodes.
#include "fingerpost/schemes/neurotrie/arrays.hpp"

namespace fingerpost::neurotrie {

namespace {

constexpr std::uint32_t no_code = 0xffffffff; // not the code of an answer

} // namespace

node_arrays::counts node_arrays::counts_of(const pieces& of) noexcept {
    counts need;
    std::uint32_t last = no_code;
    for (const piece& p : of) {
        if (p.has.is_node) {
            ++need.children;
        } else if (p.has.code != last) {
            ++need.runs;
            last = p.has.code;
        }
    }
    return need;
}

content node_arrays::make(const pieces& of, const header& like) {
    const counts need = counts_of(of);
    if (need.children == 0 && need.runs == 1)
        return of.front().has;
    return node_with(make_node(of, like));
}

header node_arrays::make_node(const pieces& of, const header& like) {
    const counts need = counts_of(of);
    header node = like;
    node.blocks = allocated(blocks_, blocks_of(node.stride));
    node.children = need.children > 0 ? allocated(headers_, need.children) : 0;
    node.leaves = need.runs > 0 ? allocated(leaves_, need.runs * leaf_units_) : 0;
    std::uint32_t child = 0, run = 0, last = no_code;
    for (const piece& p : of) {
        block& in = *blocks_.at(node.blocks + p.slot / block_slots);
        const std::uint64_t bit = std::uint64_t{1} << (p.slot % block_slots);
        if (p.has.is_node) {
            in.child |= bit;
            at(node.children + child++) = p.has.below;
        } else if (p.has.code != last) {
            in.run |= bit;
            last = p.has.code;
            set_code(node, run++, last);
        }
    }
    count_before(node);
    bytes_ += bytes_of(node);
    return node;
}

node_arrays::counts node_arrays::check_blocks(const layout_check& in, const header& of) const {
    counts has;
    for (std::uint32_t i = 0; i < blocks_of(of.stride); ++i) {
        const block& b = block_at(of.blocks + i);
        in.require(b.children_before == has.children && b.runs_before == has.runs, &b,
                   "the counts of a block are wrong");
        const auto first_leaf = static_cast<unsigned>(std::countr_one(b.child));
        in.require(has.runs > 0 || first_leaf >= std::min(block_slots, 1u << of.stride) ||
                       static_cast<unsigned>(std::countr_zero(b.run)) <= first_leaf,
                   &b, "a slot has no leaf");
        has.children += static_cast<std::uint32_t>(std::popcount(b.child));
        has.runs += static_cast<std::uint32_t>(std::popcount(b.run));
    }
    return has;
}

void node_arrays::count_before(const header& in) noexcept {
    counts before;
    for (std::uint32_t i = 0; i < blocks_of(in.stride); ++i) {
        block& b = *blocks_.at(in.blocks + i);
        b.children_before = before.children;
        b.runs_before = before.runs;
        before.children += static_cast<std::uint32_t>(std::popcount(b.child));
        before.runs += static_cast<std::uint32_t>(std::popcount(b.run));
    }
}

// A piece starts at each child, at each run, and where a run continues after a child.
pieces node_arrays::taken_apart(const header& of) const {
    const counts has = counts_of(of);
    pieces result;
    result.reserve(2 * has.children + has.runs);
    // The first slot does not follow a child. In a block with fewer slots, nothing follows the last one.
    const std::uint64_t slots = low_mask<std::uint64_t>(std::min(block_slots, 1u << of.stride));
    std::uint32_t child = 0, run = 0, code = 0;
    bool behind_child = false;
    for (std::uint32_t i = 0; i < blocks_of(of.stride); ++i) {
        const block& b = block_at(of.blocks + i);
        const std::uint64_t resumed = (b.child << 1 | (behind_child ? 1 : 0)) & ~b.child & ~b.run & slots;
        behind_child = (b.child >> 63) != 0;
        for (std::uint64_t left = b.child | b.run | resumed; left != 0; left &= left - 1) {
            const auto bit = static_cast<unsigned>(std::countr_zero(left));
            const std::uint32_t slot = i * block_slots + bit;
            if ((b.child >> bit & 1) != 0) {
                result.push_back({slot, node_with(at(of.children + child++))});
                continue;
            }
            if ((b.run >> bit & 1) != 0)
                code = code_of(of, run++);
            result.push_back({slot, leaf_with(code)});
        }
    }
    return result;
}

void node_arrays::release(const header& of) noexcept {
    const counts has = counts_of(of);
    bytes_ -= bytes_of(of);
    blocks_.release(of.blocks, blocks_of(of.stride));
    if (has.children > 0)
        headers_.release(of.children, has.children);
    if (has.runs > 0)
        leaves_.release(of.leaves, has.runs * leaf_units_);
}

void node_arrays::release_all(const header& of) noexcept {
    const std::uint32_t children = counts_of(of).children;
    for (std::uint32_t i = 0; i < children; ++i)
        release_all(header{at(of.children + i)});
    release(of);
}

node_arrays node_arrays::copied() const {
    node_arrays to(leaf_bytes());
    reserve(to.headers_, headers_.live_elements());
    reserve(to.blocks_, blocks_.live_elements());
    reserve(to.leaves_, leaves_.live_elements());
    to.set_root(root());
    copy(root(), to, to.root_);
    to.bytes_ = bytes_;
    return to;
}

void node_arrays::copy(const header& from, node_arrays& to, std::uint32_t number) const {
    const counts has = counts_of(from);
    header target = from;
    target.blocks = allocated(to.blocks_, blocks_of(from.stride));
    std::copy_n(blocks_.at(from.blocks), blocks_of(from.stride), to.blocks_.at(target.blocks));
    if (has.runs > 0) {
        target.leaves = allocated(to.leaves_, has.runs * leaf_units_);
        std::copy_n(leaves_.at(from.leaves), has.runs * leaf_units_, to.leaves_.at(target.leaves));
    }
    if (has.children > 0)
        target.children = allocated(to.headers_, has.children);
    to.at(number) = target;
    for (std::uint32_t i = 0; i < has.children; ++i)
        copy(at(from.children + i), to, target.children + i);
}

} // namespace fingerpost::neurotrie
