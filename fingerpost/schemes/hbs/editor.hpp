// Changes of an HBS: inserts and removes routes with their markers, adds lengths, and rotates the tree.
//
// Invariants: every entry has the best match of its own bits; every route has an entry at each length where
// the search for it goes right; and the origins of this entry contain the route's length. Surplus origins or
// markers never make an answer wrong. So the editor lets some of them stay for a while:
//
//     users      an entry counts the routes that have it as a marker, and is removed with the last one.
//                Above 254 it stops counting, and the marker stays.
//     origins    gain a length with a new route. When a route goes, others may still have its length, so the
//                length stays as long as the entry.
//
// This surplus is counted, and a FIB requests a rebuild (errc::capacity) when it reaches 1/8 of the routes.
// Rotations make origins exact.
//
// Changes may be coalesced and arrive in any order (docs/inside/patching.md). So the best match of an entry
// is always searched for among the routes in the store, because the cover in a change may be out of date.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

#include "fingerpost/fib/parts/lengths/length_store.hpp"
#include "fingerpost/rib/change.hpp"
#include "fingerpost/schemes/hbs/marker_list.hpp"

namespace fingerpost::hbs {

// After any result other than errc::ok, the store may only be destroyed.
template <class A>
class editor {
    using word = length_search::entry_word;
    using answer = length_search::answer;
    using tree_type = length_tree<A>;

  public:
    editor() = default;
    editor(const length_store<A>& store, length_counts<A> counts)
        : markers_(store), counts_(std::move(counts)), sets_when_made_(store.sets.size()) {
        counts_[0] = 0;
        routes_ = std::accumulate(counts_.begin(), counts_.end(), std::size_t{0});
        routes_when_made_ = routes_;
        cost_when_made_ = cost_of_a_route(store.tree);
    }

    // Throws std::bad_alloc.
    errc apply(length_store<A>& store, const change<A>& c) {
        if (c.after != next_hop::none && !store.codec.can_encode(c.after) && !store.codec.add(c.after))
            return errc::capacity;
        if (c.where.length == 0) {
            store.default_code = store.codec.encode(c.after);
            return errc::ok;
        }
        errc done = c.after == next_hop::none ? withdraw(store, c.where)
                                              : announce(store, c.where, store.codec.encode(c.after));
        if (done == errc::ok && ++changes_ % (routes_ / 16 + 1024) == 0)
            done = rotate_if_that_pays(store);
        if (done != errc::ok)
            return done;
        store.steps.add_rows(store.tree, store.sets);
        // Unused sets accumulate as routes change, and remain when routes are removed.
        if (store.sets.size() > sets_when_made_ + sets_when_made_ / 32 + 32 ||
            routes_ + routes_when_made_ / 8 + 64 < routes_when_made_)
            drop_unused_sets(store);
        store.describe_lengths();
        return surplus_ > routes_ / 8 + 256 ? errc::capacity : errc::ok;
    }

    // Whether the node of this length can be rotated so that its left or right child takes its place. False
    // without such a child.
    bool can_raise(const length_store<A>& store, unsigned length, bool left) const noexcept {
        const std::uint8_t at = store.tree.find(length);
        return at != tree_type::none &&
               (left ? store.tree[at].left : store.tree[at].right) != tree_type::none;
    }
    // Throws std::bad_alloc.
    errc raise(length_store<A>& store, unsigned length, bool left) {
        const std::uint8_t number = store.tree.find(length);
        const auto& upper = store.tree[number];
        // If the left child rises, routes of these lengths now go right at it. If the right child rises, they
        // no longer go right at the node that sinks.
        const std::uint8_t child = left ? upper.left : upper.right;
        const unsigned at = left ? store.tree[child].length : length;
        const auto& gains = left ? upper : store.tree[child];
        const length_set<A> moved = set_of_length<A>(gains.length) | store.tree.below(gains.right);
        const std::vector<prefix<A>> routes_moved = routes_of(store, moved, prefix<A>{});
        if (left)
            store.tree.raise_left(number);
        else
            store.tree.raise_right(number);
        const std::size_t surplus = surplus_;
        for (const prefix<A>& where : routes_moved) {
            const auto marker = prefix<A>::make(where.base, at);
            const errc done = left ? mark(store, marker, where.length) : unmark(store, marker);
            if (done != errc::ok)
                return done;
        }
        if (!left)
            drop_origins(store, at, moved);
        surplus_ = surplus;
        store.steps = length_steps<A>(store.tree, store.sets);
        store.describe_lengths();
        ++rotations_;
        return errc::ok;
    }

