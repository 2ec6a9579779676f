// What readers of line formats share: cutting lines, prefixes under a policy, and the first error.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "fingerpost/net/prefix.hpp"
#include "fingerpost/net/text.hpp"
#include "io/format/input_error.hpp"
#include "io/format/lines.hpp"

namespace fingerpost::io {

class line_reader {
  protected:
    // `file` is what errors call the input, `kind` what they ask whether it is: "a table".
    line_reader(std::string file, const char* kind, host_bits policy)
        : file_(std::move(file)), kind_(kind), policy_(policy) {}

    // Gives every line to take(line), which returns false when it has refused it. False after the first
    // error.
    template <class Take>
    bool feed_lines(std::string_view chunk, Take&& take) {
        if (error_)
            return false;
        const cut result =
            lines_.feed(chunk, [&](std::string_view line, std::uint64_t) { return take(line); });
        if (result == cut::too_long)
            return refuse({}, "the line has more than " + std::to_string(max_line_bytes) +
                                  " bytes; is this " + kind_ + "?");
        return result == cut::ok;
    }
    // The last line, if it has no end; then the first error, if there was one.
    template <class Take>
    std::optional<input_error> finish_lines(Take&& take) {
        if (!error_)
            lines_.finish([&](std::string_view line, std::uint64_t) { return take(line); });
        return std::move(error_);
    }

    // Nothing when it was refused.
    template <class A>
    std::optional<prefix<A>> take_prefix(std::string_view text) {
        auto p = parse_prefix<A>(text, host_bits::refuse);
        if (!p && p.error().reason == text_fault::host_bits && policy_ == host_bits::mask) {
            p = parse_prefix<A>(text);
            ++masked_;
        }
        if (p)
            return *p;
        refuse(text, describe(p.error(), text));
        return std::nullopt;
    }
    // Notes the error of the line at hand; false, for who returns it.
    bool refuse(std::string_view text, std::string reason) {
        error_ = input_error{file_, lines_.number(), std::string(text), std::move(reason)};
        return false;
    }

    std::uint64_t lines_read() const noexcept { return lines_.number(); }
    // Prefixes whose host bits were cleared.
    std::uint64_t masked() const noexcept { return masked_; }

  private:
    std::string file_;
    const char* kind_;
    host_bits policy_;
    line_cutter lines_;
    std::uint64_t masked_ = 0;
    std::optional<input_error> error_;
};

} // namespace fingerpost::io
