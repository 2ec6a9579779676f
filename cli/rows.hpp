// The answers of a lookup as text, CSV or NDJSON.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace fingerpost::cli {

enum class row_format : std::uint8_t { text, csv, ndjson };

// `prefix` is empty when no route matches, `next_hop` also when the matching route has none; both are when
// the address is none, which `error` tells.
struct row {
    std::string_view address{};
    std::string_view prefix{};
    std::string_view next_hop{};
    std::string_view error{};
};

class row_writer {
  public:
    // CSV has a column for errors if there may be some.
    row_writer(row_format format, bool with_errors) : format_(format), with_errors_(with_errors) {}

    // What stands before the first row: the header of CSV.
    void begin(std::string& out) const;

    // Text aligns the columns of all rows given at once, and of later ones while they are not wider.
    void write(std::span<const row> rows, std::string& out);

  private:
    void write_text(std::span<const row> rows, std::string& out);
    void write_csv(std::span<const row> rows, std::string& out) const;

    row_format format_;
    bool with_errors_;
    std::size_t address_width_ = 0;
    std::size_t prefix_width_ = 1; // a dash at least
};

} // namespace fingerpost::cli
