// The objects of a table as values of one Arrow type.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "fingerpost/base/function_ref.hpp"
#include "python/core/arrow/chunk.hpp"
#include "python/core/query.hpp"

namespace fingerpost::python {

// Values by slot. Only the vector of the common type is filled. A slot with None is null. Texts are copies,
// because Arrow columns outlive the objects.
struct slot_values {
    arrow::kind type = arrow::kind::utf8_view;
    std::vector<arrow::view> texts;
    std::vector<arrow::text_buffer> buffers; // of the texts
    std::vector<std::int64_t> integers;
    std::vector<double> floats;
    std::vector<std::uint8_t> is_null;
    bool any_null = false;
};

// Reads all values of the table, so that the type does not depend on the rows, and also removed values that
// results refer to. They must be all str, all 64-bit int, or int and float; raises TypeError otherwise. Needs
// the GIL. `named` returns the slots that results refer to. It is called only if the table has objects that
// no route uses. Otherwise the values are cached until the table changes, because columns may have many
// chunks.
std::shared_ptr<const slot_values> read_slots(shared_table& of, function_ref<std::vector<bool>()> named);

} // namespace fingerpost::python
