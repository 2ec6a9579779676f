// Rows that are not addresses. The first few of each kind are reported individually; the others are counted.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

#include "fingerpost/net/text.hpp"
#include "io/format/parts/input_error.hpp"

namespace fingerpost::cli {

class bad_rows {
  public:
    // Reports the first few of each kind. `error` has the reason as text, from the caller.
    void add(text_fault kind, const io::input_error& error) { add(static_cast<std::size_t>(kind), error); }
    void add_too_long(const io::input_error& error) { add(too_long, error); }

    std::uint64_t count() const noexcept;
    // Reports the number of rows that were only counted, by kind, if there are any.
    void report_rest() const;

  private:
    static constexpr std::size_t too_long = static_cast<std::size_t>(text_fault::host_bits) + 1;
    static constexpr std::uint64_t reported_each = 5;

    void add(std::size_t kind, const io::input_error& error);

    std::array<std::uint64_t, too_long + 1> counts_{};
};

} // namespace fingerpost::cli
