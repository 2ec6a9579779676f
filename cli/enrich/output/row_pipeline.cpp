// One thread reads, several look up, and the calling thread writes in order.
#include "cli/enrich/output/row_pipeline.hpp"

#include <cstddef>
#include <cstdlib>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "cli/answers/in_order.hpp"
#include "cli/enrich/enrich_worker.hpp"
#include "cli/enrich/output/delivery.hpp"
#include "terminal/exit_code.hpp"
#include "terminal/failure.hpp"

namespace fingerpost::cli::enrich {
namespace {

// Limit for the cached columns of all threads together.
constexpr std::size_t all_cache_bytes = std::size_t{64} << 20;

// Returns the combined counts of all workers.
value_counts run_pipeline(const enrich_options& options, row_stream& rows, const work_choice& work,
                          unsigned threads, delivery& to) {
    std::vector<std::shared_ptr<const worker>> workers;
    const auto produce = [&](const auto& put) {
        while (rows.next(put)) {
        }
    };
    const auto make_work = [&]() -> std::function<enriched_block(row_block&&)> {
        auto mine = std::make_shared<worker>(work);
        workers.push_back(mine);
        return [mine](row_block&& block) { return mine->work(block); };
    };
    const auto deliver = [&](enriched_block&& block) {
        if (!options.writes_rows)
            block.out.clear();
        to.take(std::move(block));
        if (options.ends_at_first && to.selected() != 0)
            std::_Exit(exit_code::ok);
        return !options.stops_at_first || to.selected() == 0;
    };
    const auto abandon = [&] {
        to.wipe();
        to.abandon();
    };
    deliver_in_order<row_block, enriched_block>(threads, produce, make_work, deliver, abandon);
    if (options.stops_at_first && to.selected() != 0)
        return {};
    value_counts counts;
    for (const auto& each : workers)
        each->sum_counts(counts);
    return counts;
}

} // namespace

rows_outcome write_rows(const enrich_options& options, row_stream& rows, const row_plan& plan,
                        std::span<const named_table> tables) {
    const unsigned threads = thread_count(options.threads);
    const work_choice work{&plan.scan,
                           &plan.columns,
                           tables,
                           options.on_miss,
                           options.on_error,
                           options.form,
                           all_cache_bytes / threads};
    delivery to(options.output, plan.beginning, rows.progress());
    const value_counts counts = run_pipeline(options, rows, work, threads, to);
    if (options.stops_at_first && to.selected() != 0)
        return {exit_code::ok, to.selected()};
    // Counts of an incomplete input would be wrong.
    if (rows.error() && !plan.columns.counted.empty())
        throw failure(*rows.error());
    if (!plan.columns.counted.empty())
        to.put(write_counts(counts, plan.scan.kind, plan.columns.counted_name, plan.columns.counted_type,
                            options.limit));
    const int code = to.finish(options.stats, plan.scan, !rows.error());
    if (rows.error())
        throw failure(*rows.error());
    return {code, to.selected()};
}

} // namespace fingerpost::cli::enrich
