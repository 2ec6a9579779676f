// What is wrong with a configuration file: errors, which stop the router, and warnings, each with its place.
// All problems of a file are collected, so that its author sees them all at once.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace fingerpost::router {

// Counted from 1. Line 0 means the file as a whole.
struct place {
    std::size_t line = 0;
    std::size_t column = 0;

    friend auto operator<=>(const place&, const place&) = default;
};

// outside: the file may be right, but the machine lacks something that it names, and may have it later.
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

    // Notes where the value of a key is. The name of a port's key contains the port's index: `port.0.mtu`.
    void remember(std::string key, place where);
    // For a key that the file does not have: the place of its section.
    place place_of(std::string_view key) const;
    bool has(std::string_view key) const { return places_.contains(key); }

    // A report for changes that are in no file: it knows the places of this one, and its own problems, which
    // `name` is written before, have none.
    report for_changes(std::string name) const;

    // In the order of the file.
    const std::vector<problem>& problems() const noexcept { return problems_; }
    // Errors of either kind; then nothing starts.
    bool has_errors() const noexcept;
    bool has(severity how) const noexcept;
    const std::string& file() const noexcept { return file_; }

    // `FILE:LINE:COLUMN: error: TEXT`, one line for each problem.
    std::string to_text() const;

  private:
    void add(problem one);

    std::string file_;
    bool is_of_file_ = true;
    std::vector<problem> problems_;
    std::map<std::string, place, std::less<>> places_;
};

} // namespace fingerpost::router
