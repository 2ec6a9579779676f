// Standard output in large writes, messages on standard error, and properties of the terminal.
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "fingerpost/base/temporary_file.hpp"
#include "system/unique_fd.hpp"

namespace fingerpost::cli {

bool is_terminal(int descriptor) noexcept;

// Whether output there may be coloured: it is a terminal with colours, and NO_COLOR is not set.
bool wants_color(int descriptor);

// The program's name in messages and help. The router's benchmark sets another one.
inline const char* program_name = "fingerpost";

// Writes one line to stderr: `fingerpost: ` and the text, with the name in red on a terminal without
// NO_COLOR. Unprintable characters are escaped.
void report(std::string_view text);

// Set by --verbose.
inline bool is_verbose = false;
// Reports how input is interpreted. Does nothing unless stderr is a terminal or --verbose is set.
void notice(std::string_view text);

// A line on stderr that the next one overwrites. Does nothing unless stderr is a terminal. The destructor
// erases it.
class progress {
  public:
    progress();
    progress(const progress&) = delete;
    progress& operator=(const progress&) = delete;
    ~progress();
    void show(std::string_view text);
    // Shows a line with the remaining time, which is left out if it is below 0.
    void show(std::string_view text, double seconds_left);
    void wipe();

  private:
    bool terminal_;
    bool shown_ = false;
};

// Collects output and writes it in blocks to stdout or a file. Text that is not flushed is lost: commands
// flush when they are done. Throws closed_pipe if the reader has gone, and failure if a write fails.
//
// A file is written as a temporary_file next to its place, and finish() moves it there. So readers see the
// old file or the complete new one, and without finish() the old one stays. Links are followed. If the place
// is not a regular file but a pipe or a device, it is written directly.
class output {
  public:
    output();                                 // standard output
    explicit output(const std::string& path); // `-` is standard output
    output(const output&) = delete;
    output& operator=(const output&) = delete;
    ~output();

    void write(std::string_view text) {
        text_ += text;
        if (text_.size() >= block_bytes)
            flush();
    }
    // The text to append to. Call spill() from time to time.
    std::string& text() noexcept { return text_; }
    void spill() {
        if (text_.size() >= block_bytes)
            flush();
    }
    void flush();
    // Flushes the text. For a file, ensures that the system has accepted everything, and moves it to its
    // place.
    void finish();
    const std::string& name() const noexcept { return name_; }

  private:
    static constexpr std::size_t block_bytes = std::size_t{64} << 10;

    void open_beside(const std::filesystem::path& place);

    int descriptor_;
    std::string name_;
    std::string target_; // name of the file to replace, in its folder, after following links
    system::unique_fd folder_;
    std::optional<temporary_file> temporary_; // new content of the file, until it is replaced
    std::string text_;
};

} // namespace fingerpost::cli
