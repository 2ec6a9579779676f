// Stores each target of routes only once: a million routes of the kernel lead to a few hundred gateways.
#pragma once

#include <cstddef>
#include <map>
#include <utility>

#include "router/routes/sink/destination.hpp"

namespace fingerpost::router {

class shared_target;

class target_pool {
  public:
    target_pool() = default;
    target_pool(const target_pool&) = delete;
    target_pool& operator=(const target_pool&) = delete;

    // Throws std::bad_alloc.
    shared_target share(route_target to);
    std::size_t size() const noexcept { return known_.size(); }

  private:
    friend class shared_target;
    struct entry {
        target_pool* of = nullptr;
        const route_target* target = nullptr;
        std::size_t references = 0;
    };
    std::map<route_target, entry> known_;
};

// One reference to a target. The pool must outlive it. The last reference removes the target from the pool.
class shared_target {
  public:
    shared_target(const shared_target& other) noexcept : at_(other.at_) { ++at_->references; }
    shared_target& operator=(shared_target other) noexcept {
        std::swap(at_, other.at_);
        return *this;
    }
    ~shared_target() {
        if (--at_->references == 0)
            at_->of->known_.erase(at_->of->known_.find(*at_->target));
    }

    const route_target& operator*() const noexcept { return *at_->target; }
    // For two targets of the same pool, which are equal only if they are the same object.
    friend bool operator==(const shared_target& a, const shared_target& b) noexcept { return a.at_ == b.at_; }

  private:
    friend class target_pool;
    explicit shared_target(target_pool::entry& at) noexcept : at_(&at) { ++at_->references; }

    target_pool::entry* at_;
};

inline shared_target target_pool::share(route_target to) {
    const auto [match, is_new] = known_.try_emplace(std::move(to));
    if (is_new)
        match->second = {this, &match->first, 0};
    return shared_target(match->second);
}

} // namespace fingerpost::router
