// Describes each count.
#include "io/format/parts/table_notes.hpp"

#include <utility>

#include "io/format/parts/input_error.hpp"

namespace fingerpost::io {

table_note note_of(std::string_view name, std::uint64_t count, std::string_view singular,
                   std::string_view plural, std::string_view description) {
    std::string text = std::to_string(count);
    text.append(" ").append(count == 1 ? singular : plural).append(" ").append(description);
    return {name, count, std::move(text)};
}

std::vector<table_note> notes_of(const table_counts& counts) {
    const auto routes = [](std::string_view name, std::uint64_t count, std::string_view description) {
        return note_of(name, count, "route", "routes", description);
    };
    return {
        note_of("bad", counts.bad, "bad line", "bad lines", "skipped"),
        routes("replaced", counts.duplicates, "replaced by a later one of the same prefix"),
        routes("not_best", counts.not_best, "left out for a better one of the same prefix"),
        routes("masked", counts.masked, "had bits set past the prefix length; they were cleared"),
        routes("other_family", counts.other_family, "of the other family skipped"),
        note_of("without_network", counts.without_network, "record", "records", "without a network left out"),
        {"unused_lengths", counts.unused_lengths.empty() ? 0U : 1U,
         "every prefix is a single address, although the column " + io::quoted(counts.unused_lengths) +
             " looks like lengths"}};
}

table_counts counts_of(const both_tables& tables) noexcept {
    table_counts counts = tables.ipv4.counts;
    counts.duplicates += tables.ipv6.counts.duplicates;
    counts.masked += tables.ipv6.counts.masked;
    return counts;
}

} // namespace fingerpost::io
