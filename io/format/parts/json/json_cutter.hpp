// Cuts JSON into objects while it arrives: objects one after the other (JSON Lines), or the elements of one
// array.
//
//     {"network":"10.0.0.0/8","asn":64500}          [{"network":"10.0.0.0/8"},
//     {"network":"10.1.0.0/16"}                      {"network":"10.1.0.0/16"}]
//
// Only braces and strings are looked at; a parser checks the objects. If the first object is on one line
// outside an array, every object must be. So reading can continue on the line after a truncated one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "fingerpost/base/cxx20.hpp"
#include "io/format/parts/json/value_extent.hpp"

namespace fingerpost::io {

// No route has a longer object. Without a limit, a missing brace would fill the memory.
inline constexpr std::size_t max_object_bytes = std::size_t{1} << 20;

class json_cutter {
  public:
    // `takes_texts`: the elements of an array may be strings, which are reported like objects.
    explicit json_cutter(bool takes_texts = false) : takes_texts_(takes_texts) {}

    enum class event : std::uint8_t {
        none,
        object, // text() is an object, from its first to its last brace, or a string with its quotes
        bad,    // text() is something else, or its beginning; reason() describes the fault
    };

    event take(char c) {
        if (is_reported_) {
            text_.clear();
            is_reported_ = false;
        }
        const event result = step(c);
        line_ += c == '\n' ? 1 : 0;
        return result;
    }
    // Ends the input.
    event finish();

    // Valid until the next take().
    std::string_view text() const noexcept { return text_; }
    const char* reason() const noexcept { return reason_; }
    // Line in which the text begins, from 1.
    std::uint64_t text_line() const noexcept { return text_line_; }
    // The current line.
    std::uint64_t line() const noexcept { return line_; }

  private:
    enum class place : std::uint8_t { outside, object, text, wrong_line, skipped_line };
    enum class expected_next : std::uint8_t { first, element, separator, nothing, anything };

    event step(char c) {
        return place_ == place::object ? step_inside(c)
               : place_ == place::text ? step_text(c)
                                       : step_outside(c);
    }
    event step_inside(char c);
    event step_text(char c);
    event step_outside(char c);
    bool takes_outside(char c);
    event report(event result) {
        is_reported_ = true;
        return result;
    }
    event report_bad(const char* reason, place next_place) {
        reason_ = reason;
        place_ = next_place;
        next_ = expected_next::anything;
        return report(event::bad);
    }

    std::string text_;
    const char* reason_ = "";
    std::uint64_t text_line_ = 1;
    std::uint64_t line_ = 1;
    std::size_t mark_ = 0; // bytes of a byte order mark read
    value_extent extent_;  // of the current object
    place place_ = place::outside;
    expected_next next_ = expected_next::first;
    bool takes_texts_;
    bool is_escaped_ = false; // applies to the next character of a text
    bool in_array_ = false;
    bool is_reported_ = false;
    bool has_object_ = false;
    bool one_line_ = false; // an object ends on the line on which it begins
};

} // namespace fingerpost::io
