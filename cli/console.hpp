// Standard output in large writes, messages on standard error, and what the terminal can do.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace fingerpost::cli {

bool is_terminal(int descriptor) noexcept;

// Whether what is written there may be coloured: a terminal that can, and no NO_COLOR.
bool wants_color(int descriptor);

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
// A file is written beside its place, as `.fingerpost-PID-N.tmp`, and put there by finish(): whoever reads it
// sees the old one or all of the new one, and without finish() the old one stays. Links are followed. What is
// no regular file, a pipe or a device, is written to as it is.
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
    bool is_file() const noexcept { return !target_.empty(); }
    const std::string& name() const noexcept { return name_; }

  private:
    static constexpr std::size_t block_bytes = std::size_t{64} << 10;

    void open_beside();

    int descriptor_;
    std::string name_;
    std::string target_;    // the file to be replaced, links followed; empty when there is none
    std::string temporary_; // what is written meanwhile
    std::string text_;
};

} // namespace fingerpost::cli
