// What a Table, its iterators and its vector lookups share: a live table or a mapped image of each family,
// and the values.
//
// What a thread may do when:
//
//      the GIL                    values and counts are read and changed; single lookups, by one reader
//      the GIL and a write_turn   routes are prepared and committed
//      a write_turn alone         a large commit runs; lookups of other threads go on
//      neither                    readers of vector lookups, exact queries while a commit runs
//
// An interpreter without a GIL has the lock of module_lock.hpp in its place.
//
// No thread waits for a write_turn while it holds the GIL, and no Python code runs in one. So neither a
// value's __eq__ or __del__ nor the garbage collector can re-enter a table that is partly changed, or wait
// for itself.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <nanobind/nanobind.h>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "fingerpost/image/any_image.hpp"
#include "fingerpost/net/any.hpp"
#include "fingerpost/net/mapped.hpp"
#include "fingerpost/table/table.hpp"
#include "python/core/values.hpp"

namespace fingerpost::python {

// A table in which each route's next hop is its number: for answers that name the matched route.
template <class A>
struct numbered_routes {
    std::vector<route<A>> sorted;
    fib_pointer<A> fib;
    std::uint64_t changes = 0; // of the table, when it was made
};

// One family of a live table, or an image; neither, if the image has the other family only.
template <class A>
struct family_part {
    const family_table<A>* live = nullptr;
    ip_reader* by_gil = nullptr; // for the thread that holds the GIL
    std::optional<image<A>> saved;
    std::shared_ptr<const numbered_routes<A>> numbered; // the last one that was made

    next_hop lookup(A a) noexcept {
        if (by_gil)
            return by_gil->pin().lookup(a);
        return saved ? saved->lookup(a) : next_hop::none;
    }
    // Returns ask(routes), of a rib, under its lock, or an image_routes.
    template <class Ask>
    decltype(auto) with_routes(Ask ask) const {
        return live ? live->with_rib(ask) : ask(saved ? saved->routes() : image_routes<A>());
    }
    std::size_t size() const {
        return with_routes([](const auto& in) { return in.size(); });
    }
    next_hop get(const prefix<A>& p) const {
        return with_routes([&](const auto& in) { return in.get(p); });
    }
    std::optional<route<A>> match(A a) const {
        return with_routes([&](const auto& in) { return in.match(a); });
    }
    // Shortest first; the route of `p` itself, if it exists, is the last.
    std::vector<route<A>> covering(const prefix<A>& p) const;
    // In prefix order, including the route of `p`.
    std::vector<route<A>> covered(const prefix<A>& p) const;
    // Whether there are routes within `p`.
    bool has_within(const prefix<A>& p) const;
};

// Routes to be set (next hop none: removed), or all routes that the table must have: `whole` in the plans of
// both families or of neither.
template <class A>
struct plan {
    std::vector<route<A>> routes; // canonical, in prefix order, each prefix once
    bool whole = false;
};

// The objects of a table as values of Arrow (vectors/results/slot_values.hpp).
struct slot_values;

class shared_table : public std::enable_shared_from_this<shared_table> {
  public:
    // A table of both families, empty. Raises ValueError if no family has a scheme of this name; a family
    // without it gets the default scheme.
    static std::shared_ptr<shared_table> make(std::unique_ptr<value_store> values, const std::string& scheme);
    // Read-only.
    static std::shared_ptr<shared_table> make(both_images images, std::string path);
    ~shared_table();
    shared_table(const shared_table&) = delete;
    shared_table& operator=(const shared_table&) = delete;

    template <class A>
    family_part<A>& part() noexcept {
        if constexpr (A::bits == ipv4_address::bits)
            return ipv4_;
        else
            return ipv6_;
    }
    template <class A>
    const family_part<A>& part() const noexcept {
        return const_cast<shared_table*>(this)->part<A>();
    }

    bool is_mapped() const noexcept { return values_ == nullptr; }
    // The path of the image; empty without one.
    const std::string& path() const noexcept { return path_; }
    const std::string& scheme() const noexcept { return scheme_; }
    value_kind kind() const noexcept { return is_mapped() ? mapped_kind_ : values_->kind(); }
    const std::vector<std::string>& columns() const noexcept {
        return is_mapped() ? mapped_columns_ : values_->columns();
    }
    // Of the columns; the same for both families.
    std::span<const column_type> types() const noexcept {
        return is_mapped()       ? std::span(mapped_types_)
               : values_->rows() ? values_->rows()->types()
                                 : std::span<const column_type>();
    }
    // For a table that is not mapped.
    value_store& values() noexcept { return *values_; }
    const value_store& values() const noexcept { return *values_; }
    // The value of a next hop of this family: a new reference. Needs the GIL, and a kept_values from before
    // the next hop was found, unless the GIL has been held since then.
    template <class A>
    PyObject* value_of(next_hop hop) const;

    // Calls ask() about the routes; without the GIL while a commit runs, because it may have to wait for
    // that. Call it within a kept_values.
    template <class F>
    auto exact(F ask, bool takes_long = false) const {
        if (!committing_ && !takes_long)
            return ask();
        const nanobind::gil_scoped_release free;
        return ask();
    }
    // Whether there are IPv6 routes within ::ffff:0:0/96, which answer for IPv4 addresses too. Needs no GIL.
    bool has_mapped() const noexcept { return has_mapped_.load(std::memory_order_relaxed); }
    // Blocks of IPv6 that the IPv4 routes answer for, besides mapped addresses. Needs no GIL: they are set
    // before the table is used.
    ipv4_aliases aliases() const noexcept { return aliases_; }
    void set_aliases(std::vector<ipv6_prefix> blocks) noexcept { aliases_ = std::move(blocks); }
    // found(address) for the form of an address that is to be looked up (in_answering_form() of
    // net/mapped.hpp). Needs the GIL.
    template <class A, class Found>
    decltype(auto) answering_form(A address, Found found);
    // All routes in prefix order, as of one moment.
    template <class A>
    std::vector<route<A>> copy_routes() const;
    std::size_t size() const;

