// What the reports of all benchmarks share.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "bench/report/json_writer.hpp"
#include "bench/report/result.hpp"

namespace fingerpost::bench {

// As an object.
void write(json_writer& json, const environment& e);

using text_row = std::vector<std::string>;

// Columns that hold words, the first ones, stand left, numbers right. All lines as long as the first.
std::string aligned(const std::vector<text_row>& lines, std::size_t word_columns);

} // namespace fingerpost::bench
