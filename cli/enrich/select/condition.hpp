// The conditions of --where, and which routes meet them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "cli/enrich/select/route_value.hpp"

namespace fingerpost::cli::enrich {

// A column of one table's answers for one address field, or the address itself.
struct answer_place {
    static constexpr std::size_t address = std::numeric_limits<std::size_t>::max();

    std::size_t field;
    std::size_t table; // or `address`
    column_number column;
};

struct condition {
    std::vector<answer_place> places{}; // met if the answer in any of these places meets it
    std::string value{};
    bool is_equal = true;
};

// Caches whether routes of one table meet a condition, so that each is compared once. Each thread needs its
// own.
template <class A>
class met_routes {
  public:
    bool get(const family_table<A>& table, const condition& what, const column_number& column,
             next_hop match) {
        if (known_.empty())
            known_.resize(table.size());
        std::uint8_t& known = known_[match.id];
        if (known == unknown) {
            value_buffer<A> shown;
            const bool is_same = route_value(table, column, match, shown) == what.value;
            known = is_same == what.is_equal ? met : unmet;
        }
        return known == met;
    }

  private:
    enum : std::uint8_t { unknown, met, unmet };
    std::vector<std::uint8_t> known_; // by route number
};

} // namespace fingerpost::cli::enrich
