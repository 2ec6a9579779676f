// Looks up columns on one or more threads, and counts rows by kind.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "fingerpost/base/function_ref.hpp"
#include "fingerpost/columns/column_reader.hpp"
#include "python/core/query.hpp"
#include "python/core/vectors/signals.hpp"
#include "python/core/vectors/sources/source.hpp"

namespace fingerpost::python {

// Receives blocks of results. Blocks of one piece arrive in order and from one thread. Different pieces may
// arrive from different threads at the same time.
class sink {
  public:
    sink() = default;
    sink(const sink&) = delete;
    sink& operator=(const sink&) = delete;
    virtual ~sink() = default;
    virtual void take(const answers& block) = 0;
};

// Number of rows that one thread processes together. A multiple of block_rows.
inline constexpr std::size_t piece_rows = 32 * block_rows;

// A column, the number of its first row in the caller's input, and the sinks for its results.
struct job {
    const source* rows = nullptr;
    std::size_t first_row = 0;
    std::vector<sink*> sinks;
};

// Number of bad rows that are explained.
inline constexpr std::size_t most_bad_rows = 5;

struct tally {
    std::size_t rows = 0;
    std::size_t matched = 0;
    std::size_t nulls = 0;
    std::size_t bad = 0;
    // The first bad rows, in order.
    std::vector<columns::bad_row> first_bad;

    std::size_t missed() const noexcept { return rows - matched - nulls - bad; }
    void add(tally&& other);
};

struct run_options {
    unsigned threads = 1; // 0: one per core
    // Stop at the first bad row, which is then the first one of `first_bad`. The results are incomplete.
    bool stop_at_bad = false;
};

// Needs no GIL. Throws std::bad_alloc and the exceptions of the sinks and of `between`.
tally run(query& lookups, std::span<const job> jobs, run_options options, between_pieces between);

// Stores the results of a column until they can be interpreted.
class keeper final : public sink {
  public:
    // `with_states`: also store the family of rows, and the reason for rows without a result.
    keeper(std::size_t rows, bool with_states);
    void take(const answers& block) override;

    std::size_t rows() const noexcept { return rows_; }
    const next_hop* ids() const noexcept { return ids_.get(); }
    row_state state_of(std::size_t row) const noexcept {
        return states_ == nullptr ? row_state::ipv6 : states_[row];
    }
    // Writes a block, except the counts of null and bad rows.
    void give(std::size_t first, std::size_t rows, answers& out) const noexcept;

  private:
    std::size_t rows_;
    std::unique_ptr<next_hop[]> ids_;
    std::unique_ptr<row_state[]> states_;
};

struct replay_job {
    const keeper* rows = nullptr;
    std::vector<sink*> sinks;
};

// Changes a block between the keeper and the sinks.
using mend = function_ref<void(answers&)>;

// Passes kept results to sinks after the query is settled. Needs no GIL.
void replay(std::span<const replay_job> jobs, unsigned threads, mend before, between_pieces between);

} // namespace fingerpost::python
