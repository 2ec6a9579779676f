// The counted form of packed leaves, which the library takes for large IPv4 tables, for tables of any size.
#pragma once

#include <span>
#include <utility>

#include "fingerpost/fib/packed_leaves.hpp"
#include "fingerpost/table/live_schemes_list.hpp"

namespace fingerpost::testing {

class counted_leaves {
    using A = ipv4_address;

  public:
    static constexpr unsigned decided_from = packed_leaves<A>::decided_from;

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
    void reveal() noexcept { fib_.reveal(); }
    bool is_settled() const noexcept { return fib_.is_settled(); }
    void settle() noexcept { fib_.settle(); }

  private:
    explicit counted_leaves(packed_leaves<A> built) : fib_(std::move(built)) {}

    packed_leaves<A> fib_;
};

// The same as tables use schemes.
inline const live_scheme<ipv4_address>& counted_scheme() {
    using made = detail::instance_maker<ipv4_address, counted_leaves>;
    static const live_scheme<ipv4_address> counted{"packed_leaves, counted",       true,        true,   false,
                                                   decided_from<counted_leaves>(), made::build, nullptr};
    return counted;
}

} // namespace fingerpost::testing
