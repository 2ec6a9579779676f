// Change of a live table to another scheme. The slow step, building, does not involve the writer:
//
//      auto next = table.begin_scheme(entry);      writer     copies the routes
//      next->build();                              any thread; the writer continues to change the table
//      table.finish_scheme(*next);                 writer     applies the changes since the copy, publishes
#pragma once

#include <cstdint>
#include <new>
#include <utility>

#include "fingerpost/base/owner.hpp"
#include "fingerpost/fib/scheme_entry.hpp"
#include "fingerpost/table/published.hpp"
#include "fingerpost/table/table_options.hpp"

namespace fingerpost {

namespace detail {
template <class A>
class table_core;
}
template <class A>
class scheme_change {
  public:
    // Returns the result of the scheme's builder: errc::capacity, errc::out_of_memory. Any thread, once.
    [[nodiscard]] errc build() noexcept {
        if (from_ == nullptr)
            return errc::invalid; // already built
        const auto make = how_ == policy::in_place ? scheme_->build_in_place : scheme_->build;
        if (const errc failed = build_into(first_, make); failed != errc::ok)
            return failed;
        // left_right alternates between two FIBs. A syncable one copies itself later.
        if (how_ == policy::left_right && !scheme_->syncable)
            if (const errc failed = build_into(second_, make); failed != errc::ok)
                return failed;
        from_.reset();
        is_built_ = true;
        return errc::ok;
    }
    bool is_built() const noexcept { return is_built_; }
    const scheme_entry<A>& scheme() const noexcept { return *scheme_; }

  private:
    friend class detail::table_core<A>;
    scheme_change(const scheme_entry<A>& scheme, policy how, const build_options& options,
                  owner<routes<A>> from, std::uint64_t number) noexcept
        : scheme_(&scheme), how_(how), options_(options), from_(std::move(from)), number_(number) {}

    errc build_into(owner<fib_version<A>>& place, const fib_builder<A>& make) const noexcept {
        auto built = make(*from_, options_);
        if (!built)
            return built.error();
        place = owner(new (std::nothrow) fib_version<A>(std::move(*built)));
        return place == nullptr ? errc::out_of_memory : errc::ok;
    }

    const scheme_entry<A>* scheme_;
    policy how_;
    build_options options_;
    owner<routes<A>> from_;
    std::uint64_t number_; // index of this change in the table
    bool is_built_ = false;
    owner<fib_version<A>> first_; // to be published
    owner<fib_version<A>> second_;
};

} // namespace fingerpost
