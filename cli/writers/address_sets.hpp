// Tables as named sets of addresses, for firewalls.
//
// A set holds the addresses whose longest match has the set's value, as ranges that neither touch nor
// overlap. A route inside another with a different value is excluded from the outer route's set. So the sets
// give the same answers as the table.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "fingerpost/net/address.hpp"
#include "io/format/parts/table_data.hpp"

namespace fingerpost::cli {

template <class A>
struct address_range {
    A first;
    A last; // inclusive
};

template <class A>
struct address_set {
    std::string name;
    std::vector<address_range<A>> ranges; // in address order
};

struct address_sets {
    std::vector<address_set<ipv4_address>> ipv4;
    std::vector<address_set<ipv6_address>> ipv6; // their names end in 6
};

// Builds one set per family with this name. If `name` is empty, builds one set for each value of the only
// column, in the order of the table. Names of IPv6 sets get the suffix 6. `form` is the name of the output in
// messages. name_fault(name) returns the fault of a name, or nullptr. Throws failure for a table that needs
// --set or --columns, and for names that the output cannot have.
address_sets make_address_sets(const io::both_tables& tables, std::string_view name, std::string_view form,
                               const char* (*name_fault)(std::string_view name));

} // namespace fingerpost::cli
