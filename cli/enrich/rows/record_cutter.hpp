// Splits JSON documents into blocks of row objects: the elements of the document's array, or of the first
// member that is an array of objects. All other bytes form frames around the rows. Unlike
// io::document_cutter, which returns only values, it keeps every byte, so that the document can be written
// again.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "cli/enrich/rows/row_cutter.hpp"

namespace fingerpost::cli::enrich {

class record_cutter {
  public:
    explicit record_cutter(std::string file) : file_(std::move(file)) {}

    // Behave like those of row_cutter. Also return false if error() is set.
    bool feed(std::string_view chunk, const row_cutter::receiver& to);
    bool finish(const row_cutter::receiver& to);
    const std::string& error() const noexcept { return error_; }

  private:
    static constexpr std::size_t none = std::string::npos;

    bool step(char c, std::size_t at);
    bool step_in_rows(char c, std::size_t at);
    bool close(char c, std::size_t at);
    void begin_rows(std::size_t at);
    void end_row();
    void put_frame(std::size_t end);
    bool end_document(std::size_t at);
    bool hand_on(const row_cutter::receiver& to);
    bool refuse_row(const row_cutter::receiver& to);
    row_block cut(std::size_t size);
    void drop(std::size_t size);
    bool fail(const char* what, std::size_t at);

    std::string file_;
    std::string error_;
    std::string held_;              // begins with a frame, or after a row
    std::vector<row_place> places_; // places in it, up to `placed_`
    std::size_t placed_ = 0;
    std::size_t seen_ = 0;
    std::size_t row_begin_ = none; // of the current row
    std::size_t value_end_ = 0;    // after the last byte that is not blank
    std::size_t array_begin_ = 0;  // after the bracket of an array that may contain the rows

    std::string open_;           // stack of open brackets
    std::size_t row_depth_ = 0;  // number of brackets around rows; 0 outside the array
    bool has_rows_ = false;      // the array of rows was found
    bool has_empty_ = false;     // there was an empty array, which may be the array of rows
    bool awaits_object_ = false; // the last nonblank byte is the bracket at array_begin_
    bool needs_row_ = false;     // after a comma
    bool in_string_ = false;
    bool is_escaped_ = false;
    bool is_skipping_ = false; // inside a row that was too long
    std::string frame_;        // the document without its rows
    std::uint64_t line_ = 1;   // line number at the start of held_
};

} // namespace fingerpost::cli::enrich
