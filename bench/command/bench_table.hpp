// The table that a benchmark runs on: a file or a generated one, with the requested next hops.
#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "fingerpost/net/route.hpp"
#include "terminal/command_line.hpp"
#include "terminal/table/table_choice.hpp"

namespace fingerpost::cli {

struct bench_table_choice {
    table_choice file;
    std::string generated; // NAME[:ROUTES[:MODEL[:SEED]]], if there is no file
    std::string next_hops = "unmerged";
    std::uint64_t seed = 1; // for random and clustered next hops
};

struct bench_table {
    std::string name; // for results: the file name without folders, or the argument of --generate
    std::variant<std::vector<route<ipv4_address>>, std::vector<route<ipv6_address>>> routes;
};

// Adds --table, --generate, --family, --strict, --next-hops and --seed; `table` must outlive the command.
void add_bench_table_options(command& to, bench_table_choice& table);

// Throws usage_error for invalid arguments, failure for a file that is not a table.
bench_table make_bench_table(const bench_table_choice& choice);

} // namespace fingerpost::cli
