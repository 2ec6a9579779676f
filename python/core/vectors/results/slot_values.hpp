// The objects of a table as values of one Arrow type.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "python/core/arrow/chunk.hpp"
#include "python/core/query.hpp"

namespace fingerpost::python {

// By slot; one of the three vectors is used. Texts are valid as long as the question. A slot with None is
// null.
struct slot_values {
    arrow::kind type = arrow::kind::utf8;
    std::vector<std::string_view> texts;
    std::vector<std::int64_t> integers;
    std::vector<double> floats;
    std::vector<std::uint8_t> is_null;
    bool any_null = false;
};

// Reads all values of the table, so that the type does not depend on the rows, and those that answers refer
// to although they have left the table: all str, all int of 64 bits, or int and float. Needs the GIL. Raises
// TypeError for others. `named`: the slots that answers refer to.
slot_values read_slots(const shared_table& of, const std::vector<bool>& named);

} // namespace fingerpost::python
