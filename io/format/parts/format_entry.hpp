// What a format of tables is: its name, how an input of it is recognised, and its reader.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "fingerpost/base/expected.hpp"
#include "io/format/parts/input_error.hpp"
#include "io/format/parts/table_data.hpp"

namespace fingerpost::io {

// Takes a table in chunks of any size.
class format_reader {
  public:
    virtual ~format_reader() = default;
    // False after the first error, which the end will return; nothing more need be fed then.
    virtual bool feed(std::string_view chunk) = 0;
    // At most one of these two is called, and it is the last call.
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

// `file` is what errors call the input.
template <class R>
std::unique_ptr<format_reader> open_reader(const std::string& file, const table_options& options) {
    return std::make_unique<held_reader<R>>(R(file, options));
}

// A line of an input that is neither empty nor a comment.
struct detected_line {
    std::string_view line;
    std::string_view next; // the one behind it, empty at the end
    bool is_first;
};

// Whether a line may begin with this prefix, right or wrong. No word of a header in CSV is one:
// `prefix,in/out via x`.
bool starts_like_prefix(std::string_view word);

// Each folder of a format defines one or several, which io/format/list.hpp lists.
struct format_entry {
    std::string_view name;         // as users give it
    std::string_view summary;      // what such an input is
    std::string_view written_as{}; // the format of `convert` that writes it; empty: it is read only
    // Whether an input has this format: one of the three. Formats are asked from the end of the list to its
    // start.
    bool (*has_magic)(std::string_view start) = nullptr;   // of any input, by its first bytes
    bool (*has_object)(std::string_view object) = nullptr; // of JSON, by its first object
    bool (*has_line)(const detected_line& at, const table_options& options) = nullptr; // of other text
    // Whether an input may have several routing tables, of which table_options::routing_table chooses.
    bool has_routing_tables = false;
    // Of formats that are text.
    std::unique_ptr<format_reader> (*open)(const std::string& file, const table_options& options) = nullptr;
    // Of the others: what it is, for the error of reading it as text.
    std::string_view no_text{};
};

} // namespace fingerpost::io
