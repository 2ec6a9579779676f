// Binary search on lengths for batches: 16 interleaved addresses, to overlap the cache misses of their
// probes. Each turn compares the whole line of the bucket that was prefetched one turn ago, and prefetches
// the next one. When a search ends, its lane immediately starts with the next address, because searches
// differ in length.
#pragma once

#include "fingerpost/fib/parts/lengths/length_search.hpp"
#include "fingerpost/simd/vec.hpp"

namespace fingerpost::length_search {
namespace {

using namespace simd;

constexpr unsigned turns = 16;

// Numbers of 32 bits, or of 128 bits as two words.
template <bool Ipv6>
FINGERPOST_INLINE aligned_address load_address(const void* addresses, std::size_t at) {
    if constexpr (Ipv6) {
        const auto* words = static_cast<const std::uint64_t*>(addresses) + 2 * at;
        return {words[high_word], words[1 - high_word]};
    } else {
        return {std::uint64_t{static_cast<const std::uint32_t*>(addresses)[at]} << 32, 0};
    }
}

struct lane {
    std::uint64_t top;
    const narrow_bucket* bucket; // of the length `at`, unless that is a wide one
    std::uint32_t state;
    std::uint32_t at;
    std::size_t which;
};

template <bool Ipv6>
struct batch {
    const arrays& s;
    const void* addresses;
    std::uint32_t* out;
    std::size_t count;
    std::size_t next;

    FINGERPOST_INLINE void ask(lane& l) const {
        const probed_length& length = s.lengths[l.at];
        const std::uint32_t hash = s.narrow_key.hash_beside(l.top & length.mask, length.beside);
        l.bucket = s.narrow + hash_key::bucket(hash, s.narrow_buckets);
        __builtin_prefetch(l.bucket);
    }
    // Starts with the next address that has something to probe. Returns false if there is none.
    FINGERPOST_INLINE bool begin_next(lane& l) {
        while (next < count) {
            l.which = next;
            l.top = load_address<Ipv6>(addresses, next++).top;
            l.state = begin(s, plain_reads{}, l.top);
            l.at = first_length(s, l.state);
            if (l.at != stop) {
                ask(l);
                return true;
            }
            end(l);
        }
        return false;
    }
    FINGERPOST_INLINE void end(const lane& l) const { out[l.which] = code_of(s, l.state) - 1; }

    // Returns false if the search has ended.
    FINGERPOST_INLINE bool turn(lane& l) const {
        const probed_length& length = s.lengths[l.at];
        if (Ipv6 && length.is_wide()) [[unlikely]] {
            std::uint8_t at = static_cast<std::uint8_t>(l.at);
            const bool goes_on =
                step<128>(s, plain_reads{}, load_address<Ipv6>(addresses, l.which), l.state, at);
            l.at = at;
            if (goes_on)
                ask(l);
            return goes_on;
        }
        const narrow_bucket& bucket = *l.bucket;
        const unsigned equal = vec::equal_pairs(bucket.keys.data(), l.top & length.mask, length.tag);
        const bool is_hit = equal != 0;
        if (!is_hit && bucket.is_passed()) [[unlikely]] {
            ++l.bucket;
            if (l.bucket == s.narrow + s.narrow_buckets)
                l.bucket = s.narrow;
            __builtin_prefetch(l.bucket);
            return true;
        }
        const unsigned slot =
            static_cast<unsigned>(std::countr_zero(equal | 1u << (narrow_bucket::slots - 1)));
        const std::uint32_t word = entry_word::answer_of(bucket.words[slot]);
        l.state = is_hit ? word : l.state;
        l.at = next_length(s, l.state, static_cast<std::uint8_t>(l.at), is_hit);
        if (l.at == stop)
            return false;
        ask(l);
        return true;
    }

    void run() {
        lane lanes[turns];
        unsigned busy = 0;
        while (busy < turns && begin_next(lanes[busy]))
            ++busy;
        while (busy == turns)
            for (unsigned i = 0; i < turns; ++i)
                if (!turn(lanes[i])) {
                    end(lanes[i]);
                    if (!begin_next(lanes[i])) {
                        lanes[i] = lanes[--busy];
                        break;
                    }
                }
        while (busy > 0)
            for (unsigned i = 0; i < busy;)
                if (turn(lanes[i])) {
                    ++i;
                } else {
                    end(lanes[i]);
                    lanes[i] = lanes[--busy];
                }
    }
};

template <bool Ipv6>
void look_up(const arrays& s, const void* addresses, std::uint32_t* out, std::size_t count) noexcept {
    batch<Ipv6>{s, addresses, out, count, 0}.run();
}

constinit const kernel_set all_kernels = {look_up<false>, look_up<true>};

} // namespace
} // namespace fingerpost::length_search
