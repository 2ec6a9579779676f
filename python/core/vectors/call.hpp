// One call of lookup_many: the question, the rows, and the handling of bad ones.
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

// fingerpost.Report: how many rows of the last lookup_many were of each kind.
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
    nanobind::object table; // a table_object, kept alive by this
    std::shared_ptr<shared_table> shared;
    wants what;
    bool raise_bad = false;
    unsigned threads = 1;
    report* counts = nullptr;
};

// Chunks of rows, each looked up separately. Everything needs the GIL unless it says otherwise.
class call {
  public:
    // `rows`: of all chunks together.
    call(const call_options& how, std::size_t rows);

    const call_options& how() const noexcept { return how_; }
    const query& asked() const noexcept { return asked_; }
    // Answers of the query_reader are numbers of routes.
    bool by_route() const noexcept { return by_route_; }
    // Whether the meaning of the answers is known in advance: they are the table's own numbers.
    bool is_early(const want& one) const noexcept;

    // Looks up all rows, and releases the GIL meanwhile; dictionaries are looked up first. `sinks` are those
    // of each chunk. Fills the report. Raises ValueError for the first bad row if requested.
    void look_up(std::vector<std::unique_ptr<source>>& chunks, const std::vector<std::vector<sink*>>& sinks);
    // The same, and keeps the answers of each chunk. They can be interpreted afterwards.
    std::vector<std::unique_ptr<keeper>> look_up_and_keep(std::vector<std::unique_ptr<source>>& chunks);

    // For a table of objects: the slots that these answers refer to.
    std::vector<bool> named_slots(const std::vector<std::unique_ptr<keeper>>& kept) const;
    // After that, without the GIL: gives the kept answers to the sinks of each chunk.
    void give(const std::vector<std::unique_ptr<keeper>>& kept,
              const std::vector<std::vector<sink*>>& sinks) const;

    // For a row with an answer: its Python object.
    nanobind::object object_of(const want& one, next_hop id, bool is_ipv4) const;

  private:
    template <class A>
    nanobind::object object_of(const want& one, next_hop id) const;
    bool states_matter() const noexcept;
    void understand(answers& block) const noexcept;
    void finish(const tally& counts) const;

    call_options how_;
    bool by_route_;
    query asked_;
};

void bind_report(nanobind::module_& to);

} // namespace fingerpost::python
