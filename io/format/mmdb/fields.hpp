// The records of a MaxMind DB as rows of cells. Each field is a column with the type of its values.
#pragma once

#include "fingerpost/base/cxx20.hpp"
#if FINGERPOST_HAVE_MAXMINDDB

#include <cstddef>
#include <cstdint>
#include <maxminddb.h>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "fingerpost/base/expected.hpp"
#include "fingerpost/values/rows.hpp"

namespace fingerpost::io {

class mmdb_fields {
  public:
    // `names`: names of the fields to keep, in this order; all if empty.
    explicit mmdb_fields(const std::vector<std::string>& names);

    // Adds a record; records are numbered from 0. Returns the fault of a damaged record, with its place in
    // the file. Throws std::bad_alloc.
    std::optional<std::string> add(const MMDB_entry_s& record);

    // Names of the columns found so far; next_hop if there are none.
    std::vector<std::string> columns() const;
    // Types of the columns, from the first on.
    const std::vector<std::optional<column_type>>& types() const noexcept { return types_; }
    // Returns a requested field that no record has.
    std::optional<std::string> missing() const;
    // Returns the cells of a record, one for each column. Valid until the next row() or add().
    std::span<const std::string_view> row(std::size_t record);

  private:
    struct cell {
        std::uint32_t column;
        std::uint32_t text;
    };
    bool take(const MMDB_entry_data_list_s*& at);
    std::optional<std::uint32_t> column_of(const std::string& path);

    bool keeps_all_;
    std::vector<std::string> names_;
    std::vector<bool> is_seen_;
    std::vector<std::optional<column_type>> types_;          // of the fields that occurred
    std::unordered_map<std::string, std::uint32_t> columns_; // by path; `unwanted` for no column
    std::string path_;                                       // path of the current value
    unique_texts texts_;
    std::vector<cell> cells_;       // cells of all records, one after the other
    std::vector<std::size_t> ends_; // end of each record in cells_
    std::vector<std::string_view> row_;
};

} // namespace fingerpost::io

#endif
