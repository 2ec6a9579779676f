// Opens the input files one after the other and reads their bytes.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/enrich/rows/comment_header.hpp"
#include "io/source/file.hpp"

namespace fingerpost::cli::enrich {

// Read by the thread that shows progress.
struct input_progress {
    std::atomic<std::uint64_t> done = 0; // bytes read from the files, compressed or not
    std::uint64_t total = 0;             // 0 if unknown
};

class row_files {
  public:
    // Opens the first file, and reports on stderr if it is a terminal. `-` is standard input; at least one
    // path is needed. Throws failure.
    explicit row_files(std::vector<std::string> paths);

    // The first bytes of the open file, without a byte order mark: at least a line, a header in comments with
    // the first row, or the whole file.
    std::string_view beginning() const noexcept { return beginning_; }
    // Whether the first file began with a UTF-8 byte order mark.
    bool has_mark() const noexcept { return has_mark_; }

    // Whether a file is open.
    bool is_open() const noexcept { return source_.has_value(); }
    // The name of the open file in messages.
    const std::string& name() const { return source_->name(); }
    // Opens the next file. Returns false after the last one, and on failure, which error() reports.
    bool open_next();
    // Removes and returns the header in comments at the start of the open file.
    std::optional<comment_header> take_comment_header();
    // Reads the next bytes of the open file; none at its end. Returns nothing on failure, which error()
    // reports. Valid until the next call.
    std::optional<std::string_view> read();
    void close() { source_.reset(); }
    std::shared_ptr<const input_progress> progress() const noexcept { return progress_; }
    const std::optional<std::string>& error() const noexcept { return error_; }

  private:
    bool fail(std::string words);

    std::vector<std::string> paths_;
    std::size_t opened_ = 0; // number of opened files
    std::optional<io::file_source> source_;
    std::string beginning_;
    bool beginning_is_read_ = false;
    bool has_mark_ = false;
    std::optional<std::string> error_;
    std::shared_ptr<input_progress> progress_ = std::make_shared<input_progress>();
};

} // namespace fingerpost::cli::enrich
