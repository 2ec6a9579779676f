// Prints a map or its image as a tree, with each prefix below the longest prefix that covers it:
//
//      ├─ 10.0.0.0/8 Zurich
//      │  ├─ 10.1.0.0/16 Bern
//      │  └─ 10.2.0.0/16 Basel
//      └─ 2001:db8::/32 Geneva
#pragma once

#include <cstddef>
#include <ostream>
#include <string>
#include <vector>

#include "fingerpost/map/map_queries.hpp"

namespace fingerpost {

namespace detail {

template <class Self, class T>
void write_twigs(std::ostream& out, const map_queries<Self, T>& of,
                 const std::vector<map_entry<any_prefix, T>>& entries, std::string& indent) {
    for (std::size_t i = 0; i < entries.size(); ++i) {
        const bool is_last = i + 1 == entries.size();
        out << indent << (is_last ? "└─ " : "├─ ") << entries[i].where << ' ' << *entries[i].value << '\n';
        const std::size_t before = indent.size();
        indent += is_last ? "   " : "│  ";
        write_twigs(out, of, of.children(entries[i].where), indent);
        indent.resize(before);
    }
}

} // namespace detail

// IPv4 first, each family in prefix order. T needs operator<<. Throws std::bad_alloc.
template <class Self, class T>
void write_tree(std::ostream& out, const map_queries<Self, T>& of) {
    std::vector<map_entry<any_prefix, T>> roots;
    for (const any_prefix& whole : {any_prefix(ipv4_prefix{}), any_prefix(ipv6_prefix{})}) {
        const auto add = [&](const auto& entries) {
            roots.insert(roots.end(), entries.begin(), entries.end());
        };
        if (const T* const value = of.find(whole); value != nullptr)
            roots.push_back({whole, value});
        else
            add(of.children(whole));
    }
    std::string indent;
    detail::write_twigs(out, of, roots, indent);
}

} // namespace fingerpost
