// Which instruction sets this library has kernels for, and which of them a FIB uses.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "fingerpost/base/cxx20.hpp"

namespace fingerpost::simd {

// Scalar always exists and defines the results of the others.
enum class isa : std::uint8_t { scalar, avx2, avx512, neon };

// The name as in FINGERPOST_ISA, in reports and in the C interface.
std::string_view name_of(isa which) noexcept;

// The instruction sets that were built and that this CPU can run, slowest first: scalar is always the first.
std::span<const isa> available_isas() noexcept;

// Nothing if there is no instruction set of this name or if this CPU cannot run it.
std::optional<isa> find_isa(std::string_view name) noexcept;

// The one that FINGERPOST_ISA names, else the last of available_isas(). An unusable name is ignored here;
// programs that want to refuse it call isa_override_is_unusable().
isa preferred_isa() noexcept;

// True if FINGERPOST_ISA is set to a name that find_isa() does not know.
bool isa_override_is_unusable() noexcept;

} // namespace fingerpost::simd
