// Counts by kind, and describes the counts.
#include "io/format/parts/left_out.hpp"

#include <algorithm>

namespace fingerpost::io {
namespace {

// Limits the length of the report for a dump of thousands of tables.
constexpr std::size_t max_kinds_named = 8;
// Kinds beyond this number are counted as one.
constexpr std::size_t max_kinds = 256;

std::string counted_routes(std::uint64_t count, std::string_view description) {
    return std::to_string(count).append(count == 1 ? " route " : " routes ").append(description);
}

} // namespace

left_out::kind& left_out::kind_of(std::string_view description, bool is_route) {
    if (last_ < kinds_.size() && kinds_[last_].description == description)
        return kinds_[last_];
    const auto match = std::find_if(kinds_.begin(), kinds_.end(),
                                    [&](const kind& entry) { return entry.description == description; });
    last_ = static_cast<std::size_t>(match - kinds_.begin());
    if (match != kinds_.end())
        return *match;
    if (kinds_.size() == max_kinds)
        return kinds_[last_ = max_kinds - 1];
    kinds_.push_back({std::string(description), 0, is_route});
    return kinds_.back();
}

void left_out::add_route(std::string_view description, std::uint64_t count) {
    kind_of(description, true).count += count;
    count_ += count;
}

void left_out::add_other(std::string_view description, std::uint64_t entries) {
    kind_of(description, false).count += entries;
    count_ += entries;
}

std::string left_out::words() const {
    std::string text;
    const std::size_t named = std::min(kinds_.size(), max_kinds_named);
    for (std::size_t i = 0; i < named; ++i) {
        const kind& entry = kinds_[i];
        text.append(i == 0 ? "" : ", ")
            .append(entry.is_route ? counted_routes(entry.count, entry.description) : entry.description);
    }
    if (named != kinds_.size())
        text.append(" and ").append(std::to_string(kinds_.size() - named)).append(" more");
    return text;
}

} // namespace fingerpost::io
