// The parts of one scheme's FIB and the number of steps of its lookups, for `fingerpost info`.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "fingerpost/fib/scheme_entry.hpp"
#include "terminal/command_line.hpp"
#include "terminal/json_writer.hpp"

namespace fingerpost::cli {

struct inspection_choice {
    std::vector<std::string> schemes; // scheme names; empty: the default, or the image's scheme
    bool steps = false;
    std::string workload = "match";
    std::uint64_t addresses = 10'000;
};

// Whether a single scheme is named. Only a single scheme is inspected.
inline bool names_one(const inspection_choice& choice) {
    return choice.schemes.size() == 1 && choice.schemes[0] != "all" && choice.schemes[0] != "default";
}

// Adds --scheme, --steps, --workload and --addresses; `choice` must outlive the command.
void add_inspection_options(command& to, inspection_choice& choice);

struct inspected_part {
    std::string name;
    std::size_t bytes = 0;
};
struct inspected_level {
    std::size_t nodes = 0;
    std::uint64_t bytes = 0;
    std::map<std::string, std::size_t> kinds; // number of nodes by kind
};
// Counts of lookups by number of steps, and by number of different cache lines read.
struct inspected_steps {
    std::vector<std::uint64_t> steps;
    std::vector<std::uint64_t> lines;
};
struct inspection {
    std::vector<inspected_part> parts;
    std::vector<inspected_level> levels; // empty if the scheme does not report levels, or the FIB is empty
    std::optional<inspected_steps> steps;
};

// Inspects the FIB that `scheme` built from the table. Throws usage_error if steps are requested and the
// scheme cannot show them, and failure if the table has no address for the workload.
template <class A>
inspection inspect(const scheme_entry<A>& scheme, const any_fib<A>& fib, const routes<A>& table,
                   const inspection_choice& choice);

// Writes members of the open object.
void put_json(bench::json_writer& json, const inspection& facts, const inspection_choice& choice);
std::string as_text(const inspection& facts, const inspection_choice& choice);

} // namespace fingerpost::cli
