// State shared by a Table, its iterators and its vector lookups: a live table or a mapped image of each
// family, and the values.
//
// Locks that a thread needs:
//
//      the GIL                    reading and changing values and counts; single lookups, with one reader
//      the GIL and a write_turn   preparing and committing routes
//      a write_turn alone         running a large commit, while other threads look up
//      neither                    vector lookups; exact queries during a commit
//
// In an interpreter without a GIL, the lock of module_lock.hpp replaces it.
//
// No thread waits for a write_turn while it holds the GIL, and no Python code runs in a write_turn. So
// neither
// __eq__ or __del__ of a value nor the garbage collector can re-enter a partly changed table or deadlock.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
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

// A FIB in which the next hop of each route is its number. For results that include the matched route.
template <class A>
struct numbered_routes {
    std::vector<route<A>> sorted;
    fib_pointer<A> fib;
    std::uint64_t changes = 0; // changes() of the table when this was created
};

// One family of a live table or of an image. Empty if the image has only the other family.
template <class A>
struct family_part {
    const family_table<A>* live = nullptr;
    ip_reader* by_gil = nullptr; // used by the thread that holds the GIL
    std::optional<image<A>> saved;
    std::shared_ptr<const numbered_routes<A>> numbered; // the latest numbering

    next_hop lookup(A a) noexcept {
        if (by_gil)
            return by_gil->pin().lookup(a);
        return saved ? saved->lookup(a) : next_hop::none;
    }
    // Returns ask(routes) for a rib, under its lock, or for an image_routes.
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
    // Longest route that covers `p`, possibly the route of `p` itself.
    std::optional<route<A>> match_prefix(const prefix<A>& p) const {
        return with_routes([&](const auto& in) { return in.match_prefix(p); });
    }
    // Longest route that covers `p` and is shorter than it.
    std::optional<route<A>> cover(const prefix<A>& p) const {
        return with_routes([&](const auto& in) { return in.cover(p); });
    }
    // Shortest first. The route of `p` itself is last, if it exists.
    std::vector<route<A>> covering(const prefix<A>& p) const;
    // In prefix order, including the route of `p`.
    std::vector<route<A>> covered(const prefix<A>& p) const;
    // In prefix order, without the route of `p` and without routes that another route inside `p` covers.
    std::vector<route<A>> children(const prefix<A>& p) const;
    // Whether there are routes within `p`.
    bool has_within(const prefix<A>& p) const;
};

// Routes to set or, with next hop none, to remove. With `whole`, all routes that the table will have. `whole`
// must be the same for both families.
template <class A>
struct plan {
    std::vector<route<A>> routes; // canonical prefixes, sorted and unique
    bool whole = false;
};

// The objects of a table as Arrow values (vectors/results/slot_values.hpp).
struct slot_values;
// The numbers of a column (vectors/results/column_numbers.hpp).
struct column_numbers;
struct kept_numbers {
    std::shared_ptr<const column_numbers> numbers; // null until enough results were requested
    std::size_t requested = 0;                     // results since then
};

class shared_table : public std::enable_shared_from_this<shared_table> {
  public:
    // Creates an empty table of both families. Raises ValueError if no family has a scheme of this name. If
    // only one has it, the other uses the default scheme.
    static std::shared_ptr<shared_table> make(std::unique_ptr<value_store> values, const std::string& scheme);
    // Creates a read-only table.
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
    // Whether the routes can never change again.
    bool is_frozen() const noexcept { return is_mapped() || frozen_; }
    // Makes later calls of apply() fail. Needs a write_turn.
    void freeze() noexcept { frozen_ = true; }
    // Cache of the hash of a frozen table. Needs the GIL.
    std::optional<std::uint64_t>& known_hash() noexcept { return known_hash_; }
    // Path of the image; empty for a live table.
    const std::string& path() const noexcept { return path_; }
    const std::string& scheme() const noexcept { return scheme_; }
    value_kind kind() const noexcept { return is_mapped() ? mapped_kind_ : values_->kind(); }
    const std::vector<std::string>& columns() const noexcept {
        return is_mapped() ? mapped_columns_ : values_->columns();
    }
    // Types of the columns, the same for both families.
    std::span<const column_type> types() const noexcept {
        return is_mapped()       ? std::span(mapped_types_)
               : values_->rows() ? values_->rows()->types()
                                 : std::span<const column_type>();
    }
    // Only for tables that are not mapped.
    value_store& values() noexcept { return *values_; }
    const value_store& values() const noexcept { return *values_; }
    // A new reference to the value of a next hop of this family. Needs the GIL. If the GIL has been released
    // since the lookup, a kept_values must have existed before the lookup.
    template <class A>
    PyObject* value_of(next_hop hop) const;

