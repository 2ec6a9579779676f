// Binary search on lengths in the form that kernels use: plain arrays, the steps of a lookup, and the
// kernels.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "fingerpost/fib/parts/answers/next_hop_codec.hpp"
#include "fingerpost/fib/parts/lengths/prefix_table.hpp"
#include "fingerpost/fib/plain_reads.hpp"
#include "fingerpost/simd/inline.hpp"
#include "fingerpost/simd/select.hpp"

namespace fingerpost::length_search {

using narrow_bucket = prefix_bucket<std::uint64_t>; // for lengths up to 64
using wide_bucket = prefix_bucket<u128>;            // for longer ones

// Intermediate result of a lookup in 32 bits: the code of its best match, and the number of the set of longer
// lengths that may still match (length_steps.hpp).
struct answer {
    static constexpr unsigned code_bits = 20;
    static constexpr std::uint32_t code_mask = (std::uint32_t{1} << code_bits) - 1;

    static constexpr std::uint32_t make(std::uint32_t code, std::uint32_t origins) noexcept {
        return origins << code_bits | code;
    }
    static constexpr std::uint32_t code(std::uint32_t word) noexcept { return word & code_mask; }
    static constexpr std::uint32_t origins(std::uint32_t word) noexcept { return word >> code_bits; }
};

// User bits of an entry (prefix_table.hpp):
//
//      [ route 1 | users 8 | length of the best match 8 | answer 32 ]
struct entry_word {
    static constexpr unsigned best_length_shift = 32, users_shift = 40, route_shift = 48;
    // At this number, users are no longer counted.
    static constexpr std::uint32_t most_users = 255;

    static constexpr std::uint64_t make(std::uint32_t state, unsigned best_length, std::uint32_t users,
                                        bool is_route) noexcept {
        return state | std::uint64_t{best_length} << best_length_shift |
               std::uint64_t{std::min(users, most_users)} << users_shift |
               std::uint64_t{is_route} << route_shift;
    }
    static constexpr std::uint32_t answer_of(std::uint64_t word) noexcept {
        return static_cast<std::uint32_t>(word);
    }
    static constexpr unsigned best_length(std::uint64_t word) noexcept {
        return word >> best_length_shift & 255;
    }
    static constexpr std::uint32_t users(std::uint64_t word) noexcept { return word >> users_shift & 255; }
    static constexpr bool is_route(std::uint64_t word) noexcept { return (word >> route_shift & 1) != 0; }
};

// A length to probe. For lengths beyond 64, the mask applies to the bits from the 65th.
struct probed_length {
    std::uint64_t mask;
    std::uint64_t tag;
    std::uint64_t beside; // the length's term in the hash of the table
    unsigned bits() const noexcept { return static_cast<unsigned>(tag >> narrow_bucket::length_shift); }
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
    std::uint32_t start; // start of a row: the index of the first length to probe

