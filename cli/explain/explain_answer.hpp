// Explains the answers of a table that is in use: with its own FIB, and without building another.
#pragma once

#include <string>

#include "cli/answers/answer_table.hpp"
#include "cli/explain/explanation.hpp"

namespace fingerpost::cli {

// `input` is the address as the user wrote it. The time is linear in the table: 1,000,000 routes take less
// than a second. Any number of threads may explain at once. Throws failure if the FIB answers otherwise than
// the routes. Instantiated for 32 and 128 bits.
template <class A>
explanation explain_answer(const family_table<A>& table, const std::string& input, A address);

} // namespace fingerpost::cli
