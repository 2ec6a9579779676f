// The rows of one or several files, in blocks, without the headers of CSV.
#pragma once

#include <cstddef>
#include <deque>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/enrich/rows/row_cutter.hpp"
#include "io/source/file.hpp"

namespace fingerpost::cli::enrich {

class row_input {
  public:
    // `-` is the standard input; at least one. At most `most_bytes` are cut at once.
    row_input(std::vector<std::string> paths, std::size_t most_bytes);

    // Opens the first file and returns how it begins: a line at least, or all there is. Throws failure.
    std::string_view open_first();
    // Whether the first file began with the byte order mark of UTF-8.
    bool has_mark() const noexcept { return has_mark_; }

    // Before any row is taken. The first row is read at once unless a row is a line, when `dialect` is
    // nullptr. If it is a header, it must be that of all files. Throws failure.
    void begin(const csv_dialect* dialect, bool has_header);
    // With its line end; nothing when there is none, as the input is empty or rows have none.
    const std::optional<std::string>& header() const noexcept { return header_; }
    // How many fields the header or the first row has; 0 when there is none.
    std::size_t width() const noexcept { return width_; }

    // Hands on the next rows; false at the end, or when nobody wants any more.
    bool next(const row_cutter::receiver& to);
    // Why it has ended before the end of the input; to be asked when next() has returned false.
    const std::optional<std::string>& error() const noexcept { return error_; }

  private:
    bool open(const std::string& path);
    bool feed(std::string_view bytes, const row_cutter::receiver& to);
    bool take(row_block&& block, const row_cutter::receiver& to);
    bool take_header(row_block& block);
    void measure(const row_block& block);
    bool finish_file(const row_cutter::receiver& to);
    bool fail(std::string words);

    std::vector<std::string> paths_;
    std::size_t most_bytes_;
    std::size_t opened_ = 0; // how many of them
    std::optional<io::file_source> source_;
    std::string beginning_; // of the file that is open, while it has not been cut
    bool has_mark_ = false;
    std::optional<csv_dialect> dialect_;
    std::optional<row_cutter> cutter_;
    bool has_header_ = false;
    bool header_due_ = false; // of the file that is open
    std::optional<std::string> header_;
    std::string header_file_;
    std::size_t width_ = 0;
    bool has_begun_ = false;
    std::deque<row_block> early_; // read while the first row was
    std::optional<std::string> error_;
};

} // namespace fingerpost::cli::enrich
