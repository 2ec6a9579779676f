// Objects that the handles of fingerpost.h point to, and conversions between C arguments and library types.
#pragma once

#include <array>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "capi/errors.hpp"
#include "capi/fingerpost.h"
#include "fingerpost/image/any_image.hpp"
#include "fingerpost/map/map_state.hpp"
#include "fingerpost/table/table.hpp"

namespace fingerpost::capi {

template <class A>
inline constexpr int family = A::bits == ipv4_address::bits ? FINGERPOST_IPV4 : FINGERPOST_IPV6;
template <class A>
inline constexpr std::size_t address_bytes = A::bits / 8;

// A live table with next hops that number byte strings. Equal strings are stored once.
using bytes_table = detail::map_state<std::string, true>;

// An opened file. Its values are copied to `texts` with a zero after each, because the file has none: text i
// follows i zeros, so it begins i bytes later than in the file.
struct mapped_table {
    both_images files;
    std::vector<char> ipv4_texts{};
    std::vector<char> ipv6_texts{};

    // Null if the file does not have the family.
    template <class A>
    const image<A>* file() const noexcept {
        if constexpr (A::bits == ipv4_address::bits)
            return files.ipv4 ? &*files.ipv4 : nullptr;
        else
            return files.ipv6 ? &*files.ipv6 : nullptr;
    }
    template <class A>
    const std::vector<char>& texts() const noexcept {
        return A::bits == ipv4_address::bits ? ipv4_texts : ipv6_texts;
    }
};

} // namespace fingerpost::capi

struct fingerpost_table {
    std::variant<fingerpost::ip_table, std::unique_ptr<fingerpost::capi::bytes_table>,
                 fingerpost::capi::mapped_table>
        self;
    fingerpost::simd::isa isa;
    // The number of existing readers and transactions. Until it is 0, fingerpost_destroy() returns
    // FINGERPOST_INVALID and frees nothing.
    std::atomic<std::size_t> users{0};

    // Returns null if the table is of another kind.
    fingerpost::capi::bytes_table* of_bytes() const noexcept {
        const auto* const bytes = std::get_if<1>(&self);
        return bytes != nullptr ? bytes->get() : nullptr;
    }
    const fingerpost::capi::mapped_table* mapped() const noexcept { return std::get_if<2>(&self); }
    const fingerpost::ip_table* live() const noexcept {
        auto* const bytes = of_bytes();
        return bytes != nullptr ? &bytes->live() : std::get_if<0>(&self);
    }
    fingerpost::ip_table* live() noexcept {
        auto* const bytes = of_bytes();
        return bytes != nullptr ? &bytes->live() : std::get_if<0>(&self);
    }
};

// `held` is the snapshot that fingerpost_reader_pin() has pinned. Readers of mapped tables have neither.
struct fingerpost_reader {
    fingerpost_table* of;
    std::optional<fingerpost::ip_reader> by{};
    std::optional<fingerpost::ip_snapshot> held{};
};

struct fingerpost_transaction {
    fingerpost_table* of;
    fingerpost::ip_transaction self;
};

namespace fingerpost::capi {

// Returns ask(A{}) with the family's address type, or `otherwise` for an invalid family.
template <class R, class F>
R with_family(int of, R otherwise, F ask) {
    if (of == FINGERPOST_IPV4)
        return ask(ipv4_address{});
    return of == FINGERPOST_IPV6 ? ask(ipv6_address{}) : otherwise;
}
inline status no_family() noexcept {
    return fail(FINGERPOST_INVALID, {"the family must be FINGERPOST_IPV4 or FINGERPOST_IPV6"});
}

// Selects the instruction set with this name. Null keeps the current one.
inline status choose_isa(const char* isa, build_options& to) noexcept {
    if (isa == nullptr)
        return {};
    const auto choice = simd::find_isa(isa);
    if (!choice)
        return fail(FINGERPOST_NOT_FOUND, {"this CPU does not have the instruction set '", isa, "'"});
    to.isa = *choice;
    return {};
}

// Works in both directions, because swapping bytes is its own inverse and big-endian machines swap nothing.
inline std::uint32_t network_order(std::uint32_t word) noexcept {
    return std::endian::native == std::endian::little ? __builtin_bswap32(word) : word;
}
inline std::uint64_t network_order(std::uint64_t word) noexcept {
    return std::endian::native == std::endian::little ? __builtin_bswap64(word) : word;
}

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
// Keeps the length and the bits past it: the library refuses a length above A::bits and clears the bits.
template <class A>
prefix<A> prefix_of(const fingerpost_prefix& p) noexcept {
    return {address_of<A>(p.address), p.length};
}
// Returns the prefix with the bits past the length cleared. Requires p.length <= A::bits.
template <class A>
prefix<A> canonical_of(const fingerpost_prefix& p) noexcept {
    return prefix<A>::make(address_of<A>(p.address), p.length);
}
// Returns ask(prefix) if the prefix is valid.
template <class F>
status with_prefix(const fingerpost_prefix* where, F ask) {
    if (where == nullptr)
        return null_pointer();
    return with_family<status>(where->family, no_family(), [&]<class A>(A) -> status {
        if (where->length > A::bits)
            return fail(FINGERPOST_INVALID, {"a prefix is longer than its address"});
        return ask(canonical_of<A>(*where));
    });
}
template <class A>
fingerpost_prefix c_prefix(const prefix<A>& p) noexcept {
    fingerpost_prefix result{};
    write_network(p.base, result.address);
    result.length = p.length;
    result.family = family<A>;
    return result;
}
template <class A>
fingerpost_route c_route(const route<A>& r) noexcept {
    return {c_prefix(r.where), r.hop.id};
}

} // namespace fingerpost::capi
