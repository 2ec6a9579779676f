// Computes the counts of each vertex and stride from those of its two sides.
#include "fingerpost/schemes/neurotrie/vertices.hpp"

#include <algorithm>

#include "fingerpost/base/narrow.hpp"

namespace fingerpost::neurotrie {

// The contribution of a side to the nodes above it, by its distance below their vertex minus one.
vertex_list::profile vertex_list::profile_of(const side& on) noexcept {
    if (on.is_inner) {
        const profile top = open_.back();
        open_.pop_back();
        return top;
    }
    profile uniform;
    uniform.runs.fill(1);
    uniform.first.fill(on.number);
    uniform.last.fill(on.number);
    return uniform;
}

std::uint32_t vertex_list::close(unsigned depth, const std::array<side, 2>& sides, double weight) {
    vertex v{
        .sides = sides, .at = bytes_.size(), .depth = static_cast<std::uint8_t>(depth), .weight = weight};
    for (const side& on : sides)
        if (on.is_inner) {
            const vertex& below = all_[on.number];
            v.inner += below.inner;
            v.height = std::max(v.height, static_cast<std::uint8_t>(below.height + 1));
        }
    v.strides = static_cast<std::uint8_t>(std::min<unsigned>(v.height, widest_stride));

    // The right side was closed last.
    const profile right = profile_of(sides[1]), left = profile_of(sides[0]);
    profile own;
    own.children[0] = 1;
    own.first[0] = own.last[0] = no_answer;
    own.weights[0] = static_cast<float>(weight);
    for (unsigned s = 1; s <= widest_stride; ++s) {
        own.children[s] = left.children[s - 1] + right.children[s - 1];
        own.weights[s] = left.weights[s - 1] + right.weights[s - 1];
        const std::uint32_t before = left.last[s - 1], after = right.first[s - 1];
        own.runs[s] = left.runs[s - 1] + right.runs[s - 1];
        own.runs[s] -= before == after && before != no_answer ? 1 : 0;
        own.first[s] = left.first[s - 1] != no_answer ? left.first[s - 1] : after;
        own.last[s] = right.last[s - 1] != no_answer ? right.last[s - 1] : before;
    }
    for (unsigned s = 1; s <= v.strides; ++s) {
        bytes_.push_back(blocks_of(s) * block_bytes + own.children[s] * header_bytes +
                         own.runs[s] * leaf_bytes_);
        children_.push_back(own.children[s]);
        weights_.push_back(own.weights[s]);
    }
    open_.push_back(own);
    last_ = to_u32(all_.size(), "vertices");
    all_.push_back(v);
    return last_;
}

} // namespace fingerpost::neurotrie
