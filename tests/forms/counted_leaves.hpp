// The counted form of packed leaves, which the library takes for large IPv4 tables, for tables of any size.
#pragma once

#include <span>
#include <utility>

#include "fingerpost/fib/packed_leaves.hpp"

namespace fingerpost::testing {

class counted_leaves {
    using A = ipv4_address;

  public:
    static expected<counted_leaves> build(const routes<A>& table, const build_options& options = {}) {
        auto built = packed_leaves<A>::build(table, options, 0);
        if (!built)
            return unexpected{built.error()};
        return counted_leaves(std::move(*built));
    }
    next_hop lookup(A a) const noexcept { return fib_.lookup(a); }
    void lookup(std::span<const A> in, std::span<next_hop> out) const noexcept { fib_.lookup(in, out); }
    std::size_t memory_bytes() const noexcept { return fib_.memory_bytes(); }
    errc apply(const change<A>& c) noexcept { return fib_.apply(c); }
    errc follow(counted_leaves& leader) noexcept { return fib_.follow(leader.fib_); }

  private:
    explicit counted_leaves(packed_leaves<A> built) : fib_(std::move(built)) {}

    packed_leaves<A> fib_;
};

} // namespace fingerpost::testing
