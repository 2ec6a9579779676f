// Explains addresses of one family with a table and the FIBs that schemes build from it.
#pragma once

#include <string>
#include <vector>

#include "cli/explain/explanation.hpp"
#include "fingerpost/registry/registry.hpp"
#include "io/format/parts/table_data.hpp"

namespace fingerpost::cli {

// Instantiated for 32 and 128 bits.
template <class A>
class explainer {
  public:
    // Throws failure if a scheme cannot hold the table.
    explainer(io::loaded_table<A> table, std::vector<const scheme_entry<A>*> schemes);

    // `asked` is the address as it was given. Throws failure if a scheme's answer differs from the table's.
    explanation explain(const std::string& asked, A address) const;

  private:
    std::vector<const scheme_entry<A>*> schemes_;
    value_rows values_;
    routes<A> routes_;
    std::vector<fib_pointer<A>> fibs_; // one for each scheme
};

} // namespace fingerpost::cli
