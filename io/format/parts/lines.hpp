// Cuts a stream of chunks into lines. A line within one chunk is not copied.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

#include "fingerpost/base/cxx20.hpp"

namespace fingerpost::io {

// No line of a text file is longer. Without a limit, a file of zeros would be one line in memory.
inline constexpr std::size_t max_line_bytes = 65'536;

enum class cut : std::uint8_t {
    ok,       // receive() got all lines
    stopped,  // receive() returned false
    too_long, // a line has more than max_line_bytes; number() is its number
};

// Calls receive(line, number) for each line, with numbers from 1 and without the line end (LF or CRLF).
// receive() returns whether to continue. After any result but cut::ok the cutter must not be used any more.
class line_cutter {
  public:
    template <class F>
    cut feed(std::string_view chunk, F&& receive) {
        return feed(chunk, receive, [](std::string_view, std::uint64_t) { return false; });
    }

    // Calls refuse(beginning of the line, number) once for a line that is too long. If it returns true, the
    // line is skipped; otherwise reading ends.
    template <class F, class Refuse>
    cut feed(std::string_view chunk, F&& receive, Refuse&& refuse) {
        const char* at = chunk.data();
        const char* const end = at + chunk.size();
        while (at != end) {
            const auto* const newline =
                static_cast<const char*>(std::memchr(at, '\n', static_cast<std::size_t>(end - at)));
            const char* const stop = newline != nullptr ? newline : end;
            std::string_view line(at, static_cast<std::size_t>(stop - at));
            at = newline != nullptr ? newline + 1 : end;
            if (skipping_) {
                skipping_ = newline == nullptr;
                continue;
            }
            if (line.size() + partial_.size() > max_line_bytes) {
                ++number_;
                partial_ += line.substr(0, max_line_bytes - partial_.size());
                skipping_ = newline == nullptr;
                const bool goes_on = refuse(std::string_view(partial_), number_);
                partial_.clear();
                if (!goes_on)
                    return cut::too_long;
                continue;
            }
            if (newline == nullptr) {
                partial_ += line;
                return cut::ok;
            }
            if (!partial_.empty())
                line = partial_ += line;
            ++number_;
            const bool goes_on = receive(without_return(line), number_);
            partial_.clear();
            if (!goes_on)
                return cut::stopped;
        }
        return cut::ok;
    }

    // Passes on a last line without a line end.
    template <class F>
    cut finish(F&& receive) {
        if (partial_.empty())
            return cut::ok;
        ++number_;
        const bool goes_on = receive(without_return(partial_), number_);
        partial_.clear();
        return goes_on ? cut::ok : cut::stopped;
    }

    // Number of the last line, from 1; 0 before the first.
    std::uint64_t number() const noexcept { return number_; }
    // Line end of the last line: CRLF or LF. It is LF for a line without an end.
    std::string_view end() const noexcept { return has_return_ ? "\r\n" : "\n"; }

  private:
    std::string_view without_return(std::string_view line) {
        has_return_ = !line.empty() && line.back() == '\r';
        if (has_return_)
            line.remove_suffix(1);
        return line;
    }

    std::string partial_; // start of a line that continues in the next chunk
    std::uint64_t number_ = 0;
    bool has_return_ = false;
    bool skipping_ = false; // within a line that was too long and was reported
};

} // namespace fingerpost::io
