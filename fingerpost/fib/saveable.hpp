// Schemes with FIBs that can be written to a file and used for lookups in the mapped file.
#pragma once

#include <array>
#include <vector>

#include "fingerpost/fib/scheme.hpp"

namespace fingerpost {

// An array of a FIB. The writer replaces everything after the first `value_bytes` of each item by zeros, so
// that no padding is written to a file. In an opened file it is aligned to 64 bytes.
struct saved_section {
    std::uint32_t kind = 0;   // number defined by the scheme, starting with first_own_section
    std::uint32_t detail = 0; // additional number
    std::span<const std::byte> bytes;
    std::size_t item_bytes = 1;
    std::size_t value_bytes = 1;
    std::vector<std::span<const std::byte>> rest{}; // further pieces of an array, which a file joins
};
// Smaller kinds belong to the file itself.
inline constexpr std::uint32_t first_own_section = 4;

// The arrays and numbers of a FIB.
struct saved_arrays {
    std::array<std::uint32_t, 2> numbers{};
    std::array<std::uint64_t, 3> seeds{}; // of hash keys
    std::vector<saved_section> sections;
};

// Reason why arrays are not a valid FIB, and the position: at `index` in `numbers` or `sections`, in the
// number of sections, or at an address within a section (null if in none). `shortage` is set for another
// reason: memory has run out.
struct saved_fault {
    enum class part : std::uint8_t { number, section_count, section, contents };
    part where = part::contents;
    std::size_t index = 0;
    const void* at = nullptr;
    const char* reason = "";
    errc shortage = errc::ok;
};

// open() checks everything, so that no lookup in the result reads outside the arrays, even if the file is
// forged. The arrays must not change while the opened FIB exists.
template <class S, class A>
concept saveable = scheme<S, A> && requires(const S s, const saved_arrays& from, const build_options& options,
                                            const typename S::opened_fib opened, A a) {
    { s.save() } -> std::same_as<saved_arrays>;
    { S::open(from, options) } -> std::same_as<expected<typename S::opened_fib, saved_fault>>;
    { opened.lookup(a) } noexcept -> std::same_as<next_hop>;
    { opened.memory_bytes() } -> std::same_as<std::size_t>;
};

} // namespace fingerpost