    // The front: results by the first bits of an address, starting with `front_first`. `front_size` is 0
    // without a front. Addresses outside it start with an empty result.
    const std::uint32_t* front;
    std::uint64_t front_first;
    std::uint64_t front_size;
    unsigned front_shift;
    std::uint32_t default_code; // for addresses that only /0 matches
    next_hop_decoder hops;
};
inline constexpr std::uint8_t stop = 255;

constexpr bool has_slot(const arrays& s, std::uint64_t top) noexcept {
    return (top >> s.front_shift) - s.front_first < s.front_size;
}
template <class Read>
FINGERPOST_INLINE std::uint32_t begin(const arrays& s, Read&& read, std::uint64_t top) {
    return has_slot(s, top) ? read(s.front, (top >> s.front_shift) - s.front_first) : 0;
}
constexpr std::uint8_t first_length(const arrays& s, std::uint32_t state) noexcept {
    return s.steps[answer::origins(state) * s.row_bytes + s.start];
}
constexpr std::uint8_t next_length(const arrays& s, std::uint32_t state, std::uint8_t at,
                                   bool is_hit) noexcept {
    return s.steps[answer::origins(state) * s.row_bytes + 2u * at + (is_hit ? 1 : 0)];
}
constexpr std::uint32_t code_of(const arrays& s, std::uint32_t state) noexcept {
    return answer::code(state) != 0 ? answer::code(state) : s.default_code;
}
inline next_hop hop_of(const arrays& s, std::uint32_t state) noexcept {
    return s.hops.decode(code_of(s, state) - 1);
}

// An address, left aligned in 128 bits. A table of narrow keys uses the first 64.
struct aligned_address {
    std::uint64_t top;
    std::uint64_t bottom;
};

// First bits of a key, as in number_in_step() for addresses of `Bits` bits.
template <unsigned Bits, class Key>
constexpr std::uint64_t first_bits(Key key) noexcept {
    return static_cast<std::uint64_t>(key >> (8 * sizeof key - 64)) >> (Bits < 64 ? 64 - Bits : 0);
}

// Probes one length. Returns the bucket, and the slot in it or `slots`. Consecutive buckets are one read.
// `found` is the current result.
template <unsigned Bits, class Read, class Key>
FINGERPOST_INLINE std::pair<const prefix_bucket<Key>*, unsigned>
probe(const arrays& s, Read&& read, const prefix_bucket<Key>* buckets, std::uint64_t count,
      const hash_key& secret, const probed_length& length, Key key, std::uint32_t state) {
    std::size_t at = hash_key::bucket(secret.hash_beside(key, length.beside), count);
    for (std::size_t first = at;;) {
        const prefix_bucket<Key>& bucket = buckets[at];
        const unsigned slot = bucket.slot_of(key, length.bits());
        const bool ends = slot < bucket.slots || !bucket.is_passed();
        const bool is_last = at + 1 == count;
        if (ends || is_last) {
            read(buckets, first, at + 1 - first);
            read.tell([&](auto& step) {
                step.looks_at(0, length.bits());
                step.compares_keys(first_bits<Bits>(key), {});
                for (; first <= at; ++first)
                    for (unsigned i = 0; i < bucket.slots; ++i)
                        if (buckets[first].length(i) != 0)
                            step.held.push_back(first_bits<Bits>(buckets[first].keys[i]));
                step.best = hop_of(s, state);
            });
        }
        if (ends)
            return {&bucket, slot};
        at = is_last ? 0 : at + 1;
        first = is_last ? 0 : first;
    }
}
constexpr u128 wide_key(const probed_length& length, aligned_address a) noexcept {
    return static_cast<u128>(a.top) << 64 | (a.bottom & length.mask);
}

// Probes the length `at`, with the current result, for addresses of `Bits` bits. Returns false if nothing is
// left to probe. Always inlined, like all functions that kernels call, because instruction sets must not
// share code.
template <unsigned Bits, class Read>
FINGERPOST_INLINE bool step(const arrays& s, Read&& read, aligned_address a, std::uint32_t& state,
                            std::uint8_t& at) {
    const probed_length& length = s.lengths[at];
    std::uint64_t word = 0;
    bool is_hit = false;
    const auto look = [&](const auto* buckets, std::uint64_t count, const hash_key& secret,
                          auto key) FINGERPOST_LAMBDA {
        const auto [bucket, slot] = probe<Bits>(s, read, buckets, count, secret, length, key, state);
        is_hit = slot < bucket->slots;
        word = bucket->words[is_hit ? slot : 0];
    };
    if (Bits <= 64 || !length.is_wide())
        look(s.narrow, s.narrow_buckets, s.narrow_key, a.top & length.mask);
    else
        look(s.wide, s.wide_buckets, s.wide_key, wide_key(length, a));
    state = is_hit ? entry_word::answer_of(word) : state;
    at = next_length(s, state, at, is_hit);
    read.tell([&](auto& step) {
        step.best = hop_of(s, state);
        if (!is_hit)
            step.misses();
    });
    return at != stop;
}

// Batch kernels. They write codes minus one. Addresses are numbers of 32 or 128 bits.
using batch_kernel = void (*)(const arrays&, const void* addresses, std::uint32_t* out,
                              std::size_t count) noexcept;
struct kernel_set {
    batch_kernel ipv4;
    batch_kernel ipv6;
};

// Kernels of an instruction set.
const kernel_set& kernels_of(simd::isa which) noexcept;

// Defined in kernels.cpp for each instruction set in the build.
const kernel_set& kernels_for(simd::isa_tag<simd::isa::scalar>) noexcept;
const kernel_set& kernels_for(simd::isa_tag<simd::isa::avx2>) noexcept;
const kernel_set& kernels_for(simd::isa_tag<simd::isa::avx512>) noexcept;
const kernel_set& kernels_for(simd::isa_tag<simd::isa::neon>) noexcept;

} // namespace fingerpost::length_search
