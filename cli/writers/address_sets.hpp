// Tables as named sets of addresses, for firewalls.
//
// A set holds the addresses whose longest match has the set's value, as ranges that neither touch nor
// overlap. So a route inside another one with another value is taken out of the other's set, and set and
// table give the same answers.
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
    A last; // included
};

template <class A>
struct address_set {
    std::string name;
    std::vector<address_range<A>> ranges; // in order
};

struct address_sets {
    std::vector<address_set<ipv4_address>> ipv4;
    std::vector<address_set<ipv6_address>> ipv6; // their names end in 6
};

// One set of each family that is called `name`, or if that is empty one for each value of the only column, in
// the order of the table. The names of IPv6 sets get a 6 at the end. `form` is what messages call the output;
// name_fault(name) returns what is wrong with a name, or nullptr. Throws failure for a table that needs --set
// or
// --columns, and for names that the output cannot have.
address_sets make_address_sets(const io::both_tables& tables, std::string_view name, std::string_view form,
                               const char* (*name_fault)(std::string_view name));

} // namespace fingerpost::cli
