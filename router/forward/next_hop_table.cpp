// Assigns numbers to next hops and replaces entries.
#include "router/forward/next_hop_table.hpp"

#include <utility>

namespace fingerpost::router {

next_hop_table::next_hop_table(std::size_t capacity, reclaimer& old) : slots_(capacity + 1), old_(&old) {
    slots_[0].store(make({}).release(), std::memory_order_release);
}

next_hop_table::owned_entry next_hop_table::make(const next_hop_entry& entry) {
    return {new (entries_.allocate(sizeof entry, alignof(next_hop_entry))) next_hop_entry(entry),
            {&entries_}};
}

expected<std::uint32_t> next_hop_table::add(const next_hop_entry& entry) {
    owned_entry stored = make(entry);
    std::uint32_t number = never_used_;
    if (!free_.empty()) {
        number = free_.top();
        free_.pop();
    } else if (never_used_ < capacity()) {
        ++never_used_;
    } else {
        return unexpected{errc::capacity};
    }
    ++used_;
    if (added_)
        added_(number);
    publish(number, std::move(stored));
    return number;
}

void next_hop_table::set(std::uint32_t number, const next_hop_entry& entry) {
    publish(number, make(entry));
}

void next_hop_table::remove(std::uint32_t number) {
    old_->later([this, number] {
        free_.push(number);
        --used_;
    });
}

void next_hop_table::publish(std::uint32_t number, owned_entry entry) {
    auto& slot = slots_[slot_of(number)];
    const next_hop_entry* const before = slot.load(std::memory_order_relaxed);
    if (before != nullptr)
        old_->later([this, before] { give_back{&entries_}(before); });
    slot.store(entry.release(), std::memory_order_release);
}

} // namespace fingerpost::router
