// Cuts a stream of chunks into blocks of whole rows.
//
// A quote without its closing one would make one row of all that is after it. So when none comes before the
// end of the file, or within the size of the longest row, or one with text after it that stands in a later
// line, the lines up to there are rows of their own, and the block says so: the first is wrong, the others
// are read.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/enrich/rows/input_kinds.hpp"

namespace fingerpost::cli::enrich {

// Bytes of a block in which each line is a row, as the first of them has a quote without an end.
struct line_region {
    std::size_t begin;
    std::size_t end;
};

// A row of a JSON document, the rest of one that was too long, or what stands around rows. Bytes between two
// places belong to the later one, as its lead.
struct row_place {
    enum class what : std::uint8_t { row, rest, frame };
    std::size_t begin;
    std::size_t end;
    what kind;
};

struct row_block {
    std::string bytes;                  // whole rows with their ends; the last one of a file may have none
    std::string file;                   // as errors name it
    std::uint64_t first_line = 1;       // of the file
    bool is_too_long = false;           // `bytes` is the beginning of one row that was left out
    std::vector<line_region> by_line{}; // in order
    bool is_last = false;               // of its file
    std::vector<row_place> places{};    // of a document: all of its bytes, in order
};

std::uint64_t line_feeds(std::string_view text);
// Of a row that is too long, so many bytes are reported.
inline constexpr std::size_t shown_of_too_long = 64;

class row_cutter {
  public:
    using receiver = std::function<bool(row_block&&)>;

    // `dialect` is nullptr when a row is a line. `first_line`: the number of the first one.
    row_cutter(std::string file, const csv_dialect* dialect, std::uint64_t first_line = 1);

    // Hands on all rows that are complete; false when the receiver wants no more. The rows of a chunk are one
    // block, so that nothing waits for a chunk that may never come.
    bool feed(std::string_view chunk, const receiver& to);
    // The last row, if it has no end.
    bool finish(const receiver& to);

  private:
    static constexpr std::size_t none = std::string::npos;

    std::size_t find_ends();
    bool is_field_start(std::size_t at) const;
    bool is_damaged_at(std::size_t quote) const;
    std::size_t break_row(std::size_t begin, std::size_t end);
    bool skip_row();
    bool refuse_row(const receiver& to);
    bool cut_rows(const receiver& to);
    row_block cut(std::size_t size);

    std::string file_;
    csv_dialect dialect_;
    bool quotes_;
    std::string held_;     // begins with a row, or within one that is skipped
    std::size_t seen_ = 0; // bytes of held_ that have been looked at
    bool in_quotes_ = false;
    std::size_t opening_ = 0;          // the last quote that opened a field
    std::vector<line_region> by_line_; // of the rows that have been looked at
    bool skipping_ = false;            // within a row that was too long and has been reported
    std::uint64_t line_;               // at which held_ begins
};

} // namespace fingerpost::cli::enrich
