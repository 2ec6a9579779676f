// The objects behind the handles of fingerpost.h, and the conversion between C arguments and the library's
// types.
#pragma once

#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <utility>
#include <variant>
#include <vector>

#include "capi/fingerpost.h"
#include "fingerpost/base/reason.hpp"
#include "fingerpost/image/any_image.hpp"
#include "fingerpost/table/table.hpp"

struct fingerpost_table {
    std::variant<fingerpost::ipv4_table, fingerpost::ipv6_table> self;
    fingerpost::simd::isa isa;
    // The number of existing readers and transactions. Until it is 0, fingerpost_destroy() returns
    // FINGERPOST_INVALID and frees nothing.
    std::atomic<std::size_t> users{0};
};

namespace fingerpost::capi {

// A reader, and the snapshot that fingerpost_reader_pin() holds, if any.
template <class A>
struct pinning_reader {
    reader<A> by;
    std::optional<snapshot<A>> held{};
};

} // namespace fingerpost::capi

struct fingerpost_reader {
    fingerpost_table* of;
    std::variant<fingerpost::capi::pinning_reader<fingerpost::ipv4_address>,
                 fingerpost::capi::pinning_reader<fingerpost::ipv6_address>>
        self;
};

struct fingerpost_transaction {
    fingerpost_table* of;
    std::variant<fingerpost::transaction<fingerpost::ipv4_address>,
                 fingerpost::transaction<fingerpost::ipv6_address>>
        self;
};

struct fingerpost_image {
    fingerpost::any_image self;
    fingerpost::simd::isa isa;
    // The texts of the values, each with a zero behind it, because in the file they have none. Text i follows
    // i zeros, so it begins i bytes later than in the file.
    std::vector<char> texts{};
};

namespace fingerpost::capi {

constexpr int code_of(errc code) noexcept {
    return static_cast<int>(code);
}
static_assert(code_of(errc::ok) == FINGERPOST_OK &&
              code_of(errc::out_of_memory) == FINGERPOST_OUT_OF_MEMORY &&
              code_of(errc::capacity) == FINGERPOST_CAPACITY &&
              code_of(errc::unsupported) == FINGERPOST_UNSUPPORTED &&
              code_of(errc::invalid) == FINGERPOST_INVALID &&
              code_of(errc::not_found) == FINGERPOST_NOT_FOUND);

// Selects the instruction set with this name; null leaves the choice as it is.
inline errc choose_isa(const char* isa, build_options& to) noexcept {
    if (isa == nullptr)
        return errc::ok;
    const auto found = simd::find_isa(isa);
    if (!found)
        return errc::not_found;
    to.isa = *found;
    return errc::ok;
}

// Returns what run() returns, or the code of what it threw: FINGERPOST_OUT_OF_MEMORY or FINGERPOST_CAPACITY.
// No exception may reach C.
template <class F>
int guarded(F run) noexcept {
    try {
        return run();
    } catch (...) {
        return code_of(reason_of_exception());
    }
}

// Works in both directions: swapping bytes is its own inverse, and big-endian machines have nothing to swap.
inline std::uint32_t network_order(std::uint32_t word) noexcept {
    return std::endian::native == std::endian::little ? __builtin_bswap32(word) : word;
}
inline std::uint64_t network_order(std::uint64_t word) noexcept {
    return std::endian::native == std::endian::little ? __builtin_bswap64(word) : word;
}

template <class A>
inline constexpr std::size_t address_bytes = A::bits / 8;

inline void read_network(const void* bytes, ipv4_address& a) noexcept {
    std::uint32_t word;
    std::memcpy(&word, bytes, sizeof word);
    a.value = network_order(word);
}
inline void read_network(const void* bytes, ipv6_address& a) noexcept {
    std::uint64_t words[2];
    std::memcpy(words, bytes, sizeof words);
    a.value = u128{network_order(words[0])} << 64 | network_order(words[1]);
}
inline void write_network(ipv4_address a, void* bytes) noexcept {
    const std::uint32_t word = network_order(a.value);
    std::memcpy(bytes, &word, sizeof word);
}
inline void write_network(ipv6_address a, void* bytes) noexcept {
    const std::uint64_t words[2] = {network_order(top64(a)), network_order(bottom64(a))};
    std::memcpy(bytes, words, sizeof words);
}

template <class A>
A address_of(const void* bytes) noexcept {
    A a;
    read_network(bytes, a);
    return a;
}
// Changes neither the length nor the bits past it: the library refuses a length above A::bits, and clears
// these bits.
template <class A>
prefix<A> prefix_of(const fingerpost_prefix& p) noexcept {
    return {address_of<A>(p.address), p.length};
}
// The same with the bits past the length cleared, for queries. Requires p.length <= A::bits.
template <class A>
prefix<A> canonical_of(const fingerpost_prefix& p) noexcept {
    return prefix<A>::make(address_of<A>(p.address), p.length);
}
template <class A>
fingerpost_prefix c_prefix(const prefix<A>& p) noexcept {
    fingerpost_prefix told{};
    write_network(p.base, told.address);
    told.length = p.length;
    return told;
}
template <class A>
fingerpost_route c_route(const route<A>& r) noexcept {
    return {c_prefix(r.where), r.hop.id};
}
template <class A>
std::vector<route<A>> routes_of(const fingerpost_route* from, std::size_t count) {
    std::vector<route<A>> made;
    made.reserve(count);
    for (std::size_t i = 0; i < count; ++i)
        made.push_back({prefix_of<A>(from[i].prefix), {from[i].next_hop}});
    return made;
}

} // namespace fingerpost::capi