    std::size_t rotations() const noexcept { return rotations_; }
    std::size_t surplus() const noexcept { return surplus_; }
    std::size_t memory_bytes() const noexcept {
        return markers_.memory_bytes() + counts_.capacity() * sizeof(counts_[0]);
    }

  private:
    struct match {
        std::uint32_t code = 0;
        unsigned length = 0;
    };

    // The longest route, at most `longest` bits long, that covers a prefix; except /0.
    static match longest_match(const length_store<A>& store, const prefix<A>& where, unsigned longest) {
        for (std::size_t i = store.tree.size(); i-- > 0;) {
            const unsigned length = store.tree[i].length;
            if (length > longest)
                continue;
            const std::uint64_t* entry = store.find(prefix<A>::make(where.base, length));
            if (entry != nullptr && word::is_route(*entry))
                return {answer::code(word::answer_of(*entry)), length};
        }
        return {};
    }
    static std::uint64_t make_word(std::uint32_t code, std::uint32_t origins, unsigned best_length,
                                   std::uint32_t users, bool is_route) noexcept {
        return word::make(answer::make(code, origins), best_length, users, is_route);
    }
    static length_set<A> origins_of(const length_store<A>& store, std::uint64_t entry) noexcept {
        return store.sets[answer::origins(word::answer_of(entry))];
    }
    // Replaces the origins and the users of an entry.
    static void rewrite(std::uint64_t& entry, std::uint32_t origins, std::uint32_t users) noexcept {
        length_store<A>::narrow_table::keep(entry, make_word(answer::code(word::answer_of(entry)), origins,
                                                             word::best_length(entry), users,
                                                             word::is_route(entry)));
    }
    static void rewrite_best(std::uint64_t& entry, match best, bool is_route) noexcept {
        length_store<A>::narrow_table::keep(entry,
                                            make_word(best.code, answer::origins(word::answer_of(entry)),
                                                      best.length, word::users(entry), is_route));
    }

    // Adds a route of this length to the users of a marker.
    errc mark(length_store<A>& store, const prefix<A>& marker, unsigned length) {
        const length_set<A> own = set_of_length<A>(length);
        if (std::uint64_t* entry = store.find(marker); entry != nullptr) {
            const length_set<A> origins = origins_of(store, *entry) | own;
            rewrite(*entry, store.origins_number(origins), word::users(*entry) + 1);
            return errc::ok;
        }
        const match best = longest_match(store, marker, marker.length);
        markers_.add(marker);
        return store.insert(marker, make_word(best.code, store.origins_number(own), best.length, 1, false));
    }
    // Removes one user of a marker.
    errc unmark(length_store<A>& store, const prefix<A>& marker) {
        std::uint64_t* entry = store.find(marker);
        if (entry == nullptr)
            return errc::invalid;
        const std::uint32_t users = word::users(*entry);
        if (users == 1 && !word::is_route(*entry)) {
            markers_.remove(marker);
            store.erase(marker);
        } else if (users == 1) {
            rewrite(*entry, store.origins_number(set_of_length<A>(marker.length)), 0);
        } else {
            ++surplus_;
            if (users < word::most_users)
                rewrite(*entry, answer::origins(word::answer_of(*entry)), users - 1);
        }
        return errc::ok;
    }

