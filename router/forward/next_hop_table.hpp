// The next-hop table: maps the number that a lookup returns to the handling of the packet.
//
//   data threads     table[hop]         two loads: the slot, the entry
//   control thread   add, set, remove   an entry is never modified, only replaced
//
// A removed number is reused only after a grace period, so a packet can never follow it to the entry of
// another route.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <memory_resource>
#include <queue>
#include <utility>
#include <vector>

#include "fingerpost/base/expected.hpp"
#include "fingerpost/net/next_hop.hpp"
#include "router/forward/next_hop_entry.hpp"
#include "router/forward/reclaim.hpp"

namespace fingerpost::router {

class next_hop_table {
  public:
    // For up to `capacity` next hops. Throws std::bad_alloc.
    next_hop_table(std::size_t capacity, reclaimer& old);
    next_hop_table(const next_hop_table&) = delete;
    next_hop_table& operator=(const next_hop_table&) = delete;

    // For data threads, with a number that a lookup or a bucket has returned since the thread's last
    // quiescent state. next_hop::none has the entry `no_route`.
    const next_hop_entry& operator[](next_hop hop) const noexcept { return read()[hop]; }

    // For many numbers: the compiler can keep the pointer to the slots in a register, which it cannot do
    // across loads through the table.
    class reading {
      public:
        const next_hop_entry& operator[](next_hop hop) const noexcept {
            return *slots_[slot_of(hop.id)].load(std::memory_order_acquire);
        }

      private:
        friend next_hop_table;
        explicit reading(const std::atomic<const next_hop_entry*>* slots) noexcept : slots_(slots) {}

        const std::atomic<const next_hop_entry*>* slots_;
    };
    reading read() const noexcept { return reading(slots_.data()); }

    // Returns the lowest free number, or errc::capacity if all are in use. Throws std::bad_alloc, like set().
    expected<std::uint32_t> add(const next_hop_entry& entry);
    void set(std::uint32_t number, const next_hop_entry& entry);
    // Called for each number that add() returns, before any packet can refer to it.
    void on_add(std::function<void(std::uint32_t number)> run) { added_ = std::move(run); }
    // No route and no bucket may refer to the number any more. Packets that already carry it still use the
    // entry; the number is free after a grace period.
    void remove(std::uint32_t number);

    std::size_t size() const noexcept { return used_; }
    std::size_t capacity() const noexcept { return slots_.size() - 1; }

  private:
    // Slot 0 belongs to next_hop::none, whose number plus one is zero.
    static std::uint32_t slot_of(std::uint32_t number) noexcept { return number + 1; }
    // Returns an entry's memory; entries have no destructor.
    struct give_back {
        std::pmr::memory_resource* to;
        void operator()(const next_hop_entry* entry) const noexcept {
            to->deallocate(const_cast<next_hop_entry*>(entry), sizeof *entry, alignof(next_hop_entry));
        }
    };
    using owned_entry = std::unique_ptr<const next_hop_entry, give_back>;

    owned_entry make(const next_hop_entry& entry);
    void publish(std::uint32_t number, owned_entry entry);

    // Packs entries into few cache lines, and frees all with the table.
    std::pmr::unsynchronized_pool_resource entries_;
    std::vector<std::atomic<const next_hop_entry*>> slots_;
    std::priority_queue<std::uint32_t, std::vector<std::uint32_t>, std::greater<>> free_;
    std::uint32_t never_used_ = 0; // this number and all above it
    std::size_t used_ = 0;
    reclaimer* old_;
    std::function<void(std::uint32_t)> added_;
};

} // namespace fingerpost::router
