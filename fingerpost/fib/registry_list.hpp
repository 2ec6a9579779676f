// The one list of schemes. To add a scheme: its header, its entry here, its page in docs/schemes.
//
// Included by registry.cpp for IPv4 and IPv6, and by tests that need other widths.
#pragma once

#include <array>
#include <span>
#include <tuple>

#include "fingerpost/base/reason.hpp"
#include "fingerpost/fib/binary_trie.hpp"
#include "fingerpost/fib/direct_table.hpp"
#include "fingerpost/fib/hash_by_length.hpp"
#include "fingerpost/fib/packed_leaves.hpp"
#include "fingerpost/fib/patricia.hpp"
#include "fingerpost/fib/planb.hpp"
#include "fingerpost/fib/registry.hpp"

namespace fingerpost {
namespace detail {

// What build() returns, or the reason why memory or numbers ran out.
template <class R, class Build>
expected<R> built_or_reason(Build build) noexcept try {
    auto built = build();
    if (!built)
        return unexpected{built.error()};
    return R(std::move(*built));
} catch (...) {
    return unexpected{reason_of_exception()};
}

template <class A, scheme<A> S>
expected<any_fib<A>> build_any(const routes<A>& table, const build_options& options) {
    return built_or_reason<any_fib<A>>([&] { return S::build(table, options); });
}

// A scheme of the list: its type, for those who need more of it than a scheme_entry tells.
template <class A, scheme<A> S>
struct listed {
    using type = S;
    scheme_facts facts;
};
template <class A, scheme<A> S>
constexpr listed<A, S> entry(const scheme_facts& facts) {
    return {facts};
}

inline constexpr std::string_view planb_paper = "Zhang et al., PlanB, NSDI 2026";

template <class A>
constexpr std::tuple any_width_schemes = {
    entry<A, packed_leaves<A>>({.name = "packed_leaves",
                                .summary = "a gathered index over small trees, keys and answers in the same "
                                           "cache lines; large IPv4 tables counted",
                                .paper = "fingerpost's own: docs/schemes/packed_leaves.md",
                                .vectorised = true}),
    entry<A, planb<A>>(
        {.name = "planb",
         .summary = "predecessor search over elementary intervals in a linearized B+-tree, batched",
         .paper = planb_paper,
         .limits = "static; 38 million intervals",
         .vectorised = true}),
    entry<A, binary_trie<A>>({.name = "binary_trie",
                              .summary = "one bit a step; the textbook structure",
                              .paper = "Fredkin, Trie Memory, CACM 1960"}),
    entry<A, patricia<A>>({.name = "patricia",
                           .summary = "path-compressed binary trie, checked on the way down",
                           .paper = "Morrison, PATRICIA, JACM 1968; Sklower, BSD radix tree, 1991"}),
    entry<A, hash_by_length<A>>({.name = "hash_by_length",
                                 .summary = "a hash table for each prefix length in use, longest first",
                                 .paper = "as in VPP's IPv6 FIB"}),
    entry<A, planb<A, planb_search::lower_bound>>(
        {.name = "planb_lower_bound",
         .summary = "ablation: std::lower_bound on the sorted interval ends",
         .paper = planb_paper,
         .limits = "static",
         .standard = false}),
    entry<A, planb<A, planb_search::scalar>>({.name = "planb_scalar",
                                              .summary = "ablation: linearized tree, branch-free scalar code",
                                              .paper = planb_paper,
                                              .limits = "static; 38 million intervals",
                                              .standard = false}),
    entry<A, planb<A, planb_search::autovec>>(
        {.name = "planb_autovec",
         .summary = "ablation: the scalar loop, vectorised by the compiler",
         .paper = planb_paper,
         .limits = "static; 38 million intervals",
         .vectorised = true,
         .standard = false}),
    entry<A, planb<A, planb_search::simd>>({.name = "planb_simd",
                                            .summary = "ablation: vector instructions, one address at a time",
                                            .paper = planb_paper,
                                            .limits = "static; 38 million intervals",
                                            .vectorised = true,
                                            .standard = false}),
    entry<A, planb<A, planb_search::starts>>(
        {.name = "planb_starts",
         .summary = "planb with the paper's start keys instead of end keys",
         .paper = planb_paper,
         .limits = "static; 38 million intervals",
         .vectorised = true,
         .standard = false}),
    entry<A, planb<A, planb_search::batched, 16>>(
        {.name = "planb_wide",
         .summary = "planb with 16 keys a node, for 128-byte cache lines",
         .paper = planb_paper,
         .limits = "static; 22 million intervals",
         .vectorised = true,
         .standard = false}),
};

// Schemes that expand the first bits of an address into a table serve narrow addresses only.
template <class A>
constexpr auto narrow_schemes() {
    if constexpr (A::bits >= 2 && A::bits <= 32) {
        return std::tuple{
            entry<A, direct_table<A>>(
                {.name = "dir_24_8",
                 .summary = "direct table on the first 24 bits, spill groups for the last 8",
                 .paper = "Gupta, Lin, McKeown, INFOCOM 1998; as in DPDK's rte_fib",
                 .limits = "IPv4 only",
                 .widest = 32}),
        };
    } else {
        return std::tuple<>{};
    }
}

// The list with make(listed) in the place of each scheme.
template <class A, class Make>
constexpr auto map_schemes(Make make) {
    constexpr auto all = std::tuple_cat(any_width_schemes<A>, narrow_schemes<A>());
    return std::apply([&](const auto&... one) { return std::array{make(one)...}; }, all);
}

template <class A>
inline constexpr auto scheme_list = map_schemes<A>([]<class S>(const listed<A, S>& one) {
    return scheme_entry<A>{one.facts, patchable<S, A>, build_any<A, S>};
});

} // namespace detail

template <class A>
std::span<const scheme_entry<A>> schemes() noexcept {
    return detail::scheme_list<A>;
}

} // namespace fingerpost
