// Splits a stream of chunks into blocks of whole rows.
//
// An unclosed quote would turn everything after it into one row. So if no closing quote comes within the file
// or the longest row, or if text follows the one on a later line, the lines so far become separate rows. The
// block marks them: the first one is invalid, the others are read.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/enrich/rows/input_kinds.hpp"

namespace fingerpost::cli::enrich {

// A range of a block where each line is a row, because the first one has an unclosed quote.
struct line_region {
    std::size_t begin;
    std::size_t end;
};

// A row of a JSON document, the rest of a row that was too long, or a frame around rows. Bytes between two
// places belong to the later one.
struct row_place {
    enum class what : std::uint8_t { row, rest, frame };
    std::size_t begin;
    std::size_t end;
    what kind;
};

struct row_block {
    std::string bytes;                  // whole rows with their line ends; the last one of a file may lack it
    std::string file;                   // file name in messages
    std::uint64_t first_line = 1;       // line number in the file
    bool is_too_long = false;           // `bytes` is the start of a row that was left out
    std::vector<line_region> by_line{}; // in order
    bool is_last = false;               // whether the file ends here
    std::vector<row_place> places{};    // for a document: places that cover all bytes, in order
};

std::uint64_t line_feeds(std::string_view text);
// Number of bytes that are reported of a row that is too long.
inline constexpr std::size_t shown_of_too_long = 64;

class row_cutter {
  public:
    using receiver = std::function<bool(row_block&&)>;

    // `dialect` is nullptr if each line is a row. `first_line` is the number of the first line.
    row_cutter(std::string file, const csv_dialect* dialect, std::uint64_t first_line = 1);

    // Passes on all complete rows; returns false if the receiver stops. The rows of a chunk form one block,
    // so that none waits for a chunk that may never come.
    bool feed(std::string_view chunk, const receiver& to);
    // Passes on the last row if it lacks a line end.
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
    std::string held_;     // begins with a row, or inside a skipped row
    std::size_t seen_ = 0; // number of examined bytes of held_
    bool in_quotes_ = false;
    std::size_t opening_ = 0;          // position of the last quote that opened a field
    std::vector<line_region> by_line_; // regions of the examined rows
    bool skipping_ = false;            // inside a row that was too long and was reported
    std::uint64_t line_;               // line number at the start of held_
};

} // namespace fingerpost::cli::enrich
