// Standard output in large writes, messages on standard error, and what the terminal can do.
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

// Whether what is written there may be coloured: a terminal that can, and no NO_COLOR.
bool wants_color(int descriptor);

// What messages and helps call the program; the router's benchmark is another one.
inline const char* program_name = "fingerpost";

// One line on stderr: `fingerpost: ` and the words, the name in red where there is a terminal and no
// NO_COLOR. Whatever they quote, nothing but printable text goes out.
void report(std::string_view words);

// A line on stderr that the next one overwrites; nothing unless stderr is a terminal. Destroyed, it is wiped.
class progress {
  public:
    progress();
    progress(const progress&) = delete;
    progress& operator=(const progress&) = delete;
    ~progress();
    void show(std::string_view words);
    // The same with the time that is left; none is said when it is below 0.
    void show(std::string_view words, double seconds_left);
    void wipe();

  private:
    bool terminal_;
    bool shown_ = false;
};

// Gathers output and writes it in blocks to stdout or a file. What is not flushed is lost: commands flush
// when they are done. Throws closed_pipe when the reader has gone and failure when a write fails.
//
// A file is written beside its place, as a temporary_file, and put there by finish(): readers see the old one
// or all of the new one, and without finish() the old one stays. Links are followed. What is no regular file,
// a pipe or a device, is written to as it is.
class output {
  public:
    output();                                 // standard output
    explicit output(const std::string& path); // `-` is the standard output
    output(const output&) = delete;
    output& operator=(const output&) = delete;
    ~output();

    void write(std::string_view text) {
        text_ += text;
        if (text_.size() >= block_bytes)
            flush();
    }
    // To append to directly; call spill() now and then.
    std::string& text() noexcept { return text_; }
    void spill() {
        if (text_.size() >= block_bytes)
            flush();
    }
    void flush();
    // Flushes, and for a file makes sure that the system took it all, and puts it in its place.
    void finish();
    const std::string& name() const noexcept { return name_; }

  private:
    static constexpr std::size_t block_bytes = std::size_t{64} << 10;

    void open_beside(const std::filesystem::path& place);

    int descriptor_;
    std::string name_;
    std::string target_; // the name of the file to be replaced, in its folder, links followed
    system::unique_fd folder_;
    std::optional<temporary_file> temporary_; // what is written meanwhile, when a file is to be replaced
    std::string text_;
};

} // namespace fingerpost::cli
