// What makes one table another: the routes that are added or removed, or lead elsewhere.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "cli/route_text.hpp"
#include "io/format/table.hpp"

namespace fingerpost::cli {

enum class difference_kind : std::uint8_t { added, removed, changed };

template <class A>
struct route_difference {
    difference_kind kind;
    prefix<A> where;
    // Next hops, empty also for a route without one.
    std::string_view before{};
    std::string_view after{};
};

// Of routes.
struct difference_counts {
    std::size_t added = 0;
    std::size_t removed = 0;
    std::size_t changed = 0;
    std::size_t same = 0;

    bool has_any() const noexcept { return added + removed + changed != 0; }
};

// Calls each(route_difference<A>) in prefix order. Next hops are compared by their names, as each table has
// numbers of its own.
template <class A, class Each>
difference_counts for_each_difference(const io::loaded_table<A>& before, const io::loaded_table<A>& after,
                                      Each each) {
    const auto name_before = [&](const route<A>& r) { return before.values[r.hop]; };
    const auto name_after = [&](const route<A>& r) { return after.values[r.hop]; };
    difference_counts counts;
    auto old_one = before.routes.begin();
    auto new_one = after.routes.begin();
    const auto old_end = before.routes.end();
    const auto new_end = after.routes.end();
    while (old_one != old_end || new_one != new_end) {
        if (new_one == new_end || (old_one != old_end && old_one->where < new_one->where)) {
            each(route_difference<A>{difference_kind::removed, old_one->where, name_before(*old_one), {}});
            ++counts.removed;
            ++old_one;
        } else if (old_one == old_end || new_one->where < old_one->where) {
            each(route_difference<A>{difference_kind::added, new_one->where, {}, name_after(*new_one)});
            ++counts.added;
            ++new_one;
        } else {
            const std::string_view from = name_before(*old_one), to = name_after(*new_one);
            if (from != to)
                each(route_difference<A>{difference_kind::changed, old_one->where, from, to});
            ++(from == to ? counts.same : counts.changed);
            ++old_one;
            ++new_one;
        }
    }
    return counts;
}

// The line of an updates file (io/format/updates.hpp) that makes this difference.
template <class A>
void append_update(const route_difference<A>& d, std::string& out) {
    out += d.kind == difference_kind::removed ? "W " : "A ";
    append_route(d.where, d.after, out);
}

} // namespace fingerpost::cli
