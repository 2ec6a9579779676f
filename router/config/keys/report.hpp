// Problems of a configuration file, each with its place. Errors stop the router, warnings do not. All
// problems of a file are collected, so that they can be reported together.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace fingerpost::router {

// Counted from 1. Line 0 means the whole file.
struct place {
    std::size_t line = 0;
    std::size_t column = 0;

    friend auto operator<=>(const place&, const place&) = default;
};

// outside: the file may be correct, but the machine lacks something that the file names and may get it later.
enum class severity : unsigned char { error, outside, warning };

struct problem {
    severity how = severity::error;
    place where{};
    std::string text;
};

class report {
  public:
    explicit report(std::string file = {}) : file_(std::move(file)) {}

    void error(place where, std::string text);
    void outside(place where, std::string text);
    void warning(place where, std::string text);

    // Remembers the place of a key's value. Keys of a port contain its index: `port.0.mtu`.
    void remember(std::string key, place where);
    // The place of the key, or of its section if the file does not contain the key.
    place place_of(std::string_view key) const;
    bool has(std::string_view key) const { return places_.contains(key); }

    // Returns a report for changes that are not in a file. It keeps the places of this report, but its own
    // problems have no place and are printed with `name` in front.
    report for_changes(std::string name) const;

    // In the order of the file.
    const std::vector<problem>& problems() const noexcept { return problems_; }
    // True for errors of either kind; the router then does not start.
    bool has_errors() const noexcept;
    bool has(severity how) const noexcept;
    const std::string& file() const noexcept { return file_; }

    // `FILE:LINE:COLUMN: error: TEXT`, one line for each problem.
    std::string to_text() const;

  private:
    void add(problem entry);

    std::string file_;
    bool is_of_file_ = true;
    std::vector<problem> problems_;
    std::map<std::string, place, std::less<>> places_;
};

} // namespace fingerpost::router
