// One text to an address, for the instruction set that this file is compiled for.
#pragma once

#include "fingerpost/columns/rows.hpp"
#include "fingerpost/simd/inline.hpp"

namespace fingerpost::columns {
namespace {

// Instruction sets without a parser of their own leave all texts to code that is compiled once.
struct texts {
    static FINGERPOST_INLINE row_state parse(const piece& text, ipv4_address& ipv4, ipv6_address& ipv6) {
        return parse_text(text.at, text.size, ipv4, ipv6);
    }
};

} // namespace
} // namespace fingerpost::columns
