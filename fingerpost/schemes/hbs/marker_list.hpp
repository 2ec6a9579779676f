// The markers that are not routes, in address order. A new or removed prefix may be the best match of the
// markers below it, so they must be found.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "fingerpost/fib/parts/lengths/length_store.hpp"

namespace fingerpost::hbs {

template <class A>
class marker_list {
    // Keys take 16 bytes if the first 64 bits of addresses are sufficient, which is nearly always true.
    template <class Key>
    struct marker {
        Key key;
        std::uint8_t length;
        friend bool operator==(const marker&, const marker&) = default;
        friend bool operator<(const marker& a, const marker& b) {
            return a.key < b.key || (a.key == b.key && a.length < b.length);
        }
    };
    template <class Key>
    using list = std::vector<marker<Key>>;

  public:
    explicit marker_list(const length_store<A>& store) {
        store.for_each([&](const prefix<A>& where, std::uint64_t word) {
            if (!length_search::entry_word::is_route(word))
                with_list(where, [&](auto& items, auto entry) { items.push_back(entry); });
        });
        std::sort(narrow_.begin(), narrow_.end());
        std::sort(wide_.begin(), wide_.end());
        narrow_.shrink_to_fit();
        wide_.shrink_to_fit();
    }
    marker_list() = default;

    void add(const prefix<A>& where) {
        with_list(where, [](auto& items, auto entry) {
            make_room(items, 1);
            items.insert(std::lower_bound(items.begin(), items.end(), entry), entry);
        });
    }
    void remove(const prefix<A>& where) {
        with_list(where, [](auto& items, auto entry) {
            items.erase(std::lower_bound(items.begin(), items.end(), entry));
            if (items.capacity() > items.size() + items.size() / 8 + 32)
                items.shrink_to_fit();
        });
    }
    // Calls each(prefix) for the markers that are longer than this prefix and inside it.
    template <class F>
    void for_each_below(const prefix<A>& where, F each) const {
        const auto of_list = [&](const auto& items, auto from) {
            for (auto at = std::upper_bound(items.begin(), items.end(), from); at != items.end(); ++at) {
                const prefix<A> below = length_store<A>::prefix_of(at->key, at->length);
                if (!where.contains(below.base))
                    break;
                if (below.length > where.length)
                    each(below);
            }
        };
        of_list(narrow_, marker<std::uint64_t>{top64(where.base), where.length});
        of_list(wide_, marker<u128>{wide_key(where), where.length});
    }
    std::size_t size() const noexcept { return narrow_.size() + wide_.size(); }
    std::size_t memory_bytes() const noexcept {
        return narrow_.capacity() * sizeof(marker<std::uint64_t>) + wide_.capacity() * sizeof(marker<u128>);
    }

  private:
    static u128 wide_key(const prefix<A>& where) noexcept {
        return static_cast<u128>(top64(where.base)) << 64 | bottom64(where.base);
    }
    template <class F>
    void with_list(const prefix<A>& where, F with) {
        if (where.length > length_store<A>::narrow_bits)
            with(wide_, marker<u128>{wide_key(where), where.length});
        else
            with(narrow_, marker<std::uint64_t>{top64(where.base), where.length});
    }

    list<std::uint64_t> narrow_;
    list<u128> wide_;
};

} // namespace fingerpost::hbs
