// Cuts selected values out of a JSON document that is one large object, while it arrives. So a reader gets
// each route of a table without holding the whole table.
//
//     {"metadata": {"generated": 1}, "roas": [ {"prefix": "10.0.0.0/8"}, {"prefix": "10.1.0.0/16"} ]}
//                                              ^^^^^^^^^^^^^^^^^^^^^^^^  ^^^^^^^^^^^^^^^^^^^^^^^^^
//
// The text around these values is checked here. The values themselves are checked by their parser.
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

// No route has a longer value. Without a limit, a missing brace would fill the memory.
inline constexpr std::size_t max_value_bytes = std::size_t{16} << 20;

class document_cutter {
  public:
    // Whether the object or array at this path is cut out as a whole. The path has the names of members from
    // the outermost on; the name of an array element is empty.
    using selector = bool (*)(std::span<const std::string> path, char opening);

    // Whether an input may have several documents, one after the other.
    enum class documents : std::uint8_t { one, several };

    // `takes_array`: the document may be an array. The path of its elements is one empty name.
    explicit document_cutter(selector selects, documents count = documents::one, bool takes_array = false)
        : selects_(selects), count_(count), takes_array_(takes_array) {}

    enum class event : std::uint8_t {
        none,
        value, // text() is a selected value, at path()
        bad,   // reason() describes the fault at text(); nothing more can be read
    };
    event take(char c) {
        const event result = step(c);
        line_ += c == '\n' ? 1 : 0;
        return result;
    }
    // Ends the input.
    event finish();

    // Valid until the next take().
    std::string_view text() const noexcept { return text_; }
    std::span<const std::string> path() const noexcept { return path_; }
    const std::string& reason() const noexcept { return reason_; }
    // Line in which the text begins, from 1.
    std::uint64_t text_line() const noexcept { return text_line_; }
    // The current line.
    std::uint64_t line() const noexcept { return line_; }
    // Whether the document has a member with this name that is an object or array and was not cut out. Only
    // the first 32 such members are known.
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

    selector selects_;
    documents count_;
    bool takes_array_;
    std::string text_;
    std::string reason_;
    std::vector<std::string> path_;
    std::string open_; // opening braces and brackets around the current position
    std::vector<std::string> opened_;
    std::uint64_t text_line_ = 1;
    std::uint64_t line_ = 1;
    value_extent extent_;  // of the value that is being cut out
    std::size_t mark_ = 0; // bytes of a byte order mark read
    inside inside_ = inside::nothing;
    expected_next next_ = expected_next::document;
    bool is_escaped_ = false; // applies to the next character of a key or string
};

} // namespace fingerpost::io
