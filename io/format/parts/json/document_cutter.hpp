// Cuts a JSON document that is one large object into the values that a reader wants, as they come: each route
// of a table, but never the whole table.
//
//     {"metadata": {"generated": 1}, "roas": [ {"prefix": "10.0.0.0/8"}, {"prefix": "10.1.0.0/16"} ]}
//                                              ^^^^^^^^^^^^^^^^^^^^^^^^  ^^^^^^^^^^^^^^^^^^^^^^^^^
//
// What lies around these values is checked here; whether a value is valid, its parser decides.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "fingerpost/base/cxx20.hpp"
#include "io/format/parts/json/value_extent.hpp"

namespace fingerpost::io {

// A longer value describes no route; without a limit a missing brace would fill the memory.
inline constexpr std::size_t max_value_bytes = std::size_t{16} << 20;

class document_cutter {
  public:
    // Whether the object or array at this path is cut out whole. The path has the names of members from the
    // outermost on, and an empty name for an element of an array.
    using wanted = bool (*)(std::span<const std::string> path, char opening);

    // How many documents an input may have, one after the other.
    enum class documents : std::uint8_t { one, several };

    // `takes_array`: the document may be an array, whose elements have the path of one empty name.
    explicit document_cutter(wanted wants, documents count = documents::one, bool takes_array = false)
        : wants_(wants), count_(count), takes_array_(takes_array) {}

    enum class event : std::uint8_t {
        none,
        value, // text() is a wanted value, at path()
        bad,   // the document is wrong at text(), as reason() says; nothing more can be read
    };
    event take(char c) {
        const event made = step(c);
        line_ += c == '\n' ? 1 : 0;
        return made;
    }
    // The end of the input.
    event finish();

    // These are valid until the next take().
    std::string_view text() const noexcept { return text_; }
    std::span<const std::string> path() const noexcept { return path_; }
    const std::string& reason() const noexcept { return reason_; }
    // The line in which the text begins, from 1.
    std::uint64_t text_line() const noexcept { return text_line_; }
    // The current line.
    std::uint64_t line() const noexcept { return line_; }
    // Whether the document has a member with this name that is an object or array and was not cut out. Only
    // the first members are known.
    bool has_opened(std::string_view name) const noexcept;
    std::span<const std::string> opened() const noexcept { return opened_; }

  private:
    enum class inside : std::uint8_t { nothing, key, string, scalar, value, broken };
    enum class expected_next : std::uint8_t {
        document,
        key_or_end,
        key,
        colon,
        value,
        value_or_end,
        separator,
        end
    };

    event step(char c);
    event step_value(char c);
    event step_string(char c);
    event step_between(char c);
    event open(char c);
    event close(char c);
    event end_token();
    event fail(std::string reason);
    void begin(inside what, char c);

    wanted wants_;
    documents count_;
    bool takes_array_;
    std::string text_;
    std::string reason_;
    std::vector<std::string> path_;
    std::string open_; // the opening braces and brackets around the current place
    std::vector<std::string> opened_;
    std::uint64_t text_line_ = 1;
    std::uint64_t line_ = 1;
    value_extent extent_;  // of the value that is cut out
    std::size_t mark_ = 0; // bytes of a byte order mark so far
    inside inside_ = inside::nothing;
    expected_next next_ = expected_next::document;
    bool is_escaped_ = false; // the next character of a key or string
};

} // namespace fingerpost::io
