// Explains addresses of one family with a table and the FIBs that schemes build from it.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cli/answers/answer_values.hpp"
#include "cli/explain/explanation.hpp"
#include "fingerpost/image/image.hpp"
#include "fingerpost/registry/registry.hpp"
#include "io/format/parts/table_data.hpp"

namespace fingerpost::cli {

// One route added or removed. An added route has the next hop `new` and no other values.
template <class A>
struct table_change {
    prefix<A> where{};
    bool is_added = false; // or else taken out
};
inline constexpr std::string_view added_next_hop = "new";

// Instantiated for 32 and 128 bits.
template <class A>
class explainer {
  public:
    // Throws failure if a scheme cannot hold the table.
    explainer(io::loaded_table<A> table, std::vector<const scheme_entry<A>*> schemes);
    // Explains the image's own FIB. `columns` are the ones to show.
    explainer(image<A> saved, const std::vector<std::string>& columns);

    // `input` is the address as the user wrote it. With `has_table` the result has the routes around the
    // address, which takes a pass over all routes. Throws failure if a scheme's answer differs from the
    // table's.
    explanation explain(const std::string& input, A address, bool has_table) const;

    // In prefix order; empty for an image.
    std::span<const route<A>> table() const { return routes_.sorted(); }
    // Explains with the table after one change; not for an image. Throws like the constructor and explain().
    explanation explain_changed(const table_change<A>& change, const std::string& input, A address) const;

  private:
    std::vector<route<A>> covers_of(A address) const;

    std::vector<const scheme_entry<A>*> schemes_;
    // For a table that was read.
    value_rows rows_;
    routes<A> routes_{std::vector<route<A>>()};
    std::vector<fib_pointer<A>> fibs_; // one for each scheme
    // For an image.
    std::optional<image<A>> saved_;
    answer_values values_;
};

} // namespace fingerpost::cli
