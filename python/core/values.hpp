// What the routes of a table answer with, in its three kinds, and the conversion between Python objects and
// next hops.
//
//      object     any object; the next hop is its slot
//      integer    0 to 2**32 - 2; the next hop is the number itself
//      rows       rows of cells in named columns, each str, int, float or bool, or None where it is missing;
//      the
//                 next hop is the number of the row
//
// Python code runs only while values are staged, so that a writer can hold its lock from then on.
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

// A value that a table can take without running Python code: a number, or an object; for rows the text of a
// cell as a str, or as bytes if it has no UTF-8 form, or None, or a tuple of these.
struct staged_value {
    next_hop number = next_hop::none;
    nanobind::object object{};
};

inline std::vector<std::string_view> views(const std::vector<std::string>& texts) {
    return {texts.begin(), texts.end()};
}

// A text with a surrogate for each byte that is not UTF-8, as in Python's file names.
PyObject* new_cell(std::string_view bytes);
// An int, float or bool if the cell is of such a type, None if it is missing, else a str.
PyObject* new_cell(std::string_view cell, column_type type);
// The class of Python for a type: str, int, float or bool; a borrowed reference.
PyObject* class_of(column_type type) noexcept;
// The same the other way round; nothing for any other object.
std::optional<column_type> type_of_class(PyObject* object) noexcept;
// A cell for a row with one column, otherwise a dict from column to cell.
PyObject* new_row(const value_view& rows, next_hop row);

// The values of a table that can be changed. Everything needs the GIL.
class value_store {
  public:
    // For rows: at least one column, all of text unless there is a type for each.
    value_store(value_kind kind, std::vector<std::string> columns, std::span<const column_type> types = {});
    // For existing rows.
    explicit value_store(value_rows rows);

    value_kind kind() const noexcept { return kind_; }
    // Empty except for rows.
    const std::vector<std::string>& columns() const noexcept { return columns_; }

    // Raises TypeError, OverflowError or ValueError for an object that is no value of this kind.
    staged_value stage(PyObject* value) const;
    // Returns the next hop that stands for it, with one more use. Runs no Python code.
    next_hop use(const staged_value& value);
    // The same for a next hop that is in use.
    void use_again(next_hop hop) noexcept {
        if (kind_ == value_kind::object)
            objects_.use_again(hop);
    }
    void let_go(next_hop hop) noexcept {
        if (kind_ == value_kind::object)
            objects_.let_go(hop);
    }
    // Gives up what a plan has used, if the plan cannot be made.
    template <class A>
    void give_up(const std::vector<route<A>>& routes) noexcept {
        for (const route<A>& one : routes)
            if (one.hop != next_hop::none)
                let_go(one.hop);
    }
    // A new reference.
    PyObject* value_of(next_hop hop) const;

    object_slots& objects() noexcept { return objects_; }
    const object_slots& objects() const noexcept { return objects_; }
    // The present rows. Later rows go to a copy as long as these are in use.
    std::shared_ptr<const value_rows> rows() const noexcept { return rows_; }
    // The number of different values.
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
