// Makes prefixes and next hops from a fuzzer's bytes. Most prefixes are derived from an earlier prefix by one
// step, so that small inputs already have nested and adjacent prefixes and holes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <span>
#include <vector>

#include "fingerpost/fib/scheme_entry.hpp"
#include "fingerpost/net/route.hpp"
#include "fingerpost/simd/isa.hpp"

namespace fingerpost::fuzzing {

class bytes {
  public:
    bytes(const std::uint8_t* data, std::size_t size) : data_(data, size) {}

    bool empty() const { return data_.empty(); }
    std::size_t size() const { return data_.size(); }
    // Zero if no bytes are left.
    std::uint8_t next() {
        if (data_.empty())
            return 0;
        const std::uint8_t first = data_.front();
        data_ = data_.subspan(1);
        return first;
    }
    template <class A>
    A address() {
        typename A::value_type value = 0;
        for (unsigned i = 0; i < A::bits / 8; ++i)
            value = static_cast<decltype(value)>(value << 8 | next());
        return A{value};
    }

  private:
    std::span<const std::uint8_t> data_;
};

// The first byte selects the family: calls run.operator()<A>(bytes) for IPv4 or IPv6 addresses.
template <class F>
void for_one_family(const std::uint8_t* data, std::size_t size, F run) {
    bytes in(data, size);
    if (in.next() % 2 == 0)
        run.template operator()<ipv4_address>(in);
    else
        run.template operator()<ipv6_address>(in);
}

// One byte selects the scheme, and one the ISA: an input that tried all of them would be slow, and slower
// with every added scheme. A scheme with a large empty FIB gets few of its inputs, because the fuzzer would
// spend its time clearing megabytes; the next scheme gets the others. The selection depends only on the
// bytes, so that a crash can be reproduced.
template <class A>
const scheme_entry<A>& some_scheme(bytes& in, std::span<const scheme_entry<A>> schemes) {
    std::size_t chosen = in.next() % schemes.size();
    const bool may_be_large = in.size() % 64 == 5;
    for (std::size_t i = 0; i < schemes.size() && schemes[chosen].facts.large_when_empty && !may_be_large;
         ++i)
        chosen = (chosen + 1) % schemes.size();
    return schemes[chosen];
}
inline simd::isa some_isa(bytes& in) {
    const auto all = simd::available_isas();
    return all[in.next() % all.size()];
}

// A new address, or one at the edge of an earlier prefix.
template <class A>
A some_address(bytes& in, const std::vector<route<A>>& routes) {
    using value = typename A::value_type;
    const std::uint8_t how = in.next();
    if (routes.empty() || how % 8 == 0)
        return in.address<A>();
    const prefix<A>& old = routes[in.next() % routes.size()].where;
    switch (how % 8) {
    case 1:
        return old.first();
    case 2:
        return old.last();
    case 3:
        return A{static_cast<value>((old.last().value + 1) & A::last().value)};
    case 4:
        return A{static_cast<value>((old.first().value - 1) & A::last().value)};
    case 5:
        return A{
            static_cast<value>(old.base.value ^ shift_right(value{1} << (A::bits - 1), in.next() % A::bits))};
    case 6:
        return A{static_cast<value>(old.base.value | (in.address<A>().value & ~network_mask<A>(old.length)))};
    default:
        return A{static_cast<value>(old.base.value | in.next())};
    }
}

template <class A>
prefix<A> some_prefix(bytes& in, const std::vector<route<A>>& routes) {
    const A where = some_address<A>(in, routes);
    return prefix<A>::make(where, in.next() % (A::bits + 1));
}

// Ids at which answers grow from one to two and from two to four bytes, and the largest id.
inline next_hop some_hop(bytes& in) {
    constexpr std::uint32_t ids[] = {0,     1,     2,     253,   254,        255,       256,
                                     65533, 65534, 65535, 65536, 0x7fffffff, 0xfffffffe};
    return {ids[in.next() % std::size(ids)]};
}

} // namespace fingerpost::fuzzing
