// Visits hash tables of prefixes; see fib/inspectable.hpp.
//
// A search for any address may read any slot. So the slots of a table are one node, which covers all
// addresses. The entries are separate nodes without bytes; their offset is that of the slot or bucket where a
// search for them ends.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "fingerpost/fib/inspectable.hpp"
#include "fingerpost/fib/parts/lengths/prefix_table.hpp"

namespace fingerpost {

// Visits the buckets of a table. Visits nothing if the table has no memory.
template <class A, class Key>
void visit_buckets(const prefix_table<Key>& table, std::string_view part, node_visitor<A> each) {
    if (table.bucket_count() == 0)
        return;
    each({.first = A::first(),
          .last = A::last(),
          .kind = "buckets",
          .part = part,
          .bytes = table.bucket_count() * sizeof(prefix_bucket<Key>),
          .contents = [&](node_contents& to) {
              to.numbers.push_back({"buckets", table.bucket_count()});
              to.numbers.push_back({"entries", table.size()});
          }});
}

// An entry, without its position and contents.
template <class A>
structure_node<A> hashed_entry(const prefix<A>& where, std::string_view kind, std::string_view part,
                               std::uint64_t offset) {
    return {.first = where.first(),
            .last = where.last(),
            .kind = kind,
            .part = part,
            .offset = offset,
            .bits = where.length};
}
// Adds the key: the bits of the prefix.
template <class A>
void show_key(const prefix<A>& where, node_contents& to) {
    to.with = compared::keys;
    to.values.push_back(slice(where.base, 0, where.length));
}

} // namespace fingerpost
