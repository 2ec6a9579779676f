// Notes on a table that was read: how many of its routes were replaced, changed or left out. All programs
// that read tables print these texts.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "io/format/parts/table_data.hpp"

namespace fingerpost::io {

struct table_note {
    std::string_view name; // one word, for JSON
    std::uint64_t count = 0;
    std::string words; // "2 routes replaced by a later one of the same prefix"
};

// Returns "1 route DESCRIPTION" or "2 routes DESCRIPTION".
table_note note_of(std::string_view name, std::uint64_t count, std::string_view singular,
                   std::string_view plural, std::string_view description);

// Returns one note of each kind, including counts of 0.
std::vector<table_note> notes_of(const table_counts& counts);

// Returns the counts of both families together.
table_counts counts_of(const both_tables& tables) noexcept;

} // namespace fingerpost::io
