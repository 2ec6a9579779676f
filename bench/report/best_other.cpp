// Compares the default scheme with the fastest other one, call by call.
#include <algorithm>

#include "bench/measured/lookup_result.hpp"

namespace fingerpost::bench {
namespace {

bool same_call(const lookup_row& a, const lookup_row& b) {
    return a.workload == b.workload && a.mode == b.mode && a.threads == b.threads && a.batch == b.batch;
}

// Variants, `default:variant`, count as the same scheme.
bool is_of(const std::string& scheme, const std::string& name) {
    return scheme == name || (scheme.starts_with(name) && scheme[name.size()] == ':');
}

} // namespace

std::vector<best_other> best_others(const std::vector<lookup_row>& rows, const std::string& default_scheme) {
    const auto fastest = [&](const lookup_row& call, auto is_candidate) {
        const lookup_row* best = nullptr;
        for (const lookup_row& row : rows)
            if (row.has_speed() && same_call(row, call) && is_candidate(row) &&
                (best == nullptr || row.by_statistic > best->by_statistic))
                best = &row;
        return best;
    };
    std::vector<best_other> list;
    for (const lookup_row& row : rows) {
        if (row.scheme != default_scheme || !row.has_speed())
            continue;
        const lookup_row* const own =
            fastest(row, [&](const lookup_row& r) { return r.scheme == row.scheme; });
        const lookup_row* const other =
            fastest(row, [&](const lookup_row& r) { return !is_of(r.scheme, default_scheme); });
        // One entry per call, with the fastest instruction set.
        if (own == &row && other != nullptr)
            list.push_back({row.workload, row.mode, row.threads, row.batch, other->scheme, other->isa,
                            other->by_statistic / row.by_statistic});
    }
    return list;
}

} // namespace fingerpost::bench
