// A sink for the fuzzers of the router that checks the guarantees of route sources.
#pragma once

#include <cstdlib>
#include <variant>

#include "router/routes/sink/route_sink.hpp"

namespace fingerpost::fuzzing {

inline void require(bool holds) {
    if (!holds)
        std::abort();
}

inline void check_prefix(const any_prefix& where) {
    std::visit(
        [](const auto& one) {
            using type = std::remove_cvref_t<decltype(one)>;
            require(one.length <= type::address_type::bits && type::is_canonical(one.base, one.length));
        },
        where);
}

class counting_sink final : public router::route_sink {
  public:
    unsigned changes = 0;

    static void check(const router::destination& to) {
        require((to.what == router::action::forward) == !to.paths.empty());
        for (const router::path& one : to.paths)
            require(one.weight >= 1 && one.weight <= 256 && (one.gateway || one.interface != 0));
    }
    void announce(router::vrf_number, const any_prefix& where,
                  const router::route_target& to) noexcept override {
        ++changes;
        check_prefix(where);
        if (const auto* const own = std::get_if<router::destination>(&to))
            check(*own);
    }
    void withdraw(router::vrf_number, const any_prefix& where) noexcept override {
        ++changes;
        check_prefix(where);
    }
    void set_group(router::group_id, const router::destination& to) noexcept override {
        ++changes;
        check(to);
    }
    void remove_group(router::group_id) noexcept override { ++changes; }
    void begin_refresh() noexcept override {}
    void sweep() noexcept override {}
    router::stale_routes stale() const noexcept override { return {}; }
    void commit() noexcept override {}
};

} // namespace fingerpost::fuzzing
