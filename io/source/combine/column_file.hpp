// A CSV or TSV file without networks, whose rows are found by the text in a key column. For example, it has
// the names of places by their numbers.
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
    // Reads a file with a header, which may be compressed. `key` is the name of the key column; case and word
    // separators are ignored. These are errors, with the line: too many or too few fields, a quote that is
    // not closed on its line, and a key that an earlier row has.
    static expected<column_file, input_error> read(const std::string& path, std::string_view key);

    // The names of all columns except the key column, whose name is key().
    const std::vector<std::string>& names() const noexcept { return names_; }
    const std::string& key() const noexcept { return key_; }
    std::size_t rows() const noexcept { return rows_.size(); }
    // Returns the row with this key, or nothing. No row has an empty key.
    std::optional<next_hop> find(std::string_view key) const;
    // The common type of all values of a column.
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
    std::unordered_map<std::string, place, text_hash, std::equal_to<>> rows_;
};

} // namespace fingerpost::io
