// A CSV or TSV file without networks, whose rows are found by the text in one of its columns: the names of
// places, for example, by their numbers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "fingerpost/base/expected.hpp"
#include "fingerpost/values/rows.hpp"
#include "io/format/parts/input_error.hpp"

namespace fingerpost::io {

class column_file {
  public:
    // Reads a file, which may be compressed, with a header. `key` is the name of the column by which rows are
    // found; case and separators of words do not count. Errors name the line: of a row with too many or too
    // few fields, of a quote that is not closed in its line, and of a key that an earlier row has.
    static expected<column_file, input_error> read(const std::string& path, std::string_view key);

    // All columns but the one of the key, which is called key().
    const std::vector<std::string>& names() const noexcept { return names_; }
    const std::string& key() const noexcept { return key_; }
    std::size_t rows() const noexcept { return found_.size(); }
    // The row with this key; nothing if there is none. An empty key has no row.
    std::optional<next_hop> find(std::string_view key) const;
    // Decided by all values of a column.
    column_type type(std::size_t column) const noexcept { return cells_.type(column); }
    std::string_view cell(next_hop row, std::size_t column) const noexcept {
        return cells_.cell(row, column);
    }

  private:
    friend class column_file_reader;

    struct place {
        next_hop row;
        std::uint64_t line;
    };
    struct text_hash : std::hash<std::string_view> {
        using is_transparent = void;
    };
    std::string key_;
    std::vector<std::string> names_;
    value_rows cells_;
    std::unordered_map<std::string, place, text_hash, std::equal_to<>> found_;
};

} // namespace fingerpost::io
