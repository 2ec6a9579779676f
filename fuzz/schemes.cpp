// Fuzzes every scheme on every ISA: bytes become routes and addresses, the oracle knows the answers.
//
// The first byte chooses the width (IPv4 or IPv6) and how prefixes relate; then each route takes a few bytes:
// mostly a reference to an earlier prefix and a step from it, so that small inputs already nest, touch and
// punch holes.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <span>
#include <string>
#include <vector>

#include "fingerpost/fib/registry.hpp"
#include "fingerpost/net/text.hpp"
#include "fingerpost/rib/rib.hpp"
#include "tests/oracle/by_length.hpp"
#include "tests/oracle/probes.hpp"
#include "tests/oracle/verify.hpp"

namespace fingerpost {
namespace {

class bytes {
  public:
    bytes(const std::uint8_t* data, std::size_t size) : data_(data, size) {}

    bool empty() const { return data_.empty(); }
    // Zero when there are no more.
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

// An address of its own, or one at the edge of an earlier prefix.
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
std::vector<route<A>> some_routes(bytes& in) {
    // Ids at which answers grow from one to two and from two to four bytes, and the largest.
    constexpr std::uint32_t ids[] = {0,     1,     2,     253,   254,        255,       256,
                                     65533, 65534, 65535, 65536, 0x7fffffff, 0xfffffffe};
    std::vector<route<A>> routes;
    while (!in.empty() && routes.size() < 300) {
        const A where = some_address<A>(in, routes);
        const unsigned length = in.next() % (A::bits + 1);
        routes.push_back({prefix<A>::make(where, length), {ids[in.next() % std::size(ids)]}});
    }
    return routes;
}

template <class A>
void try_scheme(const scheme_entry<A>& entry, const simd::kernel_table& kernels, const routes<A>& from,
                std::span<const A> addresses, std::span<const next_hop> right) {
    const auto built = entry.build(from, {&kernels});
    if (!built && built.error() == errc::capacity)
        return;
    const auto wrong = built ? oracle::verify<A>(*built, addresses, right) : oracle::difference<A>{};
    if (!wrong)
        return;
    const std::string name(entry.facts.name), isa(kernels.name), where = to_string(wrong->address);
    std::fprintf(stderr, "%s on %s: %s for %s: %u instead of %u, in a batch of %zu\n", name.c_str(),
                 isa.c_str(), built ? "wrong answer" : "build failed", where.c_str(), wrong->got.id,
                 wrong->expected.id, wrong->batch);
    for (const route<A>& r : from.sorted())
        std::fprintf(stderr, "%s %u\n", to_string(r.where).c_str(), r.hop.id);
    std::abort();
}

// By number in schemes<A>().
template <class A>
bool is_heavy(std::size_t number) {
    static const std::vector<bool> heavy = [] {
        std::vector<bool> out;
        for (const scheme_entry<A>& entry : schemes<A>()) {
            const auto empty = entry.build(routes<A>(), {});
            out.push_back(empty && empty->memory_bytes() > (std::size_t{1} << 20));
        }
        return out;
    }();
    return heavy[number];
}

template <class A>
void fuzz(bytes in) {
    const std::vector<route<A>> given = some_routes<A>(in);
    rib<A> table;
    if (!table.assign(given))
        std::abort();
    const routes<A> from = table.to_routes();
    const oracle::by_length<A> judge(given);
    const std::vector<A> addresses = oracle::probes<A>(given);
    const std::vector<next_hop> right = oracle::answers<A>(judge, std::span<const A>(addresses));
    // Of 64 inputs one goes to the schemes whose empty table already has megabytes; with all of them the
    // fuzzer would do nothing but clear memory. Which one is a property of the input, so that a crash can be
    // repeated.
    const bool heavy_turn = given.size() % 64 == 5;
    std::size_t number = 0;
    for (const scheme_entry<A>& entry : schemes<A>()) {
        if (is_heavy<A>(number++) && !heavy_turn)
            continue;
        for (const simd::kernel_table* kernels : simd::available_kernels()) {
            try_scheme<A>(entry, *kernels, from, addresses, right);
            if (!entry.facts.vectorised)
                break;
        }
    }
}

} // namespace
} // namespace fingerpost

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    fingerpost::bytes in(data, size);
    if (in.next() % 2 == 0)
        fingerpost::fuzz<fingerpost::ipv4_address>(in);
    else
        fingerpost::fuzz<fingerpost::ipv6_address>(in);
    return 0;
}
