// Common parts of the reports of all benchmarks.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "bench/measured/lookup_result.hpp"
#include "terminal/json_writer.hpp"

namespace fingerpost::bench {

// Writes an object.
void write(json_writer& json, const environment& e);

// Writes NAME_median, NAME_q1 and NAME_q3, or nulls if they are unknown.
void write_quartiles(json_writer& json, const std::string& name, const quartiles& q, bool known);

// Writes an array with the output of `write_row(json, row)` for each row.
template <class Row, class WriteRow>
void write_rows(json_writer& json, std::string_view name, const std::vector<Row>& rows, WriteRow write_row) {
    json.key(name);
    json.begin_array();
    for (const Row& row : rows)
        write_row(json, row);
    json.end_array();
}

// Writes a result file: the environment, and the output of `write_members(json)`.
template <class WriteMembers>
std::string document(const environment& circumstances, WriteMembers write_members) {
    json_writer json;
    json.begin_object();
    json.key("environment");
    write(json, circumstances);
    write_members(json);
    json.end_object();
    return json.take();
}

using text_row = std::vector<std::string>;

// The first columns, which contain words, are aligned left, numbers right. All lines have the same number of
// cells.
std::string aligned(const std::vector<text_row>& lines, std::size_t word_columns);

} // namespace fingerpost::bench
