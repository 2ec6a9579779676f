// Damage in input that is skipped: the first of each kind is told by its place, the rest counted.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "io/format/mrt/entry.hpp"

namespace fingerpost::cli {

class damage_report {
  public:
    // `file` is what messages call the input.
    explicit damage_report(std::string file) : file_(std::move(file)) {}

    void add(const io::mrt::damage& where);
    // How much there was in all; nothing when there was none.
    void report_sum(std::uint64_t count, std::uint64_t bytes) const;

  private:
    static constexpr std::uint64_t told_each = 5;

    std::string file_;
    std::map<io::mrt::fault, std::uint64_t> counts_;
};

} // namespace fingerpost::cli
