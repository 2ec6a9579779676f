// Finds the end of a JSON object or array, character by character. Only strings, braces and brackets are
// tracked; a parser decides whether the value is valid.
#pragma once

#include <cstddef>

#include "fingerpost/base/cxx20.hpp"

namespace fingerpost::io {

class value_extent {
  public:
    // Begins a value, after its opening brace or bracket.
    void begin() noexcept { *this = {}; }
    // Takes the next character of the value. Returns true if the value ends with it.
    bool take(char c) noexcept {
        if (in_string_) {
            const bool is_plain = is_escaped_ || (c != '\\' && c != '"');
            in_string_ = is_plain || c == '\\';
            is_escaped_ = !is_plain && c == '\\';
            return false;
        }
        in_string_ = c == '"';
        depth_ += c == '{' || c == '[' ? 1 : 0;
        return (c == '}' || c == ']') && --depth_ == 0;
    }
    bool in_string() const noexcept { return in_string_; }

  private:
    std::size_t depth_ = 1; // open braces and brackets
    bool in_string_ = false;
    bool is_escaped_ = false;
};

} // namespace fingerpost::io
