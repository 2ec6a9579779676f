// The rows of all files, in blocks, without the headers of CSV.
#pragma once

#include <cstddef>
#include <deque>
#include <optional>
#include <string>
#include <string_view>

#include "cli/enrich/input/row_files.hpp"
#include "cli/enrich/rows/comment_header.hpp"
#include "cli/enrich/rows/input_kinds.hpp"
#include "cli/enrich/rows/record_cutter.hpp"
#include "cli/enrich/rows/row_cutter.hpp"

namespace fingerpost::cli::enrich {

// What is known before any row is looked at.
struct row_beginning {
    bool has_mark = false; // the input begins with the byte order mark of UTF-8
    // With its line end; nothing when the input is empty or rows have none.
    std::optional<std::string> header{};
    std::optional<comment_header> comments{}; // instead of it
    std::size_t width = 0; // how many fields the header or the first row of CSV has; 0 for none
};

class row_stream {
  public:
    // Reads the first row of CSV. If it is a header, it must be that of all files. At most `most_bytes` are
    // cut at once. Throws failure.
    row_stream(row_files files, const row_layout& layout, std::size_t most_bytes);

    const row_beginning& beginning() const noexcept { return first_; }
    std::shared_ptr<const input_progress> progress() const noexcept { return files_.progress(); }

    // Hands on the next rows; false at the end, or when the receiver wants no more.
    bool next(const row_cutter::receiver& to);
    // Why it has ended before the end of the input; to be asked when next() has returned false.
    const std::optional<std::string>& error() const noexcept { return error_; }

  private:
    bool read_more(const row_cutter::receiver& to);
    bool feed(std::string_view bytes, const row_cutter::receiver& to);
    // None: the end of the file.
    bool feed_document(std::string_view bytes, const row_cutter::receiver& to);
    bool take(row_block&& block, const row_cutter::receiver& to);
    bool take_header(row_block& block);
    bool take_comment_header();
    void measure(const row_block& block);
    bool finish_file(const row_cutter::receiver& to);
    bool fail(std::string words);

    row_files files_;
    row_layout layout_;
    std::size_t most_bytes_;
    std::optional<row_cutter> cutter_;       // of the file that is open
    std::optional<record_cutter> documents_; // instead of it, for JSON documents
    std::uint64_t comment_lines_ = 0;        // that its header has taken
    bool header_due_;                        // of the file that is open
    row_beginning first_;
    std::string header_file_;
    std::deque<row_block> early_; // read while the first row was
    std::optional<std::string> error_;
};

} // namespace fingerpost::cli::enrich
