// Which instruction sets this program has kernels for, and which of them a table uses.
#pragma once

#include <span>
#include <string_view>

#include "fingerpost/simd/byte_order.hpp"
#include "fingerpost/simd/packed.hpp"
#include "fingerpost/simd/planb.hpp"

namespace fingerpost::simd {

// The kernels of every vectorised scheme, and of the library's edges, compiled for one instruction set. Each
// <isa>.cpp defines one of these and nothing else that other files can see. Scalar is always there and is the
// definition.
struct kernel_table {
    std::string_view name;    // as FINGERPOST_ISA and the reports say it
    std::string_view summary; // what the CPU needs
    planb_set planb;
    packed_kernels packed;
    byte_order_kernels byte_order;
};

extern const kernel_table kernels_scalar;
extern const kernel_table kernels_avx2;
extern const kernel_table kernels_avx512;
extern const kernel_table kernels_neon;

// The tables that were compiled and that this CPU can run, slowest first: scalar is always the first.
std::span<const kernel_table* const> available_kernels() noexcept;

// nullptr when there are none of this name or when this CPU cannot run them.
const kernel_table* find_kernels(std::string_view name) noexcept;

// The one FINGERPOST_ISA names, else the last of available_kernels(). An unusable name is ignored here;
// programs that want to refuse it ask isa_override_is_unusable().
const kernel_table& preferred_kernels() noexcept;

// True when FINGERPOST_ISA is set to something that find_kernels() does not know.
bool isa_override_is_unusable() noexcept;

} // namespace fingerpost::simd
