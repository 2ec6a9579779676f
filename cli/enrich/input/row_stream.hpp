// The rows of all files, in blocks, without CSV headers.
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

// Facts about the input that are known before the first row.
struct row_beginning {
    bool has_mark = false; // whether the input begins with a UTF-8 byte order mark
    // Includes the line end. Unset if the input is empty or has no header.
    std::optional<std::string> header{};
    std::optional<comment_header> comments{}; // replaces `header`
    std::size_t width = 0; // number of fields in the header or first row of CSV; 0 if there is none
};

class row_stream {
  public:
    // Reads the first row of CSV. If it is a header, all files must have the same one. Cuts at most
    // `most_bytes` at a time. Throws failure.
    row_stream(row_files files, const row_layout& layout, std::size_t most_bytes);

    const row_beginning& beginning() const noexcept { return first_; }
    std::shared_ptr<const input_progress> progress() const noexcept { return files_.progress(); }

    // Passes on the next rows. Returns false at the end, or when the receiver stops.
    bool next(const row_cutter::receiver& to);
    // The reason why the input ended early, after next() returned false.
    const std::optional<std::string>& error() const noexcept { return error_; }

  private:
    bool read_more(const row_cutter::receiver& to);
    bool feed(std::string_view bytes, const row_cutter::receiver& to);
    // Empty bytes mean the end of the file.
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
    std::optional<row_cutter> cutter_;       // for the open file
    std::optional<record_cutter> documents_; // replaces it for JSON documents
    std::uint64_t comment_lines_ = 0;        // number of lines of the header in comments
    bool header_due_;                        // whether the open file's header comes next
    row_beginning first_;
    std::string header_file_;
    std::deque<row_block> early_; // blocks read together with the first row
    std::optional<std::string> error_;
};

} // namespace fingerpost::cli::enrich
