// Address models with prefixes of one length only; a table may contain all prefixes of that length.
#include "bench/workloads/generate/address_models.hpp"
#include "bench/workloads/random.hpp"

namespace fingerpost::bench {
namespace {

template <class A>
constexpr typename A::value_type documentation_block() {
    if constexpr (A::bits == 32)
        return 0;
    else
        return static_cast<typename A::value_type>(0x20010db8) << 96;
}

} // namespace

template <class A>
prefixes_or_reason<A> contiguous_prefixes(std::size_t count) {
    using value = typename A::value_type;
    constexpr unsigned length = A::bits == 32 ? 24 : 48;
    const value first = A::bits == 32 ? value{1} << 24 : documentation_block<A>();
    const value last = A::bits == 32 ? value{223} << 24 : static_cast<value>(value{0x4000} << (A::bits - 16));
    if (count > static_cast<std::size_t>((last - first) >> (A::bits - length)))
        return unexpected{"there is no room for " + std::to_string(count) + " prefixes side by side"};
    std::vector<prefix<A>> prefixes;
    prefixes.reserve(count);
    for (std::size_t i = 0; i < count; ++i)
        prefixes.push_back(prefix<A>::make(
            A{static_cast<value>(first + (static_cast<value>(i) << (A::bits - length)))}, length));
    return prefixes;
}

template <class A>
prefixes_or_reason<A> host_prefixes(std::size_t count, std::uint64_t seed) {
    using value = typename A::value_type;
    constexpr unsigned free_bits = 20;
    constexpr std::size_t room = std::size_t{1} << free_bits;
    if (count > room)
        return unexpected{"there is room for " + std::to_string(room) + " hosts, not for " +
                          std::to_string(count)};
    const value block = A::bits == 32 ? value{0x01100000} : documentation_block<A>();
    random_source random(seed);
    // Draws the present ones or the missing ones, whichever are fewer.
    const std::size_t drawn = count <= room / 2 ? count : room - count;
    std::vector<bool> chosen(room);
    for (std::size_t i = 0; i < drawn;) {
        const auto number = static_cast<std::size_t>(random.below(room));
        if (!chosen[number]) {
            chosen[number] = true;
            ++i;
        }
    }
    std::vector<prefix<A>> prefixes;
    prefixes.reserve(count);
    for (std::size_t number = 0; number < room; ++number)
        if (chosen[number] == (count <= room / 2))
            prefixes.push_back(
                prefix<A>::make(A{static_cast<value>(block | static_cast<value>(number))}, A::bits));
    return prefixes;
}

template prefixes_or_reason<address<32>> contiguous_prefixes(std::size_t);
template prefixes_or_reason<address<128>> contiguous_prefixes(std::size_t);
template prefixes_or_reason<address<32>> host_prefixes(std::size_t, std::uint64_t);
template prefixes_or_reason<address<128>> host_prefixes(std::size_t, std::uint64_t);

} // namespace fingerpost::bench
