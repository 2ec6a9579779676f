// Kernels that parse texts: one function for each layout of text, compiled for each instruction set.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "fingerpost/columns/block.hpp"
#include "fingerpost/columns/column.hpp"
#include "fingerpost/simd/select.hpp"

namespace fingerpost::columns {

// Arrays of an offset_layout.
template <class Offset>
struct offset_rows {
    const Offset* offsets;
    const char* data;
    std::size_t size;
};

// Arrays of a view_layout.
struct view_rows {
    const view* views;
    std::size_t count;
    const std::span<const char>* buffers;
    std::size_t buffer_count;
};

// Reads rows [first, first + count) into all members of `out` except `first`, `rows` and `bad`.
template <class Rows>
using text_kernel = void (*)(const Rows& from, validity valid, std::size_t first, std::size_t count,
                             block& out);

struct kernel_set {
    text_kernel<offset_rows<std::int32_t>> offsets_32;
    text_kernel<offset_rows<std::int64_t>> offsets_64;
    text_kernel<view_rows> views;
};

const kernel_set& kernels_of(simd::isa which) noexcept;

// Defined in kernels.cpp for each instruction set in the build.
const kernel_set& kernels_for(simd::isa_tag<simd::isa::scalar>) noexcept;
const kernel_set& kernels_for(simd::isa_tag<simd::isa::avx2>) noexcept;
const kernel_set& kernels_for(simd::isa_tag<simd::isa::avx512>) noexcept;
const kernel_set& kernels_for(simd::isa_tag<simd::isa::neon>) noexcept;

// Calls parse_address() for texts that kernels do not handle. Compiled once. Writes the address of the
// returned family.
row_state parse_text(const char* text, std::size_t size, ipv4_address& ipv4, ipv6_address& ipv6) noexcept;

} // namespace fingerpost::columns
