// Adapts DPDK's hash table to neighbours.
#include "router/forward/neighbour_table.hpp"

#include <atomic>
#include <string>

#include <rte_jhash.h>
#include <rte_lcore.h>

namespace fingerpost::router {

expected<neighbour_table> neighbour_table::create(std::size_t capacity, reclaimer& old) noexcept {
    // All DPDK tables share one name space.
    static std::atomic<unsigned> count{0};
    const std::string name = "neighbours-" + std::to_string(count++);
    rte_hash_parameters parameters{};
    parameters.name = name.c_str();
    parameters.entries = static_cast<std::uint32_t>(capacity);
    parameters.key_len = sizeof(key);
    parameters.hash_func = rte_jhash;
    parameters.socket_id = SOCKET_ID_ANY;
    parameters.extra_flag = RTE_HASH_EXTRA_FLAGS_RW_CONCURRENCY_LF;
    rte_hash* const hash = rte_hash_create(&parameters);
    if (hash == nullptr)
        return unexpected{errc::out_of_memory};
    return neighbour_table(hash, old);
}

errc neighbour_table::set(std::uint32_t interface, const any_address& address,
                          std::uint32_t number) noexcept {
    const key where = key_of(interface, address);
    void* const data = reinterpret_cast<void*>(std::uintptr_t{number});
    return rte_hash_add_key_data(hash_.get(), &where, data) == 0 ? errc::ok : errc::capacity;
}

void neighbour_table::remove(std::uint32_t interface, const any_address& address,
                             std::function<void()> then) {
    const key where = key_of(interface, address);
    const int position = rte_hash_del_key(hash_.get(), &where);
    if (position < 0)
        return;
    old_->later([in = hash_.get(), position, run = std::move(then)] {
        rte_hash_free_key_with_position(in, position);
        run();
    });
}

} // namespace fingerpost::router
