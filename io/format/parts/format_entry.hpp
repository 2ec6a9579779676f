// A table format: its name, the functions that recognise it, and its reader.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "fingerpost/base/expected.hpp"
#include "io/format/parts/input_error.hpp"
#include "io/format/parts/table_data.hpp"

namespace fingerpost::io {

// Reads a table in chunks of any size.
class format_reader {
  public:
    virtual ~format_reader() = default;
    // Returns false after the first error, which finish() returns; the rest need not be fed.
    virtual bool feed(std::string_view chunk) = 0;
    // The last call is to one of these two; the other is not called.
    virtual expected<one_table, input_error> finish() = 0;
    virtual expected<both_tables, input_error> finish_both() = 0;
};

template <class R>
class held_reader final : public format_reader {
  public:
    explicit held_reader(R reader) : reader_(std::move(reader)) {}
    bool feed(std::string_view chunk) override { return reader_.feed(chunk); }
    expected<one_table, input_error> finish() override { return std::move(reader_).finish(); }
    expected<both_tables, input_error> finish_both() override { return std::move(reader_).finish_both(); }

  private:
    R reader_;
};

// `file`: the name of the input in errors.
template <class R>
std::unique_ptr<format_reader> open_reader(const std::string& file, const table_options& options) {
    return std::make_unique<held_reader<R>>(R(file, options));
}

// A line that is neither empty nor a comment.
struct detected_line {
    std::string_view line;
    std::string_view next; // the line after it, empty at the end
    bool is_first;
};

// Whether `word` is a prefix, valid or not, at the start of a line. Words of CSV headers are not:
// `prefix,in/out via x`.
bool starts_like_prefix(std::string_view word);

// Each format's folder defines one entry or several; io/format/list.hpp lists them.
struct format_entry {
    std::string_view name;         // name for the option --format
    std::string_view summary;      // description of such an input
    std::string_view written_as{}; // name of the format in `convert`; empty if it is only read
    // Each entry has one of these three tests. They are tried from the end of the list to its start.
    bool (*has_magic)(std::string_view start) = nullptr;   // first bytes of any input
    bool (*has_object)(std::string_view object) = nullptr; // first object of JSON
    bool (*has_line)(const detected_line& at, const table_options& options) = nullptr; // line of other text
    // Whether an input may have several routing tables; table_options::routing_table selects one.
    bool has_routing_tables = false;
    // Opens a reader. Text formats only.
    std::unique_ptr<format_reader> (*open)(const std::string& file, const table_options& options) = nullptr;
    // Description for the error when the input is read as text. Other formats only.
    std::string_view no_text{};
};

} // namespace fingerpost::io
