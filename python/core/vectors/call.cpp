// Runs a lookup without the GIL, and turns its answers into objects with it.
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
    return std::any_of(what.all.begin(), what.all.end(), names_route);
}

template <class A>
next_hop row_of(const query& asked, next_hop hop) noexcept {
    return hop.id < asked.rows<A>().rows() ? hop : next_hop::none;
}

} // namespace

call::call(const call_options& how, std::size_t rows)
    : how_(how), by_route_(any_names_route(how.what)),
      asked_(how.shared, by_route_ ? ask::routes : ask::hops, rows) {}

bool call::is_early(const want& one) const noexcept {
    if (by_route_)
        return false;
    // Row numbers are distinguished by family if an image has separate rows for each.
    return (one.what == wanted::value && asked_.kind() == value_kind::integer) ||
           (one.what == wanted::index && !(asked_.kind() == value_kind::rows && how_.shared->is_mapped()));
}

// The family of a row decides what its answer means; a default is for rows with an address.
bool call::states_matter() const noexcept {
    const bool has_default = std::any_of(how_.what.all.begin(), how_.what.all.end(),
                                         [](const want& one) { return !one.missed.is_none(); });
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
                entries->by = asked_.join();
            }
            return *entries;
        };
        for (const std::unique_ptr<source>& chunk : chunks)
            chunk->prepare(make_scratch, watch);
        counts = run(asked_, jobs, {how_.threads, how_.raise_bad}, watch);
    }
    finish(counts);
    asked_.settle();
}

std::vector<std::unique_ptr<keeper>> call::look_up_and_keep(std::vector<std::unique_ptr<source>>& chunks) {
    std::vector<std::unique_ptr<keeper>> kept;
    std::vector<std::vector<sink*>> sinks;
    for (const std::unique_ptr<source>& chunk : chunks) {
        kept.push_back(std::make_unique<keeper>(chunk->rows(), states_matter()));
        sinks.push_back({kept.back().get()});
    }
    look_up(chunks, sinks);
    return kept;
}

void call::finish(const tally& counts) const {
    if (how_.raise_bad && counts.bad > 0) {
        const columns::bad_row& first = counts.first_bad.front();
        raise(PyExc_ValueError,
              "row " + std::to_string(first.row) + ": '" + first.text + "' is no address: " + first.reason);
    }
    if (how_.counts == nullptr)
        return;
    *how_.counts = {counts.rows, counts.matched, counts.missed(), counts.nulls, counts.bad, {}};
    for (const columns::bad_row& bad : counts.first_bad)
        how_.counts->first_bad.emplace_back(bad.row, bad.text, bad.reason);
}

// Turns routes into what they lead to; a row number that a damaged image does not have is no answer.
void call::understand(answers& block) const noexcept {
    const bool has_rows = asked_.kind() == value_kind::rows;
    for (std::size_t i = 0; i < block.rows; ++i) {
        next_hop hop = block.ids[i];
        if (hop == next_hop::none)
            continue;
        const bool ipv4 = block.is_ipv4(i);
        if (by_route_)
            hop = ipv4 ? asked_.route_of<ipv4_address>(hop).hop : asked_.route_of<ipv6_address>(hop).hop;
        block.route_hops[i] = hop;
        if (has_rows &&
            (ipv4 ? row_of<ipv4_address>(asked_, hop) : row_of<ipv6_address>(asked_, hop)) == next_hop::none)
            block.ids[i] = next_hop::none;
    }
}

std::vector<bool> call::named_slots(const std::vector<std::unique_ptr<keeper>>& kept) const {
    std::vector<bool> named(how_.shared->values().objects().size());
    for (const std::unique_ptr<keeper>& chunk : kept)
        for (std::size_t row = 0; row < chunk->rows(); ++row) {
            next_hop hop = chunk->ids()[row];
            if (hop == next_hop::none)
                continue;
            if (by_route_)
                hop = chunk->state_of(row) == row_state::ipv4 ? asked_.route_of<ipv4_address>(hop).hop
                                                              : asked_.route_of<ipv6_address>(hop).hop;
            named[hop.id] = true;
        }
    return named;
}

void call::give(const std::vector<std::unique_ptr<keeper>>& kept,
                const std::vector<std::vector<sink*>>& sinks) const {
    std::vector<replay_job> jobs;
    for (std::size_t i = 0; i < kept.size(); ++i)
        jobs.push_back({kept[i].get(), sinks[i]});
    signal_watch watch;
    replay(
        jobs, how_.threads, [this](answers& block) { understand(block); }, watch);
}

template <class A>
nb::object call::object_of(const want& one, next_hop id) const {
    const next_hop hop = by_route_ ? asked_.route_of<A>(id).hop : id;
    const bool has_rows = asked_.kind() == value_kind::rows;
    if (has_rows && row_of<A>(asked_, hop) == next_hop::none)
        return nb::none();
    switch (one.what) {
    case wanted::value:
        return nb::steal(asked_.value_of<A>(hop));
    case wanted::index:
        return nb::int_(std::uint64_t{hop.id} + (has_rows ? asked_.first_index<A>() : 0));
    case wanted::length:
        return nb::int_(unsigned{asked_.route_of<A>(id).where.length});
    case wanted::prefix:
        return nb::steal(new_text(asked_.route_of<A>(id).where));
    case wanted::column:
        break;
    }
    return nb::steal(new_cell(asked_.rows<A>().cell(hop, one.column), asked_.type(one.column)));
}

nb::object call::object_of(const want& one, next_hop id, bool is_ipv4) const {
    return is_ipv4 ? object_of<ipv4_address>(one, id) : object_of<ipv6_address>(one, id);
}

void bind_report(nb::module_& to) {
    nb::class_<report>(to, "Report",
                       "What the rows of a Table.lookup_many were, for its argument `report=`.\n\n"
                       "A lookup writes all of it anew: rows == matched + missed + nulls + bad.")
        .def(nb::init<>())
        .def_ro("rows", &report::rows, "How many rows there were.")
        .def_ro("matched", &report::matched, "Rows whose address a route contains.")
        .def_ro("missed", &report::missed, "Rows with an address that no route contains.")
        .def_ro("nulls", &report::nulls, "Rows that were null.")
        .def_ro("bad", &report::bad, "Rows with something that is no address.")
        .def_prop_ro(
            "first_bad",
            [](const report& r) {
                nb::list rows;
                for (const auto& [row, text, reason] : r.first_bad)
                    rows.append(nb::make_tuple(row, shown_text(text), reason));
                return rows;
            },
            "The first bad rows, five at most: tuples of the row (from 0), its text and the reason.",
            locked())
        .def("__repr__", [](const report& r) {
            return "<fingerpost.Report: " + std::to_string(r.rows) + " rows, " + std::to_string(r.matched) +
                   " matched, " + std::to_string(r.missed) + " missed, " + std::to_string(r.nulls) +
                   " null, " + std::to_string(r.bad) + " bad>";
        });
}

} // namespace fingerpost::python
