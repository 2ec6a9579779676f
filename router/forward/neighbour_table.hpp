// Neighbours on connected networks: maps interface and address to the number of a next hop. Based on DPDK's
// hash table with lock-free readers and one writer.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <variant>

#include <rte_hash.h>

#include "fingerpost/base/expected.hpp"
#include "fingerpost/net/next_hop.hpp"
#include "router/forward/interfaces.hpp"
#include "router/forward/reclaim.hpp"

namespace fingerpost::router {

class neighbour_table {
  public:
    // Fails with errc::out_of_memory, also if DPDK's environment has not been started.
    static expected<neighbour_table> create(std::size_t capacity, reclaimer& old) noexcept;

    // For data threads. Returns next_hop::none for an unknown neighbour.
    next_hop find(std::uint32_t interface, ipv4_address address) const noexcept {
        return find(key_of(interface, address));
    }
    next_hop find(std::uint32_t interface, ipv6_address address) const noexcept {
        return find(key_of(interface, address));
    }

    // For the control thread. Fails with errc::capacity.
    errc set(std::uint32_t interface, const any_address& address, std::uint32_t number) noexcept;
    // Runs `then` once no data thread can find the neighbour any more. Throws std::bad_alloc.
    void remove(std::uint32_t interface, const any_address& address, std::function<void()> then);

  private:
    struct key {
        std::uint64_t high = 0;
        std::uint64_t low = 0;
        std::uint32_t interface = 0;
        std::uint32_t bits = 0; // of the address
    };
    struct free_hash {
        void operator()(rte_hash* h) const noexcept { rte_hash_free(h); }
    };

    neighbour_table(rte_hash* hash, reclaimer& old) noexcept : hash_(hash), old_(&old) {}

    template <class A>
    static key key_of(std::uint32_t interface, A address) noexcept {
        return {top64(address), bottom64(address), interface, A::bits};
    }
    static key key_of(std::uint32_t interface, const any_address& address) noexcept {
        return std::visit([=](auto a) { return key_of(interface, a); }, address);
    }
    next_hop find(const key& neighbour) const noexcept {
        void* data = nullptr;
        if (rte_hash_lookup_data(hash_.get(), &neighbour, &data) < 0)
            return next_hop::none;
        return {static_cast<std::uint32_t>(reinterpret_cast<std::uintptr_t>(data))};
    }

    std::unique_ptr<rte_hash, free_hash> hash_;
    reclaimer* old_;
};

} // namespace fingerpost::router
