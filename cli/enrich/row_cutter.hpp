// Cuts a stream of chunks into blocks of whole rows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "cli/enrich/kinds.hpp"

namespace fingerpost::cli::enrich {

struct row_block {
    std::string bytes;            // whole rows with their ends; the last one of a file may have none
    std::string file;             // as errors name it
    std::uint64_t first_line = 1; // of the file
    bool is_too_long = false;     // `bytes` is the beginning of one row that was left out
    bool is_last = false;         // of its file
};

class row_cutter {
  public:
    using receiver = std::function<bool(row_block&&)>;

    // `dialect` is nullptr when a row is a line.
    row_cutter(std::string file, const csv_dialect* dialect);

    // Hands on all rows that are complete; false when the receiver wants no more. The rows of a chunk are one
    // block, so that nothing waits for a chunk that may never come.
    bool feed(std::string_view chunk, const receiver& to);
    // The last row, if it has no end.
    bool finish(const receiver& to);

  private:
    static constexpr std::size_t none = std::string::npos;

    std::size_t find_ends(bool first_only);
    std::size_t end_within(std::size_t from, std::size_t to, bool first_only) const;
    bool is_field_start(std::size_t at) const;
    bool skip_row();
    bool refuse_row(const receiver& to);
    row_block cut(std::size_t size);

    std::string file_;
    csv_dialect dialect_;
    bool quotes_;
    std::string held_;     // begins with a row, or within one that is skipped
    std::size_t seen_ = 0; // bytes of held_ that have been looked at
    bool in_quotes_ = false;
    bool skipping_ = false;  // within a row that was too long and has been told
    std::uint64_t line_ = 1; // at which held_ begins
};

} // namespace fingerpost::cli::enrich
