// What is to be said of a table that was read: how many of its routes were replaced, changed or left out.
// Every program that reads tables says the same.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "io/format/parts/table_data.hpp"

namespace fingerpost::io {

struct table_note {
    std::string_view name; // one word, for programs
    std::uint64_t count = 0;
    std::string words; // "2 routes replaced by a later one of the same prefix"
};

// "1 route WHAT", "2 routes WHAT".
table_note note_of(std::string_view name, std::uint64_t count, std::string_view one, std::string_view many,
                   std::string_view what);

// One of each kind, also of those that did not occur.
std::vector<table_note> notes_of(const table_counts& counts);

// What was counted in both families together.
table_counts counts_of(const both_tables& tables) noexcept;

} // namespace fingerpost::io
