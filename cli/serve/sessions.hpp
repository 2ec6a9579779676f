// Reusable buffers for answering requests, one session per thread.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/answers/answers.hpp"
#include "cli/answers/covers.hpp"
#include "cli/serve/table/served_table.hpp"

namespace fingerpost::cli {

// Answers one request at a time, each from a single table.
class session {
  public:
    explicit session(served_pointer table) : table_(std::move(table)), asked_(table_->table) {}

    // Begins an answer from this table, or from part of it, in this format. add() and end() append to `out`.
    void begin(served_pointer table, row_format format, std::string& out, const table_part* part = nullptr);
    // Begins an answer with the prefixes that cover each address, as JSON.
    void begin_covers(served_pointer table, std::string& out, const table_part* part = nullptr);
    // Adds an address. An invalid one is answered with the reason.
    void add(std::string_view text);
    void add_wrong(std::string_view text, std::string error);
    void end();
    // Releases the table, so that an idle session does not keep it alive.
    void release() noexcept {
        covers_.reset();
        table_.reset();
    }

    // The table's generation; valid until release().
    std::uint64_t generation() const noexcept { return table_->generation; }
    // Number of addresses since begin().
    std::size_t count() const noexcept { return count_; }

  private:
    void answer_if_full();

    served_pointer table_;
    answers asked_;
    row_writer writer_{row_format::json, true, {}};
    std::optional<covers_writer> covers_; // set for queries of covers
    std::string* out_ = nullptr;
    std::size_t count_ = 0;
};

class session_pool {
  public:
    explicit session_pool(std::size_t most) : left_(most) { idle_.reserve(most); }

    // Returns its session to the pool when destroyed.
    class lease {
      public:
        lease(session_pool& pool, std::unique_ptr<session> lent) : pool_(pool), taken_(std::move(lent)) {}
        lease(const lease&) = delete;
        lease& operator=(const lease&) = delete;
        ~lease() { pool_.give_back(std::move(taken_)); }
        session& operator*() const noexcept { return *taken_; }
        session* operator->() const noexcept { return taken_.get(); }

      private:
        session_pool& pool_;
        std::unique_ptr<session> taken_;
    };

    // Waits while all sessions are in use.
    lease take(const served_pointer& table);

  private:
    void give_back(std::unique_ptr<session> lent) noexcept;

    std::mutex lock_;
    std::condition_variable given_back_;
    std::size_t left_;
    std::vector<std::unique_ptr<session>> idle_;
};

} // namespace fingerpost::cli
