// Schemes whose FIBs can be written to a file and looked up in where the file is mapped.
#pragma once

#include <array>
#include <vector>

#include "fingerpost/fib/scheme.hpp"

namespace fingerpost {

// An array of a FIB. The writer puts zeros behind the first `value_bytes` of each item, so that no
// padding gets into a file. Opened, it is aligned to 64 bytes.
struct saved_section {
    std::uint32_t kind = 0;   // by the scheme's own numbering, from first_own_section on
    std::uint32_t detail = 0; // a number that goes with it
    std::span<const std::byte> bytes;
    std::size_t item_bytes = 1;
    std::size_t value_bytes = 1;
    std::vector<std::span<const std::byte>> rest{}; // of an array in several pieces, which a file joins
};
// The kinds below are those of the file itself.
inline constexpr std::uint32_t first_own_section = 4;

// What a FIB consists of.
struct saved_arrays {
    std::array<std::uint32_t, 2> numbers{};
    std::array<std::uint64_t, 3> seeds{}; // of hash keys
    std::vector<saved_section> sections;
};

// Why arrays are no FIB, and where: in `numbers` or `sections` at `index`, in how many sections there are, or
// at an address within a section, null when it is in none. `shortage` is set when the reason is another one:
// memory that has run out.
struct saved_fault {
    enum class part : std::uint8_t { number, section_count, section, contents };
    part where = part::contents;
    std::size_t index = 0;
    const void* at = nullptr;
    const char* reason = "";
    errc shortage = errc::ok;
};

// open() checks all of it, so that no lookup in what it returns reads outside of the arrays, even if the
// file is forged. The arrays must stay as they are as long as the opened FIB lives.
template <class S, class A>
concept saveable = scheme<S, A> && requires(const S s, const saved_arrays& from, const build_options& options,
                                            const typename S::opened_fib opened, A a) {
    { s.save() } -> std::same_as<saved_arrays>;
    { S::open(from, options) } -> std::same_as<expected<typename S::opened_fib, saved_fault>>;
    { opened.lookup(a) } noexcept -> std::same_as<next_hop>;
    { opened.memory_bytes() } -> std::same_as<std::size_t>;
};

} // namespace fingerpost
