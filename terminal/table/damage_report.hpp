// Damage in input that is skipped. The first few of each kind are reported; all are counted.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "io/format/mrt/entry.hpp"

namespace fingerpost::cli {

class damage_report {
  public:
    // `file`: the name of the input in messages.
    explicit damage_report(std::string file) : file_(std::move(file)) {}

    void add(const io::mrt::damage& where);
    // Reports the total, if there was damage.
    void report_sum(std::uint64_t count, std::uint64_t bytes) const;

  private:
    static constexpr std::uint64_t reported_each = 5;

    std::string file_;
    std::map<io::mrt::fault, std::uint64_t> counts_;
};

} // namespace fingerpost::cli
