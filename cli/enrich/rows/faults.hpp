// Invalid rows: the first few of each kind are reported, the others only counted.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "io/format/parts/input_error.hpp"

namespace fingerpost::cli::enrich {

enum class fault : std::uint8_t {
    no_address, // a field that is not an address
    malformed,  // a row that cannot be read
    too_long,
    taken_name, // a row with a member that has an added name
    no_match,   // only if a missing match is an error
};

// The faults of one block, in order. Texts that will not be reported are not stored.
class block_faults {
  public:
    static constexpr std::uint64_t reported_each = 5;

    // `make` returns the io::input_error.
    template <class F>
    void add(fault kind, F make) {
        if (counts_[static_cast<std::size_t>(kind)]++ < reported_each)
            reported_.emplace_back(kind, make());
    }
    bool is_empty() const noexcept { return reported_.empty(); }
    const std::vector<std::pair<fault, io::input_error>>& reported() const noexcept { return reported_; }
    std::uint64_t count(fault kind) const noexcept { return counts_[static_cast<std::size_t>(kind)]; }

    static constexpr std::size_t kinds = static_cast<std::size_t>(fault::no_match) + 1;

  private:
    std::array<std::uint64_t, kinds> counts_{};
    std::vector<std::pair<fault, io::input_error>> reported_;
};

// Reports the faults of the whole input on stderr.
class fault_report {
  public:
    void add(const block_faults& block);
    // Reports how many faults were only counted, if any.
    void report_rest() const;
    std::uint64_t count() const noexcept;

  private:
    std::array<std::uint64_t, block_faults::kinds> counts_{};
};

} // namespace fingerpost::cli::enrich
