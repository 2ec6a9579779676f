// The objects of a table as values of one Arrow type.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "fingerpost/base/function_ref.hpp"
#include "python/core/arrow/chunk.hpp"
#include "python/core/query.hpp"

namespace fingerpost::python {

// By slot; of the first three vectors those of other types are empty. Texts are valid as long as the
// question. A slot with None is null.
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
// TypeError for others. `named`: the slots that answers refer to, if the table has objects that no route has
// any more; it is called only then. Otherwise what was read is kept until the table changes: a column may
// come in many small chunks.
std::shared_ptr<const slot_values> read_slots(shared_table& of, function_ref<std::vector<bool>()> named);

} // namespace fingerpost::python
