// Packed leaves with other bounds than the library has, for tests and fuzzers: the counted form, which the
// library takes for large IPv4 tables, for tables of any size; and ends of capacity that small tables reach.
#pragma once

#include <span>
#include <utility>

#include "fingerpost/fib/packed_leaves.hpp"
#include "fingerpost/table/live_schemes_list.hpp"

namespace fingerpost::testing {

template <class A, packed_bounds Bounds>
class bounded_leaves {
  public:
    static constexpr unsigned decided_from = packed_leaves<A>::decided_from;

    static expected<bounded_leaves> build(const routes<A>& table, const build_options& options = {}) {
        auto built = packed_leaves<A>::build(table, options, Bounds);
        if (!built)
            return unexpected{built.error()};
        return bounded_leaves(std::move(*built));
    }
    next_hop lookup(A a) const noexcept { return fib_.lookup(a); }
    void lookup(std::span<const A> in, std::span<next_hop> out) const noexcept { fib_.lookup(in, out); }
    std::size_t memory_bytes() const noexcept { return fib_.memory_bytes(); }
    errc apply(const change<A>& c) noexcept { return fib_.apply(c); }
    errc follow(bounded_leaves& leader) noexcept { return fib_.follow(leader.fib_); }
    void reveal() noexcept { fib_.reveal(); }
    bool is_settled() const noexcept { return fib_.is_settled(); }
    void settle() noexcept { fib_.settle(); }

  private:
    explicit bounded_leaves(packed_leaves<A> built) : fib_(std::move(built)) {}

    packed_leaves<A> fib_;
};

// The same as tables use schemes.
template <class A, packed_bounds Bounds>
const live_scheme<A>& bounded_scheme() {
    using form = bounded_leaves<A, Bounds>;
    using made = detail::instance_maker<A, form>;
    static const live_scheme<A> bounded{"packed_leaves, bounded", true,        true,   false,
                                        decided_from<form>(),     made::build, nullptr};
    return bounded;
}

inline constexpr packed_bounds counted_always{.ranked_from = 0};
using counted_leaves = bounded_leaves<ipv4_address, counted_always>;
inline const live_scheme<ipv4_address>& counted_scheme() {
    return bounded_scheme<ipv4_address, counted_always>();
}

} // namespace fingerpost::testing
