// Cuts JSON into objects as they come: one after the other (JSON lines), or the elements of one array.
//
//     {"network":"10.0.0.0/8","asn":64500}          [{"network":"10.0.0.0/8"},
//     {"network":"10.1.0.0/16"}                      {"network":"10.1.0.0/16"}]
//
// It looks only at braces and strings; a parser decides whether an object is valid. If the first object is a
// single line outside of an array, all objects must be. So after a line that was cut off, the next line can
// be read.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "fingerpost/base/cxx20.hpp"
#include "io/format/parts/json/value_extent.hpp"

namespace fingerpost::io {

// Longer objects describe no route; without a limit a missing brace would fill the memory.
inline constexpr std::size_t max_object_bytes = std::size_t{1} << 20;

class json_cutter {
  public:
    // `takes_texts`: the elements of an array may be texts, which are given as objects are.
    explicit json_cutter(bool takes_texts = false) : takes_texts_(takes_texts) {}

    enum class event : std::uint8_t {
        none,
        object, // text() is an object, from its first to its last brace, or a text with its quotes
        bad,    // text() is, or begins, something else; reason() says what is wrong
    };

    event take(char c) {
        if (is_told_) {
            text_.clear();
            is_told_ = false;
        }
        const event made = step(c);
        line_ += c == '\n' ? 1 : 0;
        return made;
    }
    // The end of the input.
    event finish();

    // These are valid until the next take().
    std::string_view text() const noexcept { return text_; }
    const char* reason() const noexcept { return reason_; }
    // The line in which the text begins, from 1.
    std::uint64_t text_line() const noexcept { return text_line_; }
    // The current line.
    std::uint64_t line() const noexcept { return line_; }

  private:
    enum class place : std::uint8_t { outside, object, text, wrong_line, skipped_line };
    enum class wanted : std::uint8_t { first, element, separator, nothing, anything };

    event step(char c) {
        return place_ == place::object ? step_inside(c)
               : place_ == place::text ? step_text(c)
                                       : step_outside(c);
    }
    event step_inside(char c);
    event step_text(char c);
    event step_outside(char c);
    bool takes_outside(char c);
    event tell(event made) {
        is_told_ = true;
        return made;
    }
    event tell_bad(const char* reason, place next) {
        reason_ = reason;
        place_ = next;
        wants_ = wanted::anything;
        return tell(event::bad);
    }

    std::string text_;
    const char* reason_ = "";
    std::uint64_t text_line_ = 1;
    std::uint64_t line_ = 1;
    std::size_t mark_ = 0; // bytes of a byte order mark so far
    value_extent extent_;  // of the object
    place place_ = place::outside;
    wanted wants_ = wanted::first;
    bool takes_texts_;
    bool is_escaped_ = false; // the next character of a text
    bool in_array_ = false;
    bool is_told_ = false;
    bool has_object_ = false;
    bool one_line_ = false; // an object ends in the line in which it begins
};

} // namespace fingerpost::io