    // Calls ask(), which reads the routes. Releases the GIL during a commit, because ask() may have to wait
    // for it. The caller must hold a kept_values.
    template <class F>
    auto exact(F ask, bool takes_long = false) const {
        if (!committing_ && !takes_long)
            return ask();
        const nanobind::gil_scoped_release free;
        return ask();
    }
    // Whether there are IPv6 routes within ::ffff:0:0/96, which match IPv4 addresses too. Needs no GIL.
    bool has_mapped() const noexcept { return has_mapped_.load(std::memory_order_relaxed); }
    // IPv6 blocks that IPv4 routes match, besides mapped addresses. Does not need the GIL, because they are
    // set before the table is used.
    ipv4_aliases aliases() const noexcept { return aliases_; }
    void set_aliases(std::vector<ipv6_prefix> blocks) noexcept { aliases_ = std::move(blocks); }
    // Calls find(address) with the form of the address to look up (in_answering_form() of net/mapped.hpp).
    // Needs the GIL.
    template <class A, class Find>
    decltype(auto) answering_form(A address, Find find);
    // A consistent copy of all routes in prefix order.
    template <class A>
    std::vector<route<A>> copy_routes() const;
    std::size_t size() const;

    // Null for mapped tables.
    ip_table* live() noexcept { return live_ ? &*live_ : nullptr; }
    // Needs a write_turn. Changes both families or, on failure, neither. Also releases uses of next hops:
    // those of the plan on failure, those of replaced routes on success. Returns errc::unsupported for a
    // frozen table.
    errc apply(plan<ipv4_address> ipv4, plan<ipv6_address> ipv6);
    // Changes with each commit. Odd during a commit.
    std::uint64_t changes() const noexcept { return 2 * commits_ + (committing_ ? 1 : 0); }
    bool is_committing() const noexcept { return committing_; }
    // Whether a thread is numbering routes for single queries, so that others need not.
    bool& is_numbering() noexcept { return numbering_; }
    // Counts rows of queries for routes, and returns their number since the last change. Needs the GIL.
    std::size_t ask_routes(std::size_t rows) noexcept {
        if (std::exchange(asked_at_, changes()) != changes())
            asked_ = 0;
        return asked_ += rows;
    }

    // Cache of the values of all objects, valid until the next change. Needs the GIL.
    std::shared_ptr<const slot_values>& known_slots() noexcept { return known_slots_; }

    // Caches of the numbers in rows, by column. Rows that are cached do not change. Needs the GIL.
    std::map<std::size_t, kept_numbers>& known_numbers() noexcept { return known_numbers_; }

    // For the garbage collector.
    int traverse(visitproc visit, void* with) const;
    void clear();

  private:
    friend class write_turn;
    friend class kept_values;
    shared_table() = default;

    template <class A>
    std::vector<route<A>> replaced_by(const plan<A>& changes) const;
    errc run(const plan<ipv4_address>& ipv4, const plan<ipv6_address>& ipv6);
    template <class A>
    void settle(const plan<A>& changes, const std::vector<route<A>>& before, bool is_committed) noexcept;
    // Releases unused objects, which may run arbitrary Python code. Must not be called in a write_turn.
    void reclaim() noexcept;

    std::optional<ip_table> live_;
    std::optional<ip_reader> by_gil_; // destroyed before the table
    family_part<ipv4_address> ipv4_;
    family_part<ipv6_address> ipv6_;
    std::unique_ptr<value_store> values_;
    std::shared_ptr<const slot_values> known_slots_;
    std::map<std::size_t, kept_numbers> known_numbers_;
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
    std::size_t read_by_ = 0;    // those for readers without the GIL
    std::uint64_t asked_at_ = 0; // changes() when the rows below were counted
    std::size_t asked_ = 0;
    bool committing_ = false; // a commit runs without the GIL
    bool numbering_ = false;
    bool frozen_ = false;
    std::optional<std::uint64_t> known_hash_;
    bool deferred_ = false; // publication is deferred: readers may still see withdrawn routes
};

// Exclusive right to change a table. Create and destroy it with the GIL, and run no Python code in between.
// The destructor releases unused values.
class write_turn {
  public:
    explicit write_turn(shared_table& of);
    ~write_turn();
    write_turn(const write_turn&) = delete;
    write_turn& operator=(const write_turn&) = delete;

  private:
    shared_table* of_;
};

// Keeps all values of the table alive, including later ones, so that next hops keep their meaning. Create and
// destroy it with the GIL and outside a write_turn.
class kept_values {
  public:
    // `for_readers`: for threads without the GIL, which commits may have to wait for.
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

template <class A, class Find>
decltype(auto) shared_table::answering_form(A address, Find find) {
    // Most addresses have only one form.
    if constexpr (A::bits == ipv4_address::bits) {
        if (!has_mapped())
            return find(address);
    } else if (!ipv4_within(address, aliases_)) {
        return find(address);
    }
    const auto has_ipv4 = [this](ipv4_address a) { return ipv4_.lookup(a) != next_hop::none; };
    const auto ipv6_length = [this](ipv6_address a) {
        const kept_values values_guard(shared_from_this());
        const auto longest = exact([&] { return ipv6_.match(a); });
        return longest ? unsigned{longest->where.length} : 0U;
    };
    return in_answering_form(address, has_ipv4, ipv6_length, find, aliases_);
}

template <class A>
PyObject* shared_table::value_of(next_hop hop) const {
    if (!is_mapped())
        return values_->value_of(hop);
    if (mapped_kind_ == value_kind::rows)
        return new_row(part<A>().saved->values(), hop);
    PyObject* const number = PyLong_FromUnsignedLong(hop.id);
    if (number == nullptr)
        throw nanobind::python_error();
    return number;
}

} // namespace fingerpost::python
