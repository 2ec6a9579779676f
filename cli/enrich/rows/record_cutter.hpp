// Cuts JSON documents into blocks of the objects that are their rows: the elements of an array, which is the
// document, or the first member of it that is an array of objects. All other bytes are frames around the
// rows. io::document_cutter finds values alone; this one keeps every byte, so that the document can be
// written again.
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

    // As those of row_cutter; also false when error() is set.
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
    std::vector<row_place> places_; // in it, up to `placed_`
    std::size_t placed_ = 0;
    std::size_t seen_ = 0;
    std::size_t row_begin_ = none; // of the row that is being read
    std::size_t value_end_ = 0;    // after the last byte that is not blank
    std::size_t array_begin_ = 0;  // after the bracket of an array that may have the rows

    std::string open_;           // brackets
    std::size_t row_depth_ = 0;  // how many of them are around rows; 0 outside of the array
    bool has_rows_ = false;      // the array of the rows has been found
    bool has_empty_ = false;     // there was an empty array, which may be the one of the rows
    bool awaits_object_ = false; // the bracket at array_begin_ is the last byte that is not blank
    bool needs_row_ = false;     // after a comma
    bool in_string_ = false;
    bool is_escaped_ = false;
    bool is_skipping_ = false; // a row that was too long
    std::string frame_;        // the document without its rows
    std::uint64_t line_ = 1;   // at which held_ begins
};

} // namespace fingerpost::cli::enrich
