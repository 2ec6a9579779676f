// Hashing with a random key for each table. A person who chooses the contents of a table, such as routes or
// names, cannot choose what collides in it.
//
// Numbers. Multiply-shift over the 32-bit parts x0, x1, ... of a number, with random 64-bit words a0, a1,
// ..., b and arithmetic modulo 2^64:
//
//     32 bits     a0 x0 + b
//     64 bits     (a0 + x1)(a1 + x0) + b
//     128 bits    (a0 + x1)(a1 + x0) + (a2 + x3)(a3 + x2) + b
//     additional  + a4 x4 for 32 more bits, such as the length of a prefix
//
// The upper 32 bits of the sum are strongly universal: for any two different numbers, the pair of their
// hashes is uniformly distributed over the keys. So no pair collides under more keys than any other. Folding
// a product has no such proof: if one factor is the same for all numbers, such as the lower half of all
// 48-bit IPv6 cells, an attacker can search for numbers that collide under every key.
//
// The last step is a permutation of 32 bits, which preserves this property. It covers a case that strong
// universality does not. Without it, numbers at equal distances, such as consecutive prefixes, have hashes at
// equal distances, and for about 1 % of the keys these hashes lie close together.
//
// Texts. The hash of a text is the value of a polynomial at a random point, modulo the prime 2^61 - 1, hashed
// as a number. The coefficients are the length and then groups of seven bytes. Two texts of up to n bytes
// have the same value under at most n / 7 + 1 of 2^61 keys.
//
// The words are derived from a seed of 64 random bits. A known seed, such as the one stored in an image file,
// reveals nothing about the seeds of other tables.
//
// Source: M. Dietzfelbinger, "Universal hashing and k-wise independent random variables via integer
// arithmetic without primes", STACS 1996; M. Thorup, "High speed hashing for integers and strings",
// arXiv:1504.06804, sections 3.3 to 3.5 and 5.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "fingerpost/base/bits.hpp"

namespace fingerpost {

namespace detail {

// Turns numbers at equal steps into numbers without a visible pattern.
// Source: S. Vigna's splitmix64, after G. Steele et al., OOPSLA 2014.
inline constexpr std::uint64_t mix64_step = 0x9e3779b97f4a7c15;
constexpr std::uint64_t mix64(std::uint64_t x) noexcept {
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
    x = (x ^ x >> 27) * 0x94d049bb133111eb;
    return x ^ x >> 31;
}
using hash_words = std::array<std::uint64_t, 6>;
constexpr hash_words hash_words_of(std::uint64_t seed) noexcept {
    hash_words words{};
    for (std::uint64_t& word : words)
        word = mix64(seed += mix64_step);
    return words;
}
inline constexpr hash_words hash_words_of_zero = hash_words_of(0);

// Returns a seed for use when the operating system has no entropy.
std::uint64_t seed_without_entropy() noexcept;

} // namespace detail

class hash_key {
  public:
    // A fixed, public key, for tables so small that collisions do not matter.
    constexpr hash_key() noexcept : seed_(0), words_(detail::hash_words_of_zero) {}
    explicit constexpr hash_key(std::uint64_t seed) noexcept
        : seed_(seed), words_(detail::hash_words_of(seed)) {}
    // Returns a key from the operating system. If the system has no entropy yet, the key is derived from
    // values that differ between processes and calls, so this never fails.
    static hash_key random() noexcept;

    // Seed from which the same key can be created again.
    constexpr const std::uint64_t& seed() const noexcept { return seed_; }

    constexpr std::uint32_t hash(std::uint32_t x) const noexcept { return finish(words_[0] * x + addend()); }
    // Returns the hash of both numbers.
    constexpr std::uint32_t hash(std::uint64_t x, std::uint32_t more = 0) const noexcept {
        return hash_beside(x, beside(more));
    }
    constexpr std::uint32_t hash(u128 x, std::uint32_t more = 0) const noexcept {
        return hash_beside(x, beside(more));
    }
    // Compute the same hash in two steps, for lookups in which the second number takes few values.
    constexpr std::uint64_t beside(std::uint32_t more) const noexcept { return words_[4] * more + addend(); }
    constexpr std::uint32_t hash_beside(std::uint64_t x, std::uint64_t beside_it) const noexcept {
        return finish(pair(0, x) + beside_it);
    }
    constexpr std::uint32_t hash_beside(u128 x, std::uint64_t beside_it) const noexcept {
        return finish(pair(0, static_cast<std::uint64_t>(x)) + pair(2, static_cast<std::uint64_t>(x >> 64)) +
                      beside_it);
    }
    std::uint32_t hash(std::string_view text) const noexcept {
        const std::uint64_t point = words_[4] & prime;
        std::uint64_t value = text.size();
        const char* at = text.data();
        std::size_t left = text.size();
        for (; left >= sizeof(std::uint64_t); left -= coefficient_bytes, at += coefficient_bytes)
            value = next_value(value, point, load_little<std::uint64_t>(at) << 8 >> 8);
        if (left != 0)
            value = next_value(value, point, short_coefficient(at, left));
        return hash(value);
    }

    // Maps a hash evenly to one of up to 2^32 buckets.
    static constexpr std::size_t bucket(std::uint32_t hash, std::size_t buckets) noexcept {
        return static_cast<std::size_t>(static_cast<std::uint64_t>(hash) * buckets >> 32);
    }

  private:
    static constexpr std::uint64_t prime = (std::uint64_t{1} << 61) - 1;
    static constexpr std::size_t coefficient_bytes = 7;

    constexpr std::uint64_t addend() const noexcept { return words_[5]; }
    constexpr std::uint64_t pair(std::size_t first, std::uint64_t x) const noexcept {
        return (words_[first] + (x >> 32)) * (words_[first + 1] + static_cast<std::uint32_t>(x));
    }
    static constexpr std::uint32_t finish(std::uint64_t sum) noexcept {
        auto x = static_cast<std::uint32_t>(sum >> 32);
        x = (x ^ x >> 16) * 0x7feb352du;
        return x ^ x >> 15;
    }
    // Returns up to seven bytes as a number, with two or three loads instead of one load for each byte. Loads
    // may overlap but never leave the text.
    static std::uint64_t short_coefficient(const char* at, std::size_t size) noexcept {
        if (size >= 4)
            return load_little<std::uint32_t>(at) | std::uint64_t{load_little<std::uint32_t>(at + size - 4)}
                                                        << 8 * (size - 4);
        const auto byte = [at](std::size_t i) {
            return std::uint64_t{static_cast<unsigned char>(at[i])} << 8 * i;
        };
        return byte(0) | byte(size / 2) | byte(size - 1);
    }
    static constexpr std::uint64_t next_value(std::uint64_t value, std::uint64_t point,
                                              std::uint64_t coefficient) noexcept {
        return reduce(static_cast<u128>(value) * point + coefficient);
    }
    // Reduces modulo the prime, except that multiples of the prime become the prime itself.
    static constexpr std::uint64_t reduce(u128 x) noexcept {
        const std::uint64_t sum =
            (static_cast<std::uint64_t>(x) & prime) + static_cast<std::uint64_t>(x >> 61);
        return (sum & prime) + (sum >> 61);
    }

    std::uint64_t seed_;
    detail::hash_words words_;
};

} // namespace fingerpost
