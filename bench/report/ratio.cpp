// Computes the ratio of each speed to the baseline's best speed.
#include <map>
#include <tuple>

#include "bench/measured/lookup_result.hpp"

namespace fingerpost::bench {

void set_ratios(std::vector<lookup_row>& rows, const std::string& baseline) {
    // Comparable rows have the same workload, mode and threads. Batch and ISA are the competitor's own
    // choice.
    const auto group_of = [](const lookup_row& row) {
        return std::tuple(row.workload, row.mode, row.threads);
    };
    std::map<std::tuple<std::string, std::string, unsigned>, double> best;
    for (const lookup_row& row : rows)
        if (row.scheme == baseline && row.has_speed()) {
            double& speed = best[group_of(row)];
            speed = std::max(speed, row.by_statistic);
        }
    for (lookup_row& row : rows) {
        const auto best_speed = best.find(group_of(row));
        if (best_speed != best.end() && row.has_speed())
            row.ratio = row.by_statistic / best_speed->second;
    }
}

} // namespace fingerpost::bench
