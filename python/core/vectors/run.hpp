// Looks up columns, optionally on several threads, and counts the kinds of rows.
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
#include "python/core/vectors/vector_answers.hpp"

namespace fingerpost::python {

// Takes answers as they come. Blocks of one piece come in order and from one thread; different pieces may
// come from different threads at the same time.
class sink {
  public:
    sink() = default;
    sink(const sink&) = delete;
    sink& operator=(const sink&) = delete;
    virtual ~sink() = default;
    virtual void take(const answers& block) = 0;
};

// The rows that one thread does without a break. A multiple of the rows of a block.
inline constexpr std::size_t piece_rows = 32 * block_rows;

// A column, the number of its first row in the caller's input, and the sink for its answers.
struct job {
    const source* rows = nullptr;
    std::size_t first_row = 0;
    std::vector<sink*> sinks;
};

// How many bad rows are explained.
inline constexpr std::size_t most_bad_rows = 5;

struct tally {
    std::size_t rows = 0;
    std::size_t matched = 0;
    std::size_t nulls = 0;
    std::size_t bad = 0;
    // The first of them, in the order of rows.
    std::vector<columns::bad_row> first_bad;

    std::size_t missed() const noexcept { return rows - matched - nulls - bad; }
    void add(tally&& other);
};

struct run_options {
    unsigned threads = 1; // 0: one for each core
    // Ends at the first bad row, which is then the first one in `first_bad`; the answers are then incomplete.
    bool stop_at_bad = false;
};

// Without the GIL. Throws std::bad_alloc and what a sink throws, or what is called between pieces.
tally run(query& asked, std::span<const job> jobs, run_options options, between_pieces between);

// Keeps the answers of a column until it is known what they stand for.
class keeper final : public sink {
  public:
    // States are kept too if it matters what a row without an answer was, or which family it is of.
    keeper(std::size_t rows, bool with_states);
    void take(const answers& block) override;

    std::size_t rows() const noexcept { return rows_; }
    const next_hop* ids() const noexcept { return ids_.get(); }
    row_state state_of(std::size_t row) const noexcept {
        return states_ == nullptr ? row_state::ipv6 : states_[row];
    }
    // Writes all of a block except the counts of null and bad rows.
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

// Called for each block between the keeper and the sinks.
using mend = function_ref<void(answers&)>;

// Gives kept answers to other sinks, without the GIL, once the query is settled.
void replay(std::span<const replay_job> jobs, unsigned threads, mend before, between_pieces between);

} // namespace fingerpost::python
