// One call of lookup_many: the query, the rows, and the handling of bad rows.
#pragma once

#include <cstddef>
#include <memory>
#include <nanobind/nanobind.h>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "python/core/query.hpp"
#include "python/core/vectors/run.hpp"
#include "python/core/vectors/sources/source.hpp"
#include "python/core/vectors/wants.hpp"

namespace fingerpost::python {

// fingerpost.Report: the counts of the last lookup_many.
struct report {
    std::size_t rows = 0;
    std::size_t matched = 0;
    std::size_t missed = 0;
    std::size_t nulls = 0;
    std::size_t bad = 0;
    // Row, text and reason of the first bad rows.
    std::vector<std::tuple<std::size_t, std::string, std::string>> first_bad;
};

struct call_options {
    std::shared_ptr<shared_table> shared;
    wants what;
    row_kind rows = row_kind::address;
    bool raise_bad = false;
    unsigned threads = 1;
    report* counts = nullptr;
};

// The options of the arguments of lookup_many. Raises TypeError and ValueError for wrong ones.
call_options options_of(std::shared_ptr<shared_table> table, nanobind::handle want, nanobind::handle missed,
                        nanobind::handle on_error, nanobind::handle threads);

// Looks up chunks of rows separately. All functions need the GIL unless noted otherwise.
class call {
  public:
    // `rows` is the number of rows of all chunks.
    call(const call_options& how, std::size_t rows);

    const call_options& how() const noexcept { return how_; }
    const query& lookups() const noexcept { return lookups_; }
    // Whether results of the address_reader are numbers of routes.
    bool by_route() const noexcept { return by_route_; }
    // Whether the results can be used during the lookup, because they are numbers of the table.
    bool is_early(const want& entry) const noexcept;

    // Looks up all rows without the GIL, dictionaries first, with the sinks of each chunk. Fills the report.
    // Raises ValueError for the first bad row if requested.
    void look_up(std::vector<std::unique_ptr<source>>& chunks, const std::vector<std::vector<sink*>>& sinks);
    // Looks up all rows and returns the results of each chunk, to be interpreted afterwards.
    std::vector<std::unique_ptr<keeper>> look_up_and_keep(std::vector<std::unique_ptr<source>>& chunks);

    // For a table of objects: the slots that these results refer to.
    std::vector<bool> named_slots(const std::vector<std::unique_ptr<keeper>>& keepers) const;
    // Passes the kept results to the sinks of each chunk. Needs no GIL.
    void give(const std::vector<std::unique_ptr<keeper>>& keepers,
              const std::vector<std::vector<sink*>>& sinks) const;

    // Returns the Python object for a row with a result.
    nanobind::object object_of(const want& entry, next_hop id, bool is_ipv4) const;

  private:
    template <class A>
    nanobind::object object_of(const want& entry, next_hop id) const;
    bool states_matter() const noexcept;
    void understand(answers& block) const noexcept;
    void finish(const tally& counts) const;

    call_options how_;
    bool by_route_;
    query lookups_;
};

void bind_report(nanobind::module_& to);

} // namespace fingerpost::python
