// For instruction sets without a vector parser: parse_text() handles every text.
#pragma once

#include "fingerpost/columns/column_rows.hpp"
#include "fingerpost/simd/inline.hpp"

namespace fingerpost::columns {
namespace {

class texts {
  public:
    static constexpr bool complete = true;

    FINGERPOST_INLINE row_state parse(const piece& text, ipv4_address& ipv4, ipv6_address& ipv6) const {
        return parse_text(text.at, text.size, ipv4, ipv6);
    }
};

} // namespace
} // namespace fingerpost::columns
