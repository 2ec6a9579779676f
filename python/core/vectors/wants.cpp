// Parses wants: fixed names, and names of columns of the table.
#include "python/core/vectors/wants.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <string_view>
#include <utility>

#include <nanobind/stl/string.h>

#include "fingerpost/base/near_name.hpp"
#include "python/core/raise.hpp"

namespace fingerpost::python {
namespace nb = nanobind;
namespace {

// In the order of want_kind. A column with one of these names is available only as part of `value`.
constexpr std::array<std::string_view, 4> fixed_names = {"value", "index", "length", "prefix"};

[[noreturn]] void refuse(const std::string& name, const shared_table& of) {
    std::vector<std::string> known(fixed_names.begin(), fixed_names.end());
    std::copy_if(of.columns().begin(), of.columns().end(), std::back_inserter(known), [](const auto& column) {
        return std::find(fixed_names.begin(), fixed_names.end(), column) == fixed_names.end();
    });
    std::string message = "want='" + name + "': use one of";
    for (std::size_t i = 0; i < known.size(); ++i)
        message += (i == 0 ? " " : ", ") + known[i];
    raise(PyExc_ValueError, message + did_you_mean(name, known));
}

want parse(nb::handle name, const shared_table& of) {
    if (!nb::isinstance<nb::str>(name))
        raise(PyExc_TypeError, "want= takes a str or a list of str, not " + type_name(name.ptr()));
    want result;
    result.name = nb::cast<std::string>(nb::str(name));
    result.missed = nb::none();
    const auto fixed = std::find(fixed_names.begin(), fixed_names.end(), result.name);
    if (fixed != fixed_names.end()) {
        result.what = static_cast<want_kind>(fixed - fixed_names.begin());
        return result;
    }
    const auto& columns = of.columns();
    const auto column = std::find(columns.begin(), columns.end(), result.name);
    if (column == columns.end())
        refuse(result.name, of);
    result.what = want_kind::column;
    result.column = static_cast<std::size_t>(column - columns.begin());
    return result;
}

void set_defaults(wants& to, nb::handle missed) {
    if (missed.is_none())
        return;
    if (!to.listed) {
        to.list.front().missed = nb::borrow(missed);
        return;
    }
    if (!nb::isinstance<nb::dict>(missed))
        raise(PyExc_TypeError, "with a list of wants, default= takes a dict from wants to values, not " +
                                   type_name(missed.ptr()));
    for (const auto& [key, value] : nb::borrow<nb::dict>(missed)) {
        const auto known = std::find_if(to.list.begin(), to.list.end(), [&key = key](const want& entry) {
            return nb::isinstance<nb::str>(key) && entry.name == nb::cast<std::string>(nb::str(key));
        });
        if (known == to.list.end())
            raise(PyExc_ValueError, "default= has " + shown(key.ptr()) + ", which is not in want=");
        known->missed = nb::borrow(value);
    }
}

} // namespace

wants parse_wants(nb::handle want, nb::handle missed, const shared_table& of) {
    wants result;
    result.listed = nb::isinstance<nb::list>(want) || nb::isinstance<nb::tuple>(want);
    if (!result.listed)
        result.list.push_back(parse(want, of));
    else
        for (const nb::handle name : nb::borrow<nb::sequence>(want))
            result.list.push_back(parse(name, of));
    for (auto entry = result.list.begin(); entry != result.list.end(); ++entry)
        if (std::any_of(result.list.begin(), entry,
                        [entry](const auto& other) { return other.name == entry->name; }))
            raise(PyExc_ValueError, "want= has '" + entry->name + "' twice");
    if (result.list.empty())
        raise(PyExc_ValueError, "want= is an empty list");
    set_defaults(result, missed);
    return result;
}

} // namespace fingerpost::python
