// Binary search on lengths as its kernels see it: plain arrays, the steps of a lookup, and the kernels.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "fingerpost/fib/parts/lengths/prefix_table.hpp"
#include "fingerpost/simd/inline.hpp"
#include "fingerpost/simd/select.hpp"

namespace fingerpost::length_search {

using narrow_bucket = prefix_bucket<std::uint64_t>; // for lengths up to 64
using wide_bucket = prefix_bucket<u128>;            // for longer ones

// What a lookup has found so far, in 32 bits: the code of its best match, and the number of the set of longer
// lengths that matches can still have (length_steps.hpp).
struct answer {
    static constexpr unsigned code_bits = 20;
    static constexpr std::uint32_t code_mask = (std::uint32_t{1} << code_bits) - 1;

    static constexpr std::uint32_t make(std::uint32_t code, std::uint32_t origins) noexcept {
        return origins << code_bits | code;
    }
    static constexpr std::uint32_t code(std::uint32_t word) noexcept { return word & code_mask; }
    static constexpr std::uint32_t origins(std::uint32_t word) noexcept { return word >> code_bits; }
};

// The user's bits of an entry (prefix_table.hpp):
//
//      [ route 1 | users 8 | length of the best match 8 | answer 32 ]
struct entry_word {
    static constexpr unsigned best_length_shift = 32, users_shift = 40, route_shift = 48;
    // With this many users or more, users are no longer counted.
    static constexpr std::uint32_t most_users = 255;

    static constexpr std::uint64_t make(std::uint32_t found, unsigned best_length, std::uint32_t users,
                                        bool is_route) noexcept {
        return found | std::uint64_t{best_length} << best_length_shift |
               std::uint64_t{std::min(users, most_users)} << users_shift |
               std::uint64_t{is_route} << route_shift;
    }
    static constexpr std::uint32_t found(std::uint64_t word) noexcept {
        return static_cast<std::uint32_t>(word);
    }
    static constexpr unsigned best_length(std::uint64_t word) noexcept {
        return word >> best_length_shift & 255;
    }
    static constexpr std::uint32_t users(std::uint64_t word) noexcept { return word >> users_shift & 255; }
    static constexpr bool is_route(std::uint64_t word) noexcept { return (word >> route_shift & 1) != 0; }
};

// A length as it is probed. For lengths beyond 64 the mask is for the bits from the 65th on.
struct probed_length {
    std::uint64_t mask;
    std::uint64_t tag;
    std::uint64_t beside; // the length's term of the table's hash
    bool is_wide() const noexcept { return tag > narrow_bucket::tag(64); }
};

struct arrays {
    const narrow_bucket* narrow;
    std::uint64_t narrow_buckets;
    const wide_bucket* wide;
    std::uint64_t wide_buckets;
    hash_key narrow_key;
    hash_key wide_key;

    const probed_length* lengths;
    const std::uint8_t* steps;
    std::uint32_t row_bytes;
    std::uint32_t start; // of a row: the index of the first length to probe

    // The front: answers by the first bits of an address, from `front_first` on; `front_size` is 0 without a
    // front. Addresses outside of it start with an empty answer.
    const std::uint32_t* front;
    std::uint64_t front_first;
    std::uint64_t front_size;
    unsigned front_shift;
    std::uint32_t default_code; // for addresses that only /0 matches
};
inline constexpr std::uint8_t stop = 255;

constexpr std::uint32_t begin(const arrays& s, std::uint64_t top) noexcept {
    if (s.front_size == 0)
        return 0;
    const std::uint64_t at = (top >> s.front_shift) - s.front_first;
    return at < s.front_size ? s.front[at] : 0;
}
constexpr std::uint8_t first_length(const arrays& s, std::uint32_t found) noexcept {
    return s.steps[answer::origins(found) * s.row_bytes + s.start];
}
constexpr std::uint8_t next_length(const arrays& s, std::uint32_t found, std::uint8_t at,
                                   bool is_hit) noexcept {
    return s.steps[answer::origins(found) * s.row_bytes + 2u * at + (is_hit ? 1 : 0)];
}
constexpr std::uint32_t code_of(const arrays& s, std::uint32_t found) noexcept {
    return answer::code(found) != 0 ? answer::code(found) : s.default_code;
}

// An address left aligned in 128 bits; a table of narrow keys uses the first 64.
struct aligned_address {
    std::uint64_t top;
    std::uint64_t bottom;
};

// The result of probing one length: the bucket, and the slot in it or `slots`. Calls each(bucket number) for
// every bucket that is read.
template <class Key, class Each>
FINGERPOST_INLINE std::pair<const prefix_bucket<Key>*, unsigned>
probe(const prefix_bucket<Key>* buckets, std::uint64_t count, const hash_key& secret,
      const probed_length& length, Key key, Each each) noexcept {
    std::size_t at = hash_key::bucket(secret.hash_beside(key, length.beside), count);
    for (;; at = at + 1 == count ? 0 : at + 1) {
        each(at);
        const prefix_bucket<Key>& here = buckets[at];
        const unsigned slot = here.slot_of(key, static_cast<unsigned>(length.tag >> 56));
        if (slot < here.slots || !here.is_passed())
            return {&here, slot};
    }
}
constexpr u128 wide_key(const probed_length& length, aligned_address a) noexcept {
    return static_cast<u128>(a.top) << 64 | (a.bottom & length.mask);
}

// Probes the length `at`, given the answer so far. False if nothing is left to probe. Always inlined, like
// all functions that kernels call: no two instruction sets may share its code.
template <bool Wide>
FINGERPOST_INLINE bool step(const arrays& s, aligned_address a, std::uint32_t& found,
                            std::uint8_t& at) noexcept {
    const probed_length& length = s.lengths[at];
    const auto nothing = [](std::size_t) {};
    std::uint64_t word = 0;
    bool is_hit = false;
    if (!Wide || !length.is_wide()) {
        const auto [bucket, slot] =
            probe(s.narrow, s.narrow_buckets, s.narrow_key, length, a.top & length.mask, nothing);
        is_hit = slot < narrow_bucket::slots;
        word = bucket->words[is_hit ? slot : 0];
    } else {
        const auto [bucket, slot] =
            probe(s.wide, s.wide_buckets, s.wide_key, length, wide_key(length, a), nothing);
        is_hit = slot < wide_bucket::slots;
        word = bucket->words[is_hit ? slot : 0];
    }
    found = is_hit ? entry_word::found(word) : found;
    at = next_length(s, found, at, is_hit);
    return at != stop;
}

// Kernels for batches. They write codes minus one. Addresses are numbers of 32 or 128 bits.
using batch_kernel = void (*)(const arrays&, const void* addresses, std::uint32_t* out,
                              std::size_t count) noexcept;
struct kernel_set {
    batch_kernel ipv4;
    batch_kernel ipv6;
};

// The kernels of an instruction set.
const kernel_set& kernels_of(simd::isa which) noexcept;

// kernels.cpp defines one for each instruction set that was built.
const kernel_set& kernels_for(simd::isa_tag<simd::isa::scalar>) noexcept;
const kernel_set& kernels_for(simd::isa_tag<simd::isa::avx2>) noexcept;
const kernel_set& kernels_for(simd::isa_tag<simd::isa::avx512>) noexcept;
const kernel_set& kernels_for(simd::isa_tag<simd::isa::neon>) noexcept;

} // namespace fingerpost::length_search
