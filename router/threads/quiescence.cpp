// Advances a grace period without waiting.
#include "router/threads/quiescence.hpp"

#include <cstdlib>
#include <new>
#include <utility>

#include "fingerpost/base/memory.hpp"

namespace fingerpost::router {

quiescence::quiescence(unsigned threads) {
    const std::size_t bytes = rte_rcu_qsbr_get_memsize(threads);
    const std::size_t whole_lines = (bytes + cache_line_bytes - 1) / cache_line_bytes * cache_line_bytes;
    state_ = static_cast<rte_rcu_qsbr*>(std::aligned_alloc(cache_line_bytes, whole_lines));
    if (state_ == nullptr)
        throw std::bad_alloc();
    rte_rcu_qsbr_init(state_, threads);
}

quiescence::~quiescence() {
    std::free(state_);
}

void quiescence::take_over(quiescence& fresh) noexcept {
    std::swap(state_, fresh.state_);
    std::swap(rings_, fresh.rings_);
    now_ = step::done;
}

void quiescence::enter(unsigned id) noexcept {
    rte_rcu_qsbr_thread_register(state_, id);
    rte_rcu_qsbr_thread_online(state_, id);
}

void quiescence::leave(unsigned id) noexcept {
    rte_rcu_qsbr_thread_offline(state_, id);
    rte_rcu_qsbr_thread_unregister(state_, id);
}

std::uint64_t quiescence::begin() {
    token_ = rte_rcu_qsbr_start(state_);
    now_ = step::looking_up;
    return ++period_;
}

bool quiescence::is_over(std::uint64_t period) {
    if (period != period_)
        return period < period_;
    if (now_ == step::looking_up && rte_rcu_qsbr_check(state_, token_, false) == 1) {
        for (watched& ring : rings_)
            ring.mark = __atomic_load_n(&ring.ring->prod.head, __ATOMIC_ACQUIRE);
        now_ = step::in_rings;
    }
    if (now_ == step::in_rings && is_drained()) {
        token_ = rte_rcu_qsbr_start(state_);
        now_ = step::in_hands;
    }
    if (now_ == step::in_hands && rte_rcu_qsbr_check(state_, token_, false) == 1)
        now_ = step::done;
    return now_ == step::done;
}

bool quiescence::is_drained() const noexcept {
    for (const watched& watched_ring : rings_) {
        const std::uint32_t consumed = __atomic_load_n(&watched_ring.ring->cons.tail, __ATOMIC_ACQUIRE);
        // Both numbers wrap around at 2^32, and no ring holds 2^31 packets.
        if (static_cast<std::int32_t>(consumed - watched_ring.mark) < 0)
            return false;
    }
    return true;
}

} // namespace fingerpost::router
