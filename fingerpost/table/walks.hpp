// Consistent copies of a RIB's routes, taken in pieces while the writer changes the RIB in between.
//
// A walk copies some hundred routes, releases the lock, and continues after the last of them. From the first
// piece on, the writer notes the state before each change. At the end, the walk undoes these changes in its
// copy: it removes a route, restores its next hop, or inserts it again.
//
// If the notes are lost (memory ran out, the whole RIB was replaced, or there were more changes than routes),
// the walk starts over. The third attempt copies everything in one piece.
#pragma once

#include <cstddef>
#include <mutex>
#include <shared_mutex>
#include <span>
#include <utility>
#include <vector>

#include "fingerpost/base/reason.hpp"
#include "fingerpost/table/fair_lock.hpp"
#include "fingerpost/table/update.hpp"

namespace fingerpost::detail {

// Undo list of one walk: changed prefixes with their previous next hops, in the order of the changes.
template <class A>
struct walk_notes {
    std::vector<touched<A>> changed;
    bool lost = false;
    walk_notes* next = nullptr;
};

// Walks in progress. A walk holds the RIB's lock shared to add or remove itself. The writer holds it
// exclusively to add notes.
template <class A>
class walk_list {
  public:
    void add(walk_notes<A>& notes) noexcept {
        const std::lock_guard guard(among_walks_);
        notes.next = first_;
        first_ = &notes;
    }
    void remove(walk_notes<A>& notes) noexcept {
        const std::lock_guard guard(among_walks_);
        walk_notes<A>** at = &first_;
        while (*at != &notes)
            at = &(*at)->next;
        *at = notes.next;
    }
    // A walk with more than `most` notes loses them.
    void note(std::span<const touched<A>> news, std::size_t most) noexcept {
        for (walk_notes<A>* notes = first_; notes != nullptr; notes = notes->next) {
            try {
                notes->lost = notes->lost || notes->changed.size() + news.size() > most;
                if (!notes->lost)
                    notes->changed.insert(notes->changed.end(), news.begin(), news.end());
            } catch (...) {
                (void)reason_of_exception();
                notes->lost = true;
            }
        }
    }
    void lose_all() noexcept {
        for (walk_notes<A>* notes = first_; notes != nullptr; notes = notes->next)
            notes->lost = true;
    }

  private:
    std::mutex among_walks_;
    walk_notes<A>* first_ = nullptr;
};

// Copies the routes that one prefix covers.
template <class A>
class walk {
    // Number of routes in one step. The writer waits for a step, about 10 us.
    static constexpr std::size_t piece = 512;
    static constexpr std::size_t all_at_once = ~std::size_t{0};
    static constexpr unsigned most_tries = 3;

  public:
    walk(const rib<A>& from, fair_lock& lock, walk_list<A>& walks, const prefix<A>& of)
        : from_(from), lock_(lock), walks_(walks), of_(prefix<A>::make(of.base, of.length)) {}
    walk(const walk&) = delete;
    walk& operator=(const walk&) = delete;
    ~walk() {
        if (is_noted_) {
            const std::shared_lock guard(lock_);
            leave();
        }
    }

    // Returns the routes in prefix order, all as they were at one moment during this call. Throws
    // std::bad_alloc.
    std::vector<route<A>> copy() {
        unsigned tries = 1;
        while (!copy_in_pieces(tries == most_tries ? all_at_once : piece))
            ++tries;
        put_back();
        return std::move(found_);
    }

  private:
    // Returns false if the notes were lost.
    bool copy_in_pieces(std::size_t size) {
        found_.clear();
        for (;;) {
            if (found_.capacity() < found_.size() + piece)
                found_.reserve(2 * found_.size() + piece);
            const std::shared_lock guard(lock_);
            if (is_noted_ && notes_.lost) {
                leave();
                return false;
            }
            auto i = is_noted_ ? from_.covered_after(of_, found_.back().where).begin()
                               : from_.covered(of_).begin();
            for (std::size_t n = 0; n < size && i != end_of_routes{}; ++n, ++i)
                found_.push_back(*i);
            if (i == end_of_routes{}) {
                leave();
                return true;
            }
            join();
        }
    }
    // join() and leave() need the lock.
    void join() noexcept {
        if (is_noted_)
            return;
        notes_.changed.clear();
        notes_.lost = false;
        walks_.add(notes_);
        is_noted_ = true;
    }
    void leave() noexcept {
        if (is_noted_)
            walks_.remove(notes_);
        is_noted_ = false;
    }
    // Converts the copy to the routes at the time of the first piece.
    void put_back() {
        std::vector<touched<A>>& changed = notes_.changed;
        std::erase_if(changed, [this](const auto& t) { return !of_.covers(t.where); });
        if (changed.empty())
            return;
        first_of_each(changed);
        std::vector<route<A>> then;
        then.reserve(found_.size() + changed.size());
        auto old = changed.begin();
        const auto put_old = [&] {
            if (old->before != next_hop::none)
                then.push_back({old->where, old->before});
            ++old;
        };
        for (const route<A>& r : found_) {
            while (old != changed.end() && old->where < r.where)
                put_old();
            if (old != changed.end() && old->where == r.where)
                put_old();
            else
                then.push_back(r);
        }
        while (old != changed.end())
            put_old();
        found_ = std::move(then);
    }

    const rib<A>& from_;
    fair_lock& lock_;
    walk_list<A>& walks_;
    prefix<A> of_;
    walk_notes<A> notes_;
    bool is_noted_ = false; // `walks_` holds these notes
    std::vector<route<A>> found_;
};

} // namespace fingerpost::detail
