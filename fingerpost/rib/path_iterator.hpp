// Visits the routes of a path-compressed trie in prefix order.
#pragma once

#include <array>
#include <cstddef>

#include "fingerpost/rib/path_nodes.hpp"

namespace fingerpost::detail {

// Walks a sub-tree in prefix order: a node, then its child 0, then its child 1. The stack holds child 1 of
// the nodes above, at most one for each length, and the child 0 pushed last.
template <class A>
class path_iterator {
    using nodes = path_nodes<A>;
    using link = typename nodes::link;

  public:
    using value_type = route<A>;
    using difference_type = std::ptrdiff_t;

    path_iterator() = default;
    path_iterator(const nodes& trie, link top) noexcept : trie_(&trie) {
        push(top);
        advance();
    }
    path_iterator(const nodes& trie, link top, const prefix<A>& last) noexcept : trie_(&trie) {
        push_after(top, last);
        advance();
    }

    route<A> operator*() const noexcept { return nodes::make_route(trie_->route_at(at_)); }
    path_iterator& operator++() noexcept {
        push_children();
        advance();
        return *this;
    }
    void operator++(int) noexcept { ++*this; }
    // Moves to the next route that this one does not cover.
    path_iterator& skip_covered() noexcept {
        advance();
        return *this;
    }
    friend bool operator==(const path_iterator& i, end_of_routes) noexcept { return i.ended(); }

  private:
    bool ended() const noexcept { return at_ == nodes::nil; }
    void push(link l) noexcept {
        if (l != nodes::nil)
            waiting_[count_++] = l;
    }
    void push_children() noexcept {
        const link* child = trie_->children_of(at_);
        push(child[1]);
        push(child[0]);
    }
    // Pushes the routes after `last`: sub-trees that follow its path, then everything that it covers.
    void push_after(link at, const prefix<A>& last) noexcept {
        while (at != nodes::nil) {
            const prefix<A> where = prefix<A>::make(A{trie_->key_below(at)}, trie_->length_of(at));
            if (last < where)
                return push(at);
            const link* const child = trie_->children_of(at);
            if (where == last) {
                push(child[1]);
                return push(child[0]);
            }
            if (!where.covers(last))
                return;
            const unsigned side = nodes::branch(last.base.value, where.length);
            if (side == 0)
                push(child[1]);
            at = child[side];
        }
    }
    void advance() noexcept {
        for (at_ = nodes::nil; count_ > 0; push_children()) {
            at_ = waiting_[--count_];
            if (!nodes::is_fork(at_))
                return;
        }
        at_ = nodes::nil;
    }

    const nodes* trie_ = nullptr;
    link at_ = nodes::nil;
    unsigned count_ = 0;
    std::array<link, A::bits + 1> waiting_{};
};

} // namespace fingerpost::detail
