// Keeps the problems sorted by their place in the file.
#include "router/config/keys/report.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

namespace fingerpost::router {

report report::for_changes(std::string name) const {
    report changes(std::move(name));
    changes.is_of_file_ = false;
    changes.places_ = places_;
    return changes;
}

void report::add(problem entry) {
    if (!is_of_file_)
        entry.where = {};
    const auto after = std::upper_bound(problems_.begin(), problems_.end(), entry.where,
                                        [](place where, const problem& p) { return where < p.where; });
    problems_.insert(after, std::move(entry));
}

void report::error(place where, std::string text) {
    add({severity::error, where, std::move(text)});
}

void report::outside(place where, std::string text) {
    add({severity::outside, where, std::move(text)});
}

void report::warning(place where, std::string text) {
    add({severity::warning, where, std::move(text)});
}

void report::remember(std::string key, place where) {
    if (is_of_file_)
        places_.insert_or_assign(std::move(key), where);
    else
        places_.emplace(std::move(key), place{});
}

place report::place_of(std::string_view key) const {
    for (;;) {
        if (const auto entry = places_.find(key); entry != places_.end())
            return entry->second;
        const std::size_t dot = key.rfind('.');
        if (dot == std::string_view::npos)
            return {};
        key = key.substr(0, dot);
    }
}

bool report::has_errors() const noexcept {
    return has(severity::error) || has(severity::outside);
}

bool report::has(severity how) const noexcept {
    return std::any_of(problems_.begin(), problems_.end(), [how](const problem& p) { return p.how == how; });
}

std::string report::to_text() const {
    std::string text;
    for (const problem& p : problems_) {
        text += file_ + ":";
        if (p.where.line != 0)
            text += fmt::format("{}:{}:", p.where.line, p.where.column);
        text += fmt::format(" {}: {}\n", p.how == severity::warning ? "warning" : "error", p.text);
    }
    return text;
}

} // namespace fingerpost::router
