// Visits the nodes of a trie from a file, for check(); see fib/layout.hpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "fingerpost/fib/layout.hpp"

namespace fingerpost {

// Nodes are numbered, and each has one parent. So every descent ends, and each node is visited at most once.
template <class A>
class tree_check {
  public:
    tree_check(const layout_check& in, std::size_t nodes) : in_(in), nodes_(nodes) {}

    // Adds the `count` nodes from `first`, to which the reference at `at` leads. They use the address bits
    // from `depth`.
    void add(std::uint32_t first, std::uint32_t count, unsigned depth, const void* at) {
        in_.require(count <= nodes_ - seen_ && first <= nodes_ - count, at, "nodes are missing or shared");
        in_.require(count == 0 || depth < A::bits, at, "a node tests bits past the end of an address");
        seen_ += count;
        for (std::uint32_t i = 0; i < count; ++i)
            left_.push_back({first + i, depth});
    }
    // Calls visit(number, depth) for the added nodes and for those that it adds.
    template <class Visit>
    void for_each(Visit visit) {
        while (!left_.empty()) {
            const place next = left_.back();
            left_.pop_back();
            visit(next.number, next.depth);
        }
    }

  private:
    struct place {
        std::uint32_t number;
        unsigned depth;
    };

    const layout_check& in_;
    std::size_t nodes_;
    std::size_t seen_ = 0;
    std::vector<place> left_;
};

} // namespace fingerpost
