// The uniform address model: the bits of every prefix are random.
#include <numeric>

#include "bench/workloads/generate/address_models.hpp"
#include "bench/workloads/generate/number_set.hpp"
#include "bench/workloads/random.hpp"

namespace fingerpost::bench {
namespace {

// 2000::/3 is one block of length 3. IPv4 unicast space consists of the /8s 1 to 223 without 10 (private) and
// 127 (loopback). The `blocks` blocks of `length` bits are numbered from 0.
struct unicast_space {
    unsigned length;
    std::uint64_t blocks;
};

template <class A>
constexpr unicast_space space_of() {
    return A::bits == 32 ? unicast_space{8, 221} : unicast_space{3, 1};
}

template <class A>
constexpr std::uint64_t block_bits(std::uint64_t index) {
    if (A::bits != 32)
        return 1;
    const std::uint64_t number = index + 1 + (index + 1 >= 10);
    return number + (number >= 127);
}

// Lists all `space` numbers and draws `count` without replacement, for lengths that are nearly full.
template <class U>
std::vector<U> draw_listed(std::uint64_t space, std::uint64_t count, random_source& random) {
    std::vector<U> numbers(space);
    std::iota(numbers.begin(), numbers.end(), U{0});
    for (std::uint64_t i = 0; i < count; ++i)
        std::swap(numbers[i], numbers[i + random.below(space - i)]);
    numbers.resize(count);
    return numbers;
}

// Draws until there are `count` different numbers. Requires at least twice as many to draw from.
template <class A>
std::vector<typename A::value_type> draw_sparse(unsigned free_bits, std::uint64_t count,
                                                random_source& random) {
    using value = typename A::value_type;
    number_set<value> used;
    used.reset(count);
    std::vector<value> numbers;
    numbers.reserve(count);
    while (numbers.size() < count) {
        const value block = static_cast<value>(random.below(space_of<A>().blocks));
        const value number = static_cast<value>(shift_left(block, free_bits) | random.bits<value>(free_bits));
        if (used.insert(number))
            numbers.push_back(number);
    }
    return numbers;
}

// `number` counts the prefixes of this length through the unicast blocks in order.
template <class A>
prefix<A> nth_prefix(typename A::value_type number, unsigned length) {
    using value = typename A::value_type;
    const unsigned free_bits = length - space_of<A>().length;
    const std::uint64_t block = static_cast<std::uint64_t>(shift_right(number, free_bits));
    const value top = shift_left(static_cast<value>(block_bits<A>(block)), A::bits - space_of<A>().length);
    const value inside = static_cast<value>(number & low_mask<value>(free_bits));
    return {A{static_cast<value>(top | shift_left(inside, A::bits - length))},
            static_cast<std::uint8_t>(length)};
}

} // namespace

template <class A>
prefixes_or_reason<A> uniform_prefixes(const length_counts& counts, std::uint64_t seed) {
    using value = typename A::value_type;
    constexpr unicast_space space = space_of<A>();
    std::vector<prefix<A>> prefixes;
    for (unsigned length = space.length; length <= A::bits; ++length) {
        const std::uint64_t count = counts[length];
        if (count == 0)
            continue;
        random_source random(seed, length);
        const unsigned free_bits = length - space.length;
        // With more than 2^40 prefixes, no table comes close to filling a length.
        const std::uint64_t room = free_bits < 40 ? space.blocks << free_bits : UINT64_MAX;
        if (count > room)
            return unexpected{"a table of this size has " + std::to_string(count) + " prefixes of length " +
                              std::to_string(length) + ", but unicast space holds only " +
                              std::to_string(room)};
        const std::vector<value> numbers = count > room / 2 ? draw_listed<value>(room, count, random)
                                                            : draw_sparse<A>(free_bits, count, random);
        for (const value number : numbers)
            prefixes.push_back(nth_prefix<A>(number, length));
    }
    return prefixes;
}

template prefixes_or_reason<address<32>> uniform_prefixes(const length_counts&, std::uint64_t);
template prefixes_or_reason<address<128>> uniform_prefixes(const length_counts&, std::uint64_t);

} // namespace fingerpost::bench
