// Instruction sets for which this library has kernels, and which of them FIBs use.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "fingerpost/base/cxx20.hpp"

namespace fingerpost::simd {

// Scalar always exists and defines the results of the others.
enum class isa : std::uint8_t { scalar, avx2, avx512, neon };

// Name as in FINGERPOST_ISA, in reports and in the C interface.
std::string_view name_of(isa which) noexcept;

// Instruction sets that are in the build and that this CPU supports, slowest first. Scalar is always first.
std::span<const isa> available_isas() noexcept;

// Returns nothing if there is no instruction set with this name or this CPU does not support it.
std::optional<isa> find_isa(std::string_view name) noexcept;

// The instruction set in FINGERPOST_ISA, else the last of available_isas(). An unusable name is ignored;
// programs that should refuse it call isa_override_is_unusable().
isa preferred_isa() noexcept;

// True if FINGERPOST_ISA is set to a name that find_isa() does not return.
bool isa_override_is_unusable() noexcept;

} // namespace fingerpost::simd
