// Counts by kind, and describes the counts.
#include "io/format/parts/left_out.hpp"

#include <algorithm>

namespace fingerpost::io {
namespace {

// Limits the length of the report for a dump of thousands of tables.
constexpr std::size_t most_kinds_named = 8;
// Kinds beyond this number are counted as one.
constexpr std::size_t most_kinds = 256;

std::string counted_routes(std::uint64_t count, std::string_view rest) {
    return std::to_string(count).append(count == 1 ? " route " : " routes ").append(rest);
}

} // namespace

left_out::kind& left_out::kind_of(std::string_view words, bool is_route) {
    if (last_ < kinds_.size() && kinds_[last_].words == words)
        return kinds_[last_];
    const auto found =
        std::find_if(kinds_.begin(), kinds_.end(), [&](const kind& one) { return one.words == words; });
    last_ = static_cast<std::size_t>(found - kinds_.begin());
    if (found != kinds_.end())
        return *found;
    if (kinds_.size() == most_kinds)
        return kinds_[last_ = most_kinds - 1];
    kinds_.push_back({std::string(words), 0, is_route});
    return kinds_.back();
}

void left_out::add_route(std::string_view which, std::uint64_t count) {
    kind_of(which, true).count += count;
    count_ += count;
}

void left_out::add_other(std::string_view what, std::uint64_t entries) {
    kind_of(what, false).count += entries;
    count_ += entries;
}

std::string left_out::words() const {
    std::string text;
    const std::size_t named = std::min(kinds_.size(), most_kinds_named);
    for (std::size_t i = 0; i < named; ++i) {
        const kind& one = kinds_[i];
        text.append(i == 0 ? "" : ", ")
            .append(one.is_route ? counted_routes(one.count, one.words) : one.words);
    }
    if (named != kinds_.size())
        text.append(" and ").append(std::to_string(kinds_.size() - named)).append(" more");
    return text;
}

} // namespace fingerpost::io
