// Base of the readers of line formats: cuts lines, parses prefixes by a policy, and keeps the first error.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "fingerpost/net/prefix.hpp"
#include "fingerpost/net/text.hpp"
#include "io/format/parts/fault_log.hpp"
#include "io/format/parts/input_error.hpp"
#include "io/format/parts/lines.hpp"
#include "io/format/parts/words.hpp"

namespace fingerpost::io {

class line_reader {
  protected:
    // `file`: the name of the input in errors. `kind`: a description such as "a table" for errors.
    line_reader(std::string file, const char* kind, host_bits policy)
        : line_reader(fault_log(std::move(file)), kind, policy) {}
    line_reader(fault_log faults, const char* kind, host_bits policy)
        : faults_(std::move(faults)), kind_(kind), policy_(policy) {}

    // Calls take(line) for every line; the first line is passed without a byte order mark. take() returns
    // false if it has refused a line. Returns false after the first error.
    template <class Take>
    bool feed_lines(std::string_view chunk, Take&& take) {
        if (faults_.failed())
            return false;
        const cut result = lines_.feed(
            chunk, [&](std::string_view line, std::uint64_t number) { return give(take, line, number); },
            [&](std::string_view, std::uint64_t) {
                return refuse({}, "the line has more than " + std::to_string(max_line_bytes) +
                                      " bytes; is this " + kind_ + "?");
            });
        return result == cut::ok;
    }
    // Passes on a last line without a line end. Returns the first error.
    template <class Take>
    std::optional<input_error> finish_lines(Take&& take) {
        if (!faults_.failed())
            lines_.finish(
                [&](std::string_view line, std::uint64_t number) { return give(take, line, number); });
        return faults_.take_error();
    }

    // Returns nothing if the prefix was refused.
    template <class A>
    std::optional<prefix<A>> take_prefix(std::string_view text) {
        auto p = parse_prefix<A>(text, host_bits::refuse);
        if (!p && p.error().reason == text_fault::host_bits && policy_ == host_bits::mask) {
            p = parse_prefix<A>(text);
            ++masked_;
        }
        if (p)
            return *p;
        refuse(text, message(p.error()));
        return std::nullopt;
    }
    // Reports a fault of the current line. Returns true, for the caller to return, if it is skipped.
    bool refuse(std::string_view text, std::string reason) {
        return faults_.refuse(lines_.number(), text, std::move(reason));
    }
    // Reports a fault of an earlier line.
    bool refuse_at(std::uint64_t line, std::string_view text, std::string reason) {
        return faults_.refuse(line, text, std::move(reason));
    }
    std::optional<input_error> take_error() { return faults_.take_error(); }
    // Reports a fault that is never skipped.
    bool fail(std::string_view text, std::string reason) {
        return faults_.fail(lines_.number(), text, std::move(reason));
    }

    // Line end of the current line.
    std::string_view line_end() const noexcept { return lines_.end(); }
    std::uint64_t lines_read() const noexcept { return lines_.number(); }
    // Number of prefixes whose host bits were cleared.
    std::uint64_t masked() const noexcept { return masked_; }
    std::uint64_t skipped() const noexcept { return faults_.skipped(); }

  private:
    template <class Take>
    bool give(Take& take, std::string_view line, std::uint64_t number) {
        return take(number == 1 ? without_byte_order_mark(line) : line) || !faults_.failed();
    }

    fault_log faults_;
    const char* kind_;
    host_bits policy_;
    line_cutter lines_;
    std::uint64_t masked_ = 0;
};

} // namespace fingerpost::io
