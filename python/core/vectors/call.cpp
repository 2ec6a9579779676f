// Runs a lookup without the GIL, and converts its results to objects with the GIL.
#include "python/core/vectors/call.hpp"

#include <algorithm>

#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include "python/core/keys.hpp"
#include "python/core/module_lock.hpp"
#include "python/core/raise.hpp"

namespace fingerpost::python {
namespace nb = nanobind;
namespace {

bool any_names_route(const wants& what) noexcept {
    return std::any_of(what.list.begin(), what.list.end(), names_route);
}

template <class A>
next_hop row_of(const query& lookups, next_hop hop) noexcept {
    return hop.id < lookups.rows<A>().rows() ? hop : next_hop::none;
}

bool raises_bad(nb::handle on_error) {
    const std::string word =
        nb::isinstance<nb::str>(on_error) ? nb::cast<std::string>(nb::str(on_error)) : "";
    if (word != "null" && word != "raise")
        raise(PyExc_ValueError, "on_error=" + shown(on_error.ptr()) + ": must be 'null' or 'raise'");
    return word == "raise";
}

unsigned thread_count(nb::handle threads) {
    const long count = PyBool_Check(threads.ptr()) ? -1 : PyLong_AsLong(threads.ptr());
    if (count < 0 || count > 1024) {
        PyErr_Clear();
        raise(PyExc_ValueError,
              "threads=" + shown(threads.ptr()) + ": must be a number from 0 (one per core) to 1024");
    }
    return static_cast<unsigned>(count);
}

} // namespace

call_options options_of(std::shared_ptr<shared_table> table, nb::handle want, nb::handle missed,
                        nb::handle on_error, nb::handle threads) {
    call_options result;
    result.what = parse_wants(want, missed, *table);
    result.raise_bad = raises_bad(on_error);
    result.threads = thread_count(threads);
    result.shared = std::move(table);
    return result;
}

call::call(const call_options& how, std::size_t rows)
    : how_(how), by_route_(any_names_route(how.what)),
      lookups_(how.shared, by_route_ ? ask::routes : ask::hops, rows, how.rows == row_kind::prefix) {}

bool call::is_early(const want& entry) const noexcept {
    if (by_route_)
        return false;
    // In an image with separate rows for each family, row numbers depend on the family.
    return (entry.what == want_kind::value && lookups_.kind() == value_kind::integer) ||
           (entry.what == want_kind::index &&
            !(lookups_.kind() == value_kind::rows && how_.shared->is_mapped()));
}

// Whether results depend on the family of a row, or on whether a row has an address.
bool call::states_matter() const noexcept {
    const bool has_default = std::any_of(how_.what.list.begin(), how_.what.list.end(),
                                         [](const want& entry) { return !entry.missed.is_none(); });
    return by_route_ || has_default || how_.shared->is_mapped();
}

void call::look_up(std::vector<std::unique_ptr<source>>& chunks,
                   const std::vector<std::vector<sink*>>& sinks) {
    std::vector<job> jobs;
    std::size_t row = 0;
    for (std::size_t i = 0; i < chunks.size(); ++i) {
        jobs.push_back({chunks[i].get(), row, sinks[i]});
        row += chunks[i]->rows();
    }
    tally counts;
    {
        const nb::gil_scoped_release free;
        signal_watch watch;
        std::unique_ptr<scratch> entries;
        const auto make_scratch = [&]() -> scratch& {
            if (entries == nullptr) {
                entries = std::make_unique<scratch>();
                entries->by = lookups_.join();
            }
            return *entries;
        };
        for (const std::unique_ptr<source>& chunk : chunks)
            chunk->prepare(make_scratch, watch);
        counts = run(lookups_, jobs, {how_.threads, how_.raise_bad}, watch);
    }
    finish(counts);
    lookups_.settle();
}

std::vector<std::unique_ptr<keeper>> call::look_up_and_keep(std::vector<std::unique_ptr<source>>& chunks) {
    std::vector<std::unique_ptr<keeper>> keepers;
    std::vector<std::vector<sink*>> sinks;
    for (const std::unique_ptr<source>& chunk : chunks) {
        keepers.push_back(std::make_unique<keeper>(chunk->rows(), states_matter()));
        sinks.push_back({keepers.back().get()});
    }
    look_up(chunks, sinks);
    return keepers;
}

void call::finish(const tally& counts) const {
    if (how_.raise_bad && counts.bad > 0) {
        const columns::bad_row& first = counts.first_bad.front();
        raise(PyExc_ValueError,
              "row " + std::to_string(first.row) + ": '" + first.text +
                  (how_.rows == row_kind::prefix ? "' is not a prefix: " : "' is not an address: ") +
                  first.reason);
    }
    if (how_.counts == nullptr)
        return;
    *how_.counts = {counts.rows, counts.matched, counts.missed(), counts.nulls, counts.bad, {}};
    for (const columns::bad_row& bad : counts.first_bad)
        how_.counts->first_bad.emplace_back(bad.row, bad.text, bad.reason);
}

// Replaces routes by their next hops. A row number out of range, in a damaged image, means no result.
void call::understand(answers& block) const noexcept {
    const bool has_rows = lookups_.kind() == value_kind::rows;
    for (std::size_t i = 0; i < block.rows; ++i) {
        next_hop hop = block.ids[i];
        if (hop == next_hop::none)
            continue;
        const bool ipv4 = block.is_ipv4(i);
        if (by_route_)
            hop = ipv4 ? lookups_.route_of<ipv4_address>(hop).hop : lookups_.route_of<ipv6_address>(hop).hop;
        block.route_hops[i] = hop;
        if (has_rows && (ipv4 ? row_of<ipv4_address>(lookups_, hop) : row_of<ipv6_address>(lookups_, hop)) ==
                            next_hop::none)
            block.ids[i] = next_hop::none;
    }
}

std::vector<bool> call::named_slots(const std::vector<std::unique_ptr<keeper>>& keepers) const {
    std::vector<bool> named(how_.shared->values().objects().size());
    for (const std::unique_ptr<keeper>& chunk : keepers)
        for (std::size_t row = 0; row < chunk->rows(); ++row) {
            next_hop hop = chunk->ids()[row];
            if (hop == next_hop::none)
                continue;
            if (by_route_)
                hop = chunk->state_of(row) == row_state::ipv4 ? lookups_.route_of<ipv4_address>(hop).hop
                                                              : lookups_.route_of<ipv6_address>(hop).hop;
            named[hop.id] = true;
        }
    return named;
}

void call::give(const std::vector<std::unique_ptr<keeper>>& keepers,
                const std::vector<std::vector<sink*>>& sinks) const {
    std::vector<replay_job> jobs;
    for (std::size_t i = 0; i < keepers.size(); ++i)
        jobs.push_back({keepers[i].get(), sinks[i]});
    signal_watch watch;
    replay(
        jobs, how_.threads, [this](answers& block) { understand(block); }, watch);
}

template <class A>
nb::object call::object_of(const want& entry, next_hop id) const {
    const next_hop hop = by_route_ ? lookups_.route_of<A>(id).hop : id;
    const bool has_rows = lookups_.kind() == value_kind::rows;
    if (has_rows && row_of<A>(lookups_, hop) == next_hop::none)
        return nb::none();
    switch (entry.what) {
    case want_kind::value:
        return nb::steal(lookups_.value_of<A>(hop));
    case want_kind::index:
        return nb::int_(std::uint64_t{hop.id} + (has_rows ? lookups_.first_index<A>() : 0));
    case want_kind::length:
        return nb::int_(unsigned{lookups_.route_of<A>(id).where.length});
    case want_kind::prefix:
        return nb::steal(new_text(lookups_.route_of<A>(id).where));
    case want_kind::column:
        break;
    }
    return nb::steal(new_cell(lookups_.rows<A>().cell(hop, entry.column), lookups_.type(entry.column)));
}

nb::object call::object_of(const want& entry, next_hop id, bool is_ipv4) const {
    return is_ipv4 ? object_of<ipv4_address>(entry, id) : object_of<ipv6_address>(entry, id);
}

void bind_report(nb::module_& to) {
    nb::class_<report>(to, "Report",
                       "Counts of the rows of a lookup, for the argument `report=` of Table.lookup_many.\n\n"
                       "Each lookup replaces all counts: rows == matched + missed + nulls + bad.")
        .def(nb::init<>())
        .def_ro("rows", &report::rows, "Number of rows.")
        .def_ro("matched", &report::matched, "Rows with an address that has a route.")
        .def_ro("missed", &report::missed, "Rows with an address that has no route.")
        .def_ro("nulls", &report::nulls, "Null rows.")
        .def_ro("bad", &report::bad, "Rows with an invalid address.")
        .def_prop_ro(
            "first_bad",
            [](const report& r) {
                nb::list rows;
                for (const auto& [row, text, reason] : r.first_bad)
                    rows.append(nb::make_tuple(row, shown_text(text), reason));
                return rows;
            },
            "The first bad rows, at most five, as tuples (row number from 0, text, reason).", locked())
        .def("__repr__", [](const report& r) {
            return "<fingerpost.Report: " + std::to_string(r.rows) + " rows, " + std::to_string(r.matched) +
                   " matched, " + std::to_string(r.missed) + " missed, " + std::to_string(r.nulls) +
                   " null, " + std::to_string(r.bad) + " bad>";
        });
}

} // namespace fingerpost::python
