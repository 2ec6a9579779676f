// Threads process pieces of columns in order.
#include "python/core/vectors/run.hpp"

#include <algorithm>
#include <atomic>
#include <exception>
#include <iterator>
#include <memory>
#include <thread>
#include <utility>

namespace fingerpost::python {
namespace {

struct piece {
    std::size_t job = 0;
    std::size_t first = 0;
    std::size_t rows = 0;
};

template <class Job>
std::vector<piece> cut(std::span<const Job> jobs) {
    std::vector<piece> pieces;
    for (std::size_t i = 0; i < jobs.size(); ++i) {
        const std::size_t rows = jobs[i].rows->rows();
        for (std::size_t first = 0; first < rows; first += piece_rows)
            pieces.push_back({i, first, std::min(piece_rows, rows - first)});
    }
    return pieces;
}

// Calls body(first, rows) for each block of a piece.
template <class Body>
void for_blocks(const piece& of, Body&& body) {
    for (std::size_t first = 0; first < of.rows; first += block_rows)
        body(of.first + first, std::min(block_rows, of.rows - first));
}

void explain_bad(const job& of, const answers& block, tally& into) {
    for (std::size_t row = 0; row < block.rows && into.first_bad.size() < most_bad_rows; ++row) {
        if (block.states[row] != row_state::bad)
            continue;
        columns::bad_row bad = of.rows->explain(block.first + row);
        bad.row = of.first_row + block.first + row;
        into.first_bad.push_back(std::move(bad));
    }
}

// The work of one thread in a lookup.
class looker {
  public:
    looker(query& lookups, std::span<const job> jobs) : jobs_(jobs), scratch_(std::make_unique<scratch>()) {
        scratch_->by = lookups.join();
    }

    void work(const piece& what) {
        const job& of = jobs_[what.job];
        for_blocks(what, [&](std::size_t first, std::size_t rows) { look_up(of, first, rows); });
    }
    const tally& counts() const noexcept { return counts_; }

  private:
    void look_up(const job& of, std::size_t first, std::size_t rows) {
        block_.first = first;
        of.rows->answer(first, rows, *scratch_, block_);
        mark_matched(block_);
        counts_.rows += rows;
        counts_.matched += block_.matched;
        counts_.nulls += block_.nulls;
        counts_.bad += block_.bad;
        if (block_.bad > 0)
            explain_bad(of, block_, counts_);
        for (sink* const to : of.sinks)
            to->take(block_);
    }

    std::span<const job> jobs_;
    std::unique_ptr<scratch> scratch_;
    answers block_;
    tally counts_;
};

// The work of one thread when kept results are passed to sinks.
class giver {
  public:
    giver(std::span<const replay_job> jobs, mend before) : jobs_(jobs), before_(before) {}

    void work(const piece& what) {
        const replay_job& of = jobs_[what.job];
        for_blocks(what, [&](std::size_t first, std::size_t rows) {
            of.rows->give(first, rows, block_);
            before_(block_);
            mark_matched(block_);
            for (sink* const to : of.sinks)
                to->take(block_);
        });
    }
    tally counts() const noexcept { return {}; }

  private:
    std::span<const replay_job> jobs_;
    mend before_;
    answers block_;
};

// Threads that share pieces. Make() is called in each thread and returns its worker.
template <class Make>
class crew {
  public:
    crew(std::vector<piece> pieces, Make make, bool stop_at_bad, between_pieces between)
        : pieces_(std::move(pieces)), make_(std::move(make)), stop_at_bad_(stop_at_bad), between_(between) {}

    tally run(unsigned threads) {
        const std::size_t requested = threads != 0 ? threads : std::thread::hardware_concurrency();
        std::vector<tally> counts(std::max<std::size_t>(std::min(requested, pieces_.size()), 1));
        std::vector<std::exception_ptr> failures(counts.size());
        {
            std::vector<std::jthread> others;
            others.reserve(counts.size() - 1);
            for (std::size_t i = 1; i < counts.size(); ++i)
                others.emplace_back([this, &counts, &failures, i] { work(counts[i], failures[i], [] {}); });
            work(counts[0], failures[0], between_);
        }
        for (const std::exception_ptr& failure : failures)
            if (failure)
                std::rethrow_exception(failure);
        for (std::size_t i = 1; i < counts.size(); ++i)
            counts[0].add(std::move(counts[i]));
        return std::move(counts[0]);
    }

  private:
    // Pieces are processed in order, so all pieces before one with a bad row are complete at the end.
    void work(tally& counts, std::exception_ptr& failure, between_pieces between) noexcept {
        try {
            const auto by = make_();
            while (!stop_.load(std::memory_order_relaxed)) {
                const std::size_t next = next_.fetch_add(1, std::memory_order_relaxed);
                if (next >= pieces_.size())
                    break;
                by->work(pieces_[next]);
                if (stop_at_bad_ && by->counts().bad > 0)
                    stop_.store(true, std::memory_order_relaxed);
                between();
            }
            counts = by->counts();
        } catch (...) {
            failure = std::current_exception();
            stop_.store(true, std::memory_order_relaxed);
        }
    }

    std::vector<piece> pieces_;
    Make make_;
    bool stop_at_bad_;
    between_pieces between_;
    std::atomic<std::size_t> next_ = 0;
    std::atomic<bool> stop_ = false;
};

} // namespace

void tally::add(tally&& other) {
    rows += other.rows;
    matched += other.matched;
    nulls += other.nulls;
    bad += other.bad;
    std::move(other.first_bad.begin(), other.first_bad.end(), std::back_inserter(first_bad));
    std::sort(first_bad.begin(), first_bad.end(),
              [](const columns::bad_row& a, const columns::bad_row& b) { return a.row < b.row; });
    if (first_bad.size() > most_bad_rows)
        first_bad.resize(most_bad_rows);
}

tally run(query& lookups, std::span<const job> jobs, run_options options, between_pieces between) {
    const auto make = [&] { return std::make_unique<looker>(lookups, jobs); };
    return crew(cut(jobs), make, options.stop_at_bad, between).run(options.threads);
}

keeper::keeper(std::size_t rows, bool with_states)
    : rows_(rows), ids_(std::make_unique_for_overwrite<next_hop[]>(rows)),
      states_(with_states ? std::make_unique_for_overwrite<row_state[]>(rows) : nullptr) {}

void keeper::take(const answers& block) {
    std::copy_n(block.ids.begin(), block.rows, ids_.get() + block.first);
    if (states_ == nullptr)
        return;
    if (block.has_states)
        std::copy_n(block.states.begin(), block.rows, states_.get() + block.first);
    else
        std::fill_n(states_.get() + block.first, block.rows, block.uniform);
}

void keeper::give(std::size_t first, std::size_t rows, answers& out) const noexcept {
    out.first = first;
    out.rows = rows;
    std::copy_n(ids_.get() + first, rows, out.ids.begin());
    out.has_states = states_ != nullptr;
    if (out.has_states)
        std::copy_n(states_.get() + first, rows, out.states.begin());
    else
        out.uniform = row_state::ipv6;
}

void replay(std::span<const replay_job> jobs, unsigned threads, mend before, between_pieces between) {
    const auto make = [&] { return std::make_unique<giver>(jobs, before); };
    static_cast<void>(crew(cut(jobs), make, false, between).run(threads));
}

} // namespace fingerpost::python