    errc announce(length_store<A>& store, const prefix<A>& where, std::uint32_t code) {
        const match self{code, where.length};
        std::uint64_t* entry = store.find(where);
        if (entry != nullptr && word::is_route(*entry)) {
            rewrite_best(*entry, self, true);
        } else {
            if (store.tree.find(where.length) == tree_type::none) {
                store.tree.add_leaf(where.length);
                store.steps = length_steps<A>(store.tree, store.sets);
            }
            const length_set<A> own = set_of_length<A>(where.length);
            if (entry != nullptr) {
                rewrite(*entry, store.origins_number(origins_of(store, *entry) | own), word::users(*entry));
                rewrite_best(*entry, self, true);
                markers_.remove(where);
            } else if (const errc done = store.insert(
                           where, make_word(code, store.origins_number(own), where.length, 0, true));
                       done != errc::ok) {
                return done;
            }
            errc done = errc::ok;
            store.tree.for_each_marker(where.length, [&](unsigned length) {
                if (done == errc::ok)
                    done = mark(store, prefix<A>::make(where.base, length), where.length);
            });
            if (done != errc::ok)
                return done;
            ++counts_[where.length];
            ++routes_;
            add_front_origin(store, where);
        }
        markers_.for_each_below(where, [&](const prefix<A>& marker) {
            std::uint64_t& below = *store.find(marker);
            if (word::best_length(below) <= where.length)
                rewrite_best(below, self, false);
        });
        paint_front(store, where);
        return errc::ok;
    }
    errc withdraw(length_store<A>& store, const prefix<A>& where) {
        std::uint64_t* entry = store.find(where);
        if (entry == nullptr || !word::is_route(*entry))
            return errc::ok;
        const match instead = longest_match(store, where, where.length - 1u);
        if (word::users(*entry) == 0) {
            store.erase(where);
        } else {
            const length_set<A> origins =
                origins_of(store, *entry) & static_cast<length_set<A>>(~set_of_length<A>(where.length));
            rewrite(*entry, store.origins_number(origins), word::users(*entry));
            rewrite_best(*entry, instead, false);
            markers_.add(where);
        }
        errc done = errc::ok;
        store.tree.for_each_marker(where.length, [&](unsigned length) {
            if (done == errc::ok)
                done = unmark(store, prefix<A>::make(where.base, length));
        });
        if (done != errc::ok)
            return done;
        --counts_[where.length];
        --routes_;
        if (where.length > store.front.bits() && store.front.size() > 0)
            ++surplus_;
        markers_.for_each_below(where, [&](const prefix<A>& marker) {
            std::uint64_t& below = *store.find(marker);
            if (word::best_length(below) == where.length)
                rewrite_best(below, instead, false);
        });
        paint_front(store, where);
        return errc::ok;
    }

    static void add_front_origin(length_store<A>& store, const prefix<A>& where) {
        const auto slots = store.front.slots_of(where);
        if (where.length <= store.front.bits() || slots.first == slots.end)
            return;
        const length_set<A> longer = store.sets[answer::origins(store.front[slots.first])];
        store.front.set_origins(slots.first, store.origins_number(longer | set_of_length<A>(where.length)));
    }
    // Updates the front slots in a route's prefix after the route was added, removed or changed.
    static void paint_front(length_store<A>& store, const prefix<A>& where) {
        constexpr std::size_t few = 64;
        const auto slots = store.front.slots_of(where);
        const unsigned bits = store.front.bits();
        if (where.length > bits || slots.first == slots.end)
            return;
        if (slots.end - slots.first <= few) {
            for (std::size_t i = slots.first; i < slots.end; ++i)
                store.front.set_code({i, i + 1}, longest_match(store, store.front.prefix_of(i), bits).code);
            return;
        }
        store.front.set_code(slots, longest_match(store, where, where.length).code);
        std::vector<prefix<A>> inside = routes_of(store, lengths_up_to<A>(bits), where);
        std::sort(inside.begin(), inside.end()); // covers precede the routes that they cover
        for (const prefix<A>& inner : inside)
            store.front.set_code(store.front.slots_of(inner),
                                 answer::code(word::answer_of(*store.find(inner))));
    }

