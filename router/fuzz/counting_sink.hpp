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
        [](const auto& value) {
            using type = std::remove_cvref_t<decltype(value)>;
            require(value.length <= type::address_type::bits && type::is_canonical(value.base, value.length));
        },
        where);
}

class counting_sink final : public router::route_sink {
  public:
    unsigned changes = 0;

    static void check(const router::destination& to) {
        require((to.what == router::action::forward) == !to.paths.empty());
        for (const router::path& path : to.paths)
            require(path.weight >= 1 && path.weight <= 256 && (path.gateway || path.interface != 0));
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
