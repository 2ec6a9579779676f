// Searches several prefixes in a path-compressed trie. The searches are interleaved to overlap their memory
// accesses.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>

#include "fingerpost/rib/path_nodes.hpp"
#include "fingerpost/rib/path_surroundings.hpp"

namespace fingerpost::detail {

// One search: walks down to the first node that is not shorter, then on to a route, whose key shows how far
// the walk was right.
template <class A>
class path_search {
    using nodes = path_nodes<A>;
    using link = typename nodes::link;

  public:
    // Starts at `root`, which must not be nil.
    void start(const nodes& in, link root, const prefix<A>& p) noexcept {
        in_ = &in;
        sought_ = p;
        at_ = root;
        end_ = nodes::nil;
        count_ = 0;
    }
    // Moves one node down and prefetches the next. Returns false at the end.
    bool step() noexcept {
        link next = nodes::nil;
        if (end_ == nodes::nil) {
            way_[count_++] = at_;
            if (const unsigned length = in_->length_of(at_); length < sought_.length)
                next = in_->children_of(at_)[nodes::branch(sought_.base.value, length)];
            else
                end_ = at_;
        }
        if (end_ != nodes::nil && nodes::is_fork(at_))
            next = in_->fork_at(at_).child[0];
        if (next == nodes::nil)
            return false;
        at_ = next;
        __builtin_prefetch(in_->children_of(at_));
        return true;
    }
    path_surroundings result() const noexcept {
        path_surroundings surroundings;
        // Nodes on the path share their bits with any key at its end.
        const unsigned common = common_length(sought_.base, A{in_->route_at(at_).key});
        for (unsigned i = count_; i-- > 0;) {
            if (nodes::is_fork(way_[i]))
                continue;
            const auto& above = in_->route_at(way_[i]);
            if (above.length < sought_.length && above.length <= common) {
                surroundings.cover = above.hop;
                surroundings.cover_length = above.length;
                break;
            }
        }
        if (end_ == nodes::nil || common < sought_.length)
            return surroundings;
        surroundings.covers_nothing = false;
        if (!nodes::is_fork(end_) && in_->route_at(end_).length == sought_.length) {
            const auto& own = in_->route_at(end_);
            surroundings.hop = own.hop;
            surroundings.covers_nothing = own.child[0] == nodes::nil && own.child[1] == nodes::nil;
        }
        return surroundings;
    }

  private:
    const nodes* in_ = nullptr;
    prefix<A> sought_{};
    link at_ = nodes::nil;
    link end_ = nodes::nil; // first node that is not shorter; nil until the search reaches it
    unsigned count_ = 0;
    std::array<link, A::bits + 1> way_;
};

// Searches from `root`, which is nil for an empty trie. `results` is as long as `sought`.
template <class A>
void search_paths(const path_nodes<A>& in, typename path_nodes<A>::link root,
                  std::span<const prefix<A>> sought, std::span<path_surroundings> results) noexcept {
    constexpr std::size_t together = 8;
    if (root == path_nodes<A>::nil) {
        std::fill_n(results.begin(), sought.size(), path_surroundings{});
        return;
    }
    std::array<path_search<A>, together> searches;
    for (std::size_t first = 0; first < sought.size(); first += together) {
        const std::size_t count = std::min(together, sought.size() - first);
        for (std::size_t i = 0; i < count; ++i)
            searches[i].start(in, root, sought[first + i]);
        for (unsigned under_way = (1u << count) - 1; under_way != 0;)
            for (unsigned left = under_way; left != 0; left &= left - 1)
                if (const auto i = static_cast<unsigned>(std::countr_zero(left)); !searches[i].step())
                    under_way &= ~(1u << i);
        for (std::size_t i = 0; i < count; ++i)
            results[first + i] = searches[i].result();
    }
}

} // namespace fingerpost::detail