    // The routes of certain lengths within a prefix.
    static std::vector<prefix<A>> routes_of(const length_store<A>& store, length_set<A> lengths,
                                            const prefix<A>& in) {
        std::vector<prefix<A>> prefixes;
        store.for_each([&](const prefix<A>& where, std::uint64_t entry) {
            if (word::is_route(entry) && has_length<A>(lengths, where.length) && in.covers(where))
                prefixes.push_back(where);
        });
        return prefixes;
    }
    // Removes these origins from all entries of this length, and markers without other origins.
    void drop_origins(length_store<A>& store, unsigned length, length_set<A> dropped) {
        std::vector<prefix<A>> of_length;
        store.for_each([&](const prefix<A>& where, std::uint64_t) {
            if (where.length == length)
                of_length.push_back(where);
        });
        for (const prefix<A>& where : of_length) {
            std::uint64_t& entry = *store.find(where);
            if (answer::origins(word::answer_of(entry)) == 0)
                continue; // stands for all lengths, because set numbers have run out
            const length_set<A> origins = origins_of(store, entry) & static_cast<length_set<A>>(~dropped);
            if (origins != 0) {
                rewrite(entry, store.origins_number(origins), word::users(entry));
            } else {
                markers_.remove(where);
                store.erase(where);
            }
        }
    }
    // Renumbers the sets that are still used.
    void drop_unused_sets(length_store<A>& store) {
        origin_sets<A> used_sets;
        std::vector<std::uint32_t> kept_from{0}; // old number of each set that stays
        std::vector<std::uint32_t> new_number(store.sets.size());
        const auto moved = [&](std::uint32_t number) {
            if (number != 0 && new_number[number] == 0) {
                new_number[number] = used_sets.number_of(store.sets[number]);
                kept_from.push_back(number);
            }
            return new_number[number];
        };
        const auto of_table = [&](auto, unsigned, std::uint64_t& entry) {
            rewrite(entry, moved(answer::origins(word::answer_of(entry))), word::users(entry));
        };
        store.narrow.for_each(of_table);
        store.wide.for_each(of_table);
        for (std::size_t i = 0; i < store.front.size(); ++i)
            store.front.set_origins(i, moved(answer::origins(store.front[i])));
        store.sets = std::move(used_sets);
        store.steps.keep_rows(kept_from);
        sets_when_made_ = store.sets.size();
        routes_when_made_ = routes_;
    }

    double cost_of_a_route(const tree_type& tree) const {
        const std::vector<unsigned> depths = tree.depths();
        std::size_t sum = 0;
        for (std::size_t i = 0; i < tree.size(); ++i)
            sum += counts_[tree[i].length] * depths[i];
        return routes_ == 0 ? 0 : static_cast<double>(sum) / static_cast<double>(routes_);
    }
    // If routes have become 5 % deeper since the tree was made, does the best rotation, provided that it
    // gains as much.
    errc rotate_if_that_pays(length_store<A>& store) {
        constexpr double much = 1.05;
        const double current_cost = cost_of_a_route(store.tree);
        if (current_cost <= cost_when_made_ * much)
            return errc::ok;
        double least = current_cost / much;
        unsigned length = 0;
        bool left = false;
        for (const auto& node : store.tree.nodes())
            for (const bool side : {true, false}) {
                if (!can_raise(store, node.length, side))
                    continue;
                tree_type turned = store.tree;
                if (side)
                    turned.raise_left(turned.find(node.length));
                else
                    turned.raise_right(turned.find(node.length));
                if (const double cost = cost_of_a_route(turned); cost < least) {
                    least = cost;
                    length = node.length;
                    left = side;
                }
            }
        return length == 0 ? errc::ok : raise(store, length, left);
    }

    marker_list<A> markers_;
    length_counts<A> counts_; // routes of each length, except /0
    std::size_t routes_ = 0;
    std::size_t changes_ = 0;
    std::size_t surplus_ = 0; // withdrawals that may have left surplus origins or users
    std::size_t rotations_ = 0;
    std::size_t sets_when_made_ = 0;
    std::size_t routes_when_made_ = 0;
    double cost_when_made_ = 0;
};

} // namespace fingerpost::hbs
