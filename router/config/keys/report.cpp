// Keeps the problems sorted by their place in the file.
#include "router/config/keys/report.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

namespace fingerpost::router {

report report::for_changes(std::string name) const {
    report made(std::move(name));
    made.is_of_file_ = false;
    made.places_ = places_;
    return made;
}

void report::add(problem one) {
    if (!is_of_file_)
        one.where = {};
    const auto after = std::upper_bound(problems_.begin(), problems_.end(), one.where,
                                        [](place where, const problem& p) { return where < p.where; });
    problems_.insert(after, std::move(one));
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
        if (const auto found = places_.find(key); found != places_.end())
            return found->second;
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
