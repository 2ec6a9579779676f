// The workloads of the update benchmark: which routes change, and in which order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string_view>
#include <vector>

#include "fingerpost/base/expected.hpp"
#include "fingerpost/net/route.hpp"

namespace fingerpost::bench {

struct update_facts {
    std::string_view name;
    std::string_view summary;
};

std::span<const update_facts> update_workloads() noexcept;
const update_facts* find_update_workload(std::string_view name) noexcept;

// Effects of one hour of updates on routes of known state (docs/inside/measuring.md: IPv4 at LINX,
// 2014-12-17). Repeated announcements of unchanged routes, 1/3 of the record, have no effect and are not
// counted.
namespace recorded_churn {
inline constexpr std::uint64_t announced = 4874; // withdrawn routes
inline constexpr std::uint64_t withdrawn = 5131;
inline constexpr std::uint64_t replaced = 3678;
inline constexpr std::uint64_t prefixes = 3551;
inline constexpr std::uint64_t updates = 23'446;
inline constexpr std::uint64_t back_with_another_hop = 1557; // of routes announced again,
inline constexpr std::uint64_t back_with_its_hop = 1948;     // if the earlier next hop is recorded
} // namespace recorded_churn

// A change of a prefix: its next hop before and after, none for no route. If `visible`, it changes the answer
// for `probe`.
template <class A>
struct update_step {
    prefix<A> where{};
    next_hop before = next_hop::none;
    next_hop after = next_hop::none;
    bool visible = false;
    A probe{};
    next_hop answer_before = next_hop::none;
    next_hop answer_after = next_hop::none;
};

template <class A>
struct update_list {
    std::vector<route<A>> beforehand; // routes to add to the table first
    std::vector<update_step<A>> steps;
    std::size_t prefixes = 0;       // number of different prefixes
    std::size_t without_effect = 0; // omitted recorded updates that would change nothing
};

// `sorted` are canonical routes in prefix order, each prefix once. `count` limits the steps of `churn`.
// `recorded` are the updates for the workload of this name, with next hop none for a withdrawal. Equal
// arguments give equal lists on all platforms. Errors: invalid for an unknown name, not_found if the table or
// the record has nothing to change. Throws std::bad_alloc.
template <class A>
expected<update_list<A>> make_updates(std::string_view workload, std::span<const route<A>> sorted,
                                      std::size_t count, std::uint64_t seed,
                                      std::span<const route<A>> recorded = {});

// Runs a list endlessly: forward, then backward, which undoes it step by step, then forward again.
template <class A>
class update_player {
  public:
    struct turn {
        prefix<A> where{};
        next_hop to = next_hop::none; // none withdraws
        bool visible = false;
        A probe{};
        next_hop answer = next_hop::none; // the answer for `probe` afterwards
    };

    explicit update_player(const update_list<A>& list) : list_(&list) {}

    turn next() noexcept {
        const auto& steps = list_->steps;
        if (forth_ && at_ == steps.size())
            forth_ = false;
        else if (!forth_ && at_ == 0)
            forth_ = true;
        const update_step<A>& s = steps[forth_ ? at_++ : --at_];
        return {s.where, forth_ ? s.after : s.before, s.visible, s.probe,
                forth_ ? s.answer_after : s.answer_before};
    }

    // The current next hop of each prefix of the list.
    std::map<prefix<A>, next_hop> state() const {
        std::map<prefix<A>, next_hop> now;
        for (std::size_t i = 0; i < list_->steps.size(); ++i) {
            const update_step<A>& s = list_->steps[i];
            if (i < at_)
                now[s.where] = s.after;
            else
                now.emplace(s.where, s.before);
        }
        return now;
    }

  private:
    const update_list<A>* list_;
    std::size_t at_ = 0;
    bool forth_ = true;
};

} // namespace fingerpost::bench
