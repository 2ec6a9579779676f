// Which instruction sets this library has kernels for, and which of them a FIB uses.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "fingerpost/base/cxx20.hpp"

namespace fingerpost::simd {

// Scalar is always there and is the definition of what the others compute.
enum class isa : std::uint8_t { scalar, avx2, avx512, neon };

// As FINGERPOST_ISA, the reports and the C interface say it.
std::string_view name_of(isa which) noexcept;

// Those that were built and that this CPU can run, slowest first: scalar is always the first.
std::span<const isa> available_isas() noexcept;

// Nothing when there is none of this name or when this CPU cannot run it.
std::optional<isa> find_isa(std::string_view name) noexcept;

// The one that FINGERPOST_ISA names, else the last of available_isas(). An unusable name is ignored here;
// programs that want to refuse it ask isa_override_is_unusable().
isa preferred_isa() noexcept;

// True when FINGERPOST_ISA is set to something that find_isa() does not know.
bool isa_override_is_unusable() noexcept;

} // namespace fingerpost::simd
