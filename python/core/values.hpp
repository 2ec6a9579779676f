// The three kinds of values of a table, and the conversion between Python objects and next hops.
//
//      object     any object; the next hop is its slot
//      integer    0 to 2**32 - 2; the next hop is the number itself
//      rows       rows of cells in named columns: str, int, float, bool, or None for a missing cell; the
//                 next hop is the number of the row
//
// Python code runs only while values are staged. Afterwards a writer can hold its lock.
#pragma once

#include <cstdint>
#include <memory>
#include <nanobind/nanobind.h>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "fingerpost/net/next_hop.hpp"
#include "fingerpost/net/route.hpp"
#include "fingerpost/values/rows.hpp"
#include "python/core/object_slots.hpp"

namespace fingerpost::python {

enum class value_kind : std::uint8_t { object, integer, rows };

std::string_view name_of(value_kind kind) noexcept;

// A value that a table can store without running Python code: a number or an object. For rows the object is
// the text of a cell, as str or, if UTF-8 cannot encode it, as bytes; or None; or a tuple of these.
struct staged_value {
    next_hop number = next_hop::none;
    nanobind::object object{};
};

inline std::vector<std::string_view> views(const std::vector<std::string>& texts) {
    return {texts.begin(), texts.end()};
}

// A str with a surrogate for each byte that is not UTF-8, like Python's file names.
PyObject* new_cell(std::string_view bytes);
// An int, float or bool if the cell has such a type, None if it is missing, otherwise a str.
PyObject* new_cell(std::string_view cell, column_type type);
// The Python class of a type, str, int, float or bool, as a borrowed reference.
PyObject* class_of(column_type type) noexcept;
// The type of a class; nullopt for any other object.
std::optional<column_type> type_of_class(PyObject* object) noexcept;
// The cell of a row with one column, otherwise a dict from columns to cells.
PyObject* new_row(const value_view& rows, next_hop row);

// The values of a table that can be changed. All functions need the GIL.
class value_store {
  public:
    // Rows need at least one column. Without types, all columns are text.
    value_store(value_kind kind, std::vector<std::string> columns, std::span<const column_type> types = {});
    // Takes existing rows.
    explicit value_store(value_rows rows);

    value_kind kind() const noexcept { return kind_; }
    // Empty unless the kind is rows.
    const std::vector<std::string>& columns() const noexcept { return columns_; }

    // Raises TypeError, OverflowError or ValueError for an object that is not a value of this kind.
    staged_value stage(PyObject* value) const;
    // Returns the next hop of the value, and adds a use. Runs no Python code.
    next_hop use(const staged_value& value);
    // Adds a use to a next hop in use.
    void use_again(next_hop hop) noexcept {
        if (kind_ == value_kind::object)
            objects_.use_again(hop);
    }
    void let_go(next_hop hop) noexcept {
        if (kind_ == value_kind::object)
            objects_.let_go(hop);
    }
    // Releases the uses of an incomplete plan.
    template <class A>
    void give_up(const std::vector<route<A>>& routes) noexcept {
        for (const route<A>& entry : routes)
            if (entry.hop != next_hop::none)
                let_go(entry.hop);
    }
    // Returns a new reference.
    PyObject* value_of(next_hop hop) const;

    object_slots& objects() noexcept { return objects_; }
    const object_slots& objects() const noexcept { return objects_; }
    // The current rows. Rows added while this is in use are stored in a copy.
    std::shared_ptr<const value_rows> rows() const noexcept { return rows_; }
    // Number of different values.
    std::size_t size() const noexcept;
    std::size_t memory_bytes() const noexcept;

  private:
    staged_value stage_row(PyObject* value) const;
    nanobind::object stage_cell(PyObject* value, std::size_t column) const;
    next_hop intern_row(PyObject* staged);

    value_kind kind_;
    std::vector<std::string> columns_;
    object_slots objects_;
    std::shared_ptr<value_rows> rows_;
};

} // namespace fingerpost::python
