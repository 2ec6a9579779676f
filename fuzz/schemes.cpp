// Fuzzes every scheme on every ISA: bytes become routes and addresses, and answers are compared with those of
// the oracle. The first three bytes select IPv4 or IPv6, the scheme and the ISA; then each route takes a few.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <span>
#include <string>
#include <vector>

#include "fingerpost/net/text.hpp"
#include "fingerpost/registry/registry.hpp"
#include "fingerpost/rib/rib.hpp"
#include "fuzz/bytes.hpp"
#include "tests/oracle/by_length.hpp"
#include "tests/oracle/probes.hpp"
#include "tests/oracle/verify.hpp"

namespace fingerpost {
namespace {

template <class A>
std::vector<route<A>> some_routes(fuzzing::bytes& in) {
    std::vector<route<A>> routes;
    while (!in.empty() && routes.size() < 300) {
        const auto where = fuzzing::some_prefix<A>(in, routes);
        routes.push_back({where, fuzzing::some_hop(in)});
    }
    return routes;
}

template <class A>
void try_scheme(const scheme_entry<A>& entry, simd::isa isa, const routes<A>& from,
                std::span<const A> addresses, std::span<const next_hop> right) {
    const auto built = entry.build(from, {.isa = isa});
    if (!built && built.error() == errc::capacity)
        return;
    const auto wrong = built ? oracle::verify<A>(**built, addresses, right) : oracle::difference<A>{};
    if (!wrong)
        return;
    const std::string name(entry.facts.name), isa_name(simd::name_of(isa)), where = to_string(wrong->address);
    std::fprintf(stderr, "%s on %s: %s for %s: %u instead of %u, in a batch of %zu\n", name.c_str(),
                 isa_name.c_str(), built ? "wrong answer" : "build failed", where.c_str(), wrong->got.id,
                 wrong->expected.id, wrong->batch);
    for (const route<A>& r : from.sorted())
        std::fprintf(stderr, "%s %u\n", to_string(r.where).c_str(), r.hop.id);
    std::abort();
}

template <class A>
void fuzz(fuzzing::bytes& in) {
    static const std::vector<scheme_entry<A>> all(schemes<A>().begin(), schemes<A>().end());
    const scheme_entry<A>& entry = fuzzing::some_scheme<A>(in, all);
    const simd::isa isa = fuzzing::some_isa(in);
    const std::vector<route<A>> given = some_routes<A>(in);
    rib<A> table;
    if (!table.assign(given))
        std::abort();
    const oracle::by_length<A> judge(given);
    const std::vector<A> addresses = oracle::probes<A>(given);
    const std::vector<next_hop> right = oracle::answers<A>(judge, std::span<const A>(addresses));
    try_scheme<A>(entry, isa, table.to_routes(), addresses, right);
}

} // namespace
} // namespace fingerpost

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    fingerpost::fuzzing::for_one_family(data, size, []<class A>(auto& in) { fingerpost::fuzz<A>(in); });
    return 0;
}
