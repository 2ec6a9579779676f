// The files with the rows: opened one after the other, read as bytes.
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
    std::atomic<std::uint64_t> done = 0; // bytes of the files themselves, compressed or not
    std::uint64_t all = 0;               // 0 if that is not known
};

class row_files {
  public:
    // Opens the first file, and says so on stderr when it is a terminal. `-` is the standard input; at least
    // one. Throws failure.
    explicit row_files(std::vector<std::string> paths);

    // How the open file begins, without a byte order mark: a line at least, a header in comments with the
    // first row, or all there is.
    std::string_view beginning() const noexcept { return beginning_; }
    // Whether the first file began with the byte order mark of UTF-8.
    bool has_mark() const noexcept { return has_mark_; }

    // Whether a file is open.
    bool is_open() const noexcept { return source_.has_value(); }
    // Its name, as errors say it.
    const std::string& name() const { return source_->name(); }
    // Opens the next file; false after the last one, and when error() says why not.
    bool open_next();
    // Takes the header in comments that the open file begins with off its bytes.
    std::optional<comment_header> take_comment_header();
    // The next bytes of the open file, none at its end; nothing when error() says why not. Valid until the
    // next call.
    std::optional<std::string_view> read();
    void close() { source_.reset(); }
    std::shared_ptr<const input_progress> progress() const noexcept { return progress_; }
    const std::optional<std::string>& error() const noexcept { return error_; }

  private:
    bool fail(std::string words);

    std::vector<std::string> paths_;
    std::size_t opened_ = 0; // how many of them
    std::optional<io::file_source> source_;
    std::string beginning_;
    bool beginning_is_read_ = false;
    bool has_mark_ = false;
    std::optional<std::string> error_;
    std::shared_ptr<input_progress> progress_ = std::make_shared<input_progress>();
};

} // namespace fingerpost::cli::enrich
