// The learned chooser chooses the stride of a vertex from sums at that vertex, before any stride below it is
// chosen.
//
// It has two parts, which were fitted to the exact chooser's decisions for other tables
// (lab/training/train_neurotrie.py):
//
// - The value of a vertex estimates the cost of the trie below it: a * weight + price * (b + c * inner). It
// is
//   additive over vertices. So the score of a stride, which is the price of the node plus the value of its
//   children, follows from three sums that each vertex has for each stride.
// - A network corrects the scores. It has 68 inputs, two layers of 32 and one output for each stride, which
//   is added to -8 times the logarithm of the stride's relative score.
//
// a, b and c are given at some prices, and interpolated linearly in the logarithm of the price.
#pragma once

#include <array>
#include <cstdint>

#include "fingerpost/schemes/neurotrie/vertices.hpp"

namespace fingerpost::neurotrie {

class learned_rule {
  public:
    // The range of prices of a byte, in visits of a node, for which the rule was fitted.
    static constexpr double cheapest = 1e-5;
    static constexpr double dearest = 30;

    learned_rule(const vertex_list& vertices, double price) noexcept;

    unsigned stride(const vertex& of) const noexcept;

  private:
    static constexpr unsigned per_stride = 4; // inputs for each stride
    static constexpr unsigned of_vertex = 4;
    static constexpr unsigned input_count = per_stride * widest_stride + of_vertex;
    using inputs = std::array<float, input_count>;

    inputs inputs_of(const vertex& v) const noexcept;

    const vertex_list& all_;
    double price_;
    double per_weight_, per_child_, per_inner_; // a, b and c at this price
};

} // namespace fingerpost::neurotrie
