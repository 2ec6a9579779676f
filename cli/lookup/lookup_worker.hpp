// Answers queries and writes their rows. Queries are arguments, or lines that are cut into blocks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "cli/answers/answer_rows.hpp"
#include "cli/answers/answers.hpp"
#include "cli/enrich/rows/row_cutter.hpp"
#include "cli/lookup/prefix_queries.hpp"
#include "terminal/table/bad_rows.hpp"

namespace fingerpost::cli {

struct lookup_choice {
    row_format format = row_format::text;
    match_kind match = match_kind::longest;
    bool keep_invalid = false;
    bool quiet = false; // counts matches and writes nothing
};

struct answered_block {
    enrich::row_block lines; // for a block of lines
    std::string out;
    row_faults faults;
    bool has_match = false;
    // Layouts of text output: before the block, of its first rows if it has any, and after it.
    text_layout before;
    std::optional<text_layout> first;
    text_layout after;

    // Whether rows that follow rows of this layout look the same.
    bool may_follow(const text_layout& layout) const noexcept {
        return !first || (before.is_first == layout.is_first && layout.fits_in(*first));
    }
};

// If the argument is not an address but the name of a file, suggests -t; otherwise returns an empty text.
std::string table_advice(const std::string& argument);

// Each thread needs its own.
class lookup_worker {
  public:
    // Table and trees must outlive it. Keeps at most about `cache_bytes` of texts.
    lookup_worker(const answer_table& table, route_trees& trees, const lookup_choice& choice,
                  const answer_names& names, std::size_t cache_bytes);

    // Sets a function that takes the text written so far, which then does not grow with the number of rows.
    using sink = std::function<void(std::string&)>;
    void set_sink(sink take) { take_ = std::move(take); }

    const text_layout& layout() const noexcept { return writer_.layout(); }
    // Starts a block whose rows follow rows of this layout.
    void begin(text_layout layout);
    // Adds a query. `line` is its number in the file, or 0 for an argument, whose place is `where`.
    void add(std::string_view text, const std::string& where, std::uint64_t line);
    // Ends the block.
    answered_block finish();

    // Answers a block of lines.
    answered_block work(enrich::row_block&& lines, text_layout layout);

    // Whether further queries cannot change the outcome.
    bool is_done() const noexcept { return choice_.quiet && writer_.matched() != 0; }

  private:
    void add_too_long(std::string_view beginning, const std::string& where, std::uint64_t line);
    std::optional<text_error> ask(std::string_view text);
    void keep(std::string_view text, std::string reason);
    void write_prefixes();
    void write();
    void write_if_full();
    void spill();

    lookup_choice choice_;
    answers asked_;
    prefix_queries prefixes_;
    row_writer writer_;
    std::uint64_t matched_before_ = 0; // before the block
    answered_block block_;
    sink take_;
};

} // namespace fingerpost::cli
