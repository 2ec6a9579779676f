// Invalid rows. The first few of each kind are reported individually; the others are counted.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "fingerpost/net/text.hpp"
#include "io/format/parts/input_error.hpp"

namespace fingerpost::cli {

// The invalid rows of a part of the input, in order. Texts that will not be reported are not stored.
class row_faults {
  public:
    static constexpr std::uint64_t reported_each = 5;
    static constexpr std::size_t most_kinds = 14;

    // `kind` is the number of the kind, or an enumerator. `make` returns the io::input_error.
    template <class Kind, class F>
    void add(Kind kind, F make) {
        const auto number = static_cast<std::size_t>(kind);
        // Stores one more, in whose place bad_rows reports that further rows are not shown.
        if (counts_[number]++ <= reported_each)
            first_.emplace_back(number, make());
    }
    bool is_empty() const noexcept { return first_.empty(); }
    // The first few errors of each kind.
    const std::vector<std::pair<std::size_t, io::input_error>>& first() const noexcept { return first_; }
    std::uint64_t count(std::size_t kind) const noexcept { return counts_[kind]; }

  private:
    std::array<std::uint64_t, most_kinds> counts_{};
    std::vector<std::pair<std::size_t, io::input_error>> first_;
};

// How kinds of rows are described.
struct fault_words {
    std::span<const char* const> kinds; // by number, such as "too long"
    const char* rest;                   // format of the last message: all rows, those not shown, their kinds
};

// For rows that are addresses. Kinds are those of text_fault, and lines that are too long.
extern const fault_words address_faults;
inline constexpr std::size_t too_long_address = static_cast<std::size_t>(text_fault::host_bits) + 1;

// Reports the invalid rows of the whole input on stderr.
class bad_rows {
  public:
    explicit bad_rows(const fault_words& words = address_faults) : words_(words) {}

    // Reports the first few of each kind. Messages do not depend on how the input is divided into parts.
    void add(const row_faults& part);

    std::uint64_t count() const noexcept;
    // Reports the number of rows that were only counted, by kind, if there are any.
    void report_rest() const;

  private:
    fault_words words_;
    std::array<std::uint64_t, row_faults::most_kinds> counts_{};
};

} // namespace fingerpost::cli
