// The learned chooser: chooses the stride of one vertex from sums at that vertex, before anything below it is
// chosen.
//
// It has two parts, both fitted to what the exact chooser does for other tables
// (lab/training/train_neurotrie.py):
//
// - The value of a vertex, an estimate of what the trie below it will cost: a * weight + price * (b + c *
// inner vertices).
//   It adds up over vertices, so a stride's score is the price of its node and the value of its children,
//   from three sums that are known for each stride.
// - A network that corrects the scores: 68 inputs, two layers of 32, an output for each stride, which is
// added
//   to -8 times the logarithm of its relative score.
//
// a, b and c are known at some prices and linear in the logarithm of the price between these.
#pragma once

#include <array>
#include <cstdint>

#include "fingerpost/schemes/neurotrie/vertices.hpp"

namespace fingerpost::neurotrie {

class learned_rule {
  public:
    // The prices of a byte, in visits of a node, for which it was fitted.
    static constexpr double cheapest = 1e-5;
    static constexpr double dearest = 30;

    learned_rule(const vertex_list& all, double price) noexcept;

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
