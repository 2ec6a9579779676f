// The table of Figure 1 in Srinivasan and Varghese: the smallest table that shows every case of controlled
// prefix expansion.
#pragma once

#include "tests/support/tables/tables.hpp"

namespace fingerpost::testing {

inline table<address<7>> figure_1() {
    using seven = address<7>;
    return sorted<seven>({{leading<seven>(0b0, 1), {5}},
                          {leading<seven>(0b10, 2), {1}},
                          {leading<seven>(0b111, 3), {2}},
                          {leading<seven>(0b11001, 5), {3}},
                          {leading<seven>(0b1, 1), {4}},
                          {leading<seven>(0b1000, 4), {6}},
                          {leading<seven>(0b100000, 6), {7}},
                          {leading<seven>(0b1000000, 7), {8}}});
}

} // namespace fingerpost::testing