    // Null if it is mapped.
    ip_table* live() noexcept { return live_ ? &*live_ : nullptr; }
    // Within a write_turn. Changes both families or neither; after a failure nothing has changed. Settles the
    // uses of next hops: on failure those of the plan are given up, on success those that it replaces.
    errc apply(plan<ipv4_address> ipv4, plan<ipv6_address> ipv6);
    // Counts commits; odd while one runs.
    std::uint64_t changes() const noexcept { return 2 * commits_ + (committing_ ? 1 : 0); }
    bool is_committing() const noexcept { return committing_; }
    // A holder of the GIL is numbering routes for single questions; others need not begin it, too.
    bool& is_numbering() noexcept { return numbering_; }
    // Adds rows that ask for their routes, and returns the number of such rows since the last change. Needs
    // the GIL.
    std::size_t ask_routes(std::size_t rows) noexcept {
        if (std::exchange(asked_at_, changes()) != changes())
            asked_ = 0;
        return asked_ += rows;
    }

    // What has been read of all objects, until the next change. Needs the GIL.
    std::shared_ptr<const slot_values>& known_slots() noexcept { return known_slots_; }

    // For the garbage collector.
    int traverse(visitproc visit, void* with) const;
    void clear();

  private:
    friend class write_turn;
    friend class kept_values;
    shared_table() = default;

    template <class A>
    std::vector<route<A>> replaced_by(const plan<A>& wanted) const;
    errc run(const plan<ipv4_address>& ipv4, const plan<ipv6_address>& ipv6);
    template <class A>
    void settle(const plan<A>& wanted, const std::vector<route<A>>& before, bool done) noexcept;
    // Releases the objects that nothing refers to any more: may run any Python code. Not within a write_turn.
    void reclaim() noexcept;

    std::optional<ip_table> live_;
    std::optional<ip_reader> by_gil_; // destroyed before the table
    family_part<ipv4_address> ipv4_;
    family_part<ipv6_address> ipv6_;
    std::unique_ptr<value_store> values_;
    std::shared_ptr<const slot_values> known_slots_;
    std::string scheme_;
    std::string path_;
    value_kind mapped_kind_ = value_kind::integer;
    std::vector<std::string> mapped_columns_;
    std::vector<column_type> mapped_types_;
    std::atomic<bool> has_mapped_ = false;
    std::vector<ipv6_prefix> aliases_;
    std::mutex writers_;
    std::uint64_t commits_ = 0;
    std::size_t keepers_ = 0;    // number of existing kept_values
    std::size_t read_by_ = 0;    // those of readers without the GIL
    std::uint64_t asked_at_ = 0; // changes() when the rows below were counted
    std::size_t asked_ = 0;
    bool committing_ = false; // a commit runs without the GIL
    bool numbering_ = false;
    bool deferred_ = false; // readers may still see withdrawn routes
};

// The right to change a table, for one thread at a time. Made and destroyed with the GIL; no Python code runs
// in between. Afterwards, values that nothing refers to any more are released.
class write_turn {
  public:
    explicit write_turn(shared_table& of);
    ~write_turn();
    write_turn(const write_turn&) = delete;
    write_turn& operator=(const write_turn&) = delete;

  private:
    shared_table* of_;
};

// Keeps every value that routes of the table have or get: next hops keep their meaning. Made and destroyed
// with the GIL, and not within a write_turn.
class kept_values {
  public:
    // `for_readers`: for threads without the GIL, for which commits may have to wait.
    explicit kept_values(std::shared_ptr<shared_table> of, bool for_readers = false) noexcept
        : of_(std::move(of)), reads_(for_readers ? 1 : 0) {
        ++of_->keepers_;
        of_->read_by_ += reads_;
    }
    ~kept_values() {
        of_->read_by_ -= reads_;
        if (--of_->keepers_ == 0)
            of_->reclaim();
    }
    kept_values(const kept_values&) = delete;
    kept_values& operator=(const kept_values&) = delete;

    shared_table& table() const noexcept { return *of_; }
    const std::shared_ptr<shared_table>& shared() const noexcept { return of_; }

  private:
    std::shared_ptr<shared_table> of_;
    std::size_t reads_;
};

template <class A, class Found>
decltype(auto) shared_table::answering_form(A address, Found found) {
    // Most addresses have one form.
    if constexpr (A::bits == ipv4_address::bits) {
        if (!has_mapped())
            return found(address);
    } else if (!ipv4_within(address, aliases_)) {
        return found(address);
    }
    const auto has_ipv4 = [this](ipv4_address a) { return ipv4_.lookup(a) != next_hop::none; };
    const auto ipv6_length = [this](ipv6_address a) {
        const kept_values kept(shared_from_this());
        const auto longest = exact([&] { return ipv6_.match(a); });
        return longest ? unsigned{longest->where.length} : 0U;
    };
    return in_answering_form(address, has_ipv4, ipv6_length, found, aliases_);
}

template <class A>
PyObject* shared_table::value_of(next_hop hop) const {
    if (!is_mapped())
        return values_->value_of(hop);
    if (mapped_kind_ == value_kind::rows)
        return new_row(part<A>().saved->values(), hop);
    PyObject* const made = PyLong_FromUnsignedLong(hop.id);
    if (made == nullptr)
        throw nanobind::python_error();
    return made;
}

} // namespace fingerpost::python
