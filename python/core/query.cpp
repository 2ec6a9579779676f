// Readers that look up without the GIL.
#include "python/core/query.hpp"

#include <algorithm>
#include <utility>

#include "fingerpost/base/narrow.hpp"
#include "fingerpost/image/images_reader.hpp"
#include "fingerpost/registry/registry.hpp"
#include "python/core/raise.hpp"

namespace fingerpost::python {
namespace nb = nanobind;
namespace {

// Numbering all routes pays off if there are more rows than 1/16 of the routes, possibly in several queries.
constexpr std::size_t routes_per_row = 16;
// It needs more single queries, because they save less.
constexpr std::size_t routes_per_query = 2;
// Number of single queries between two checks.
constexpr std::size_t queries_between = 1024;

// The numbering of the current routes, or null.
template <class A>
const std::shared_ptr<const numbered_routes<A>>* known_numbers(shared_table& of) noexcept {
    const auto& known = of.part<A>().numbered;
    return known != nullptr && known->changes == of.changes() ? &known : nullptr;
}

// Numbers all routes, without the GIL. The table caches the result, unless a commit has changed routes
// meanwhile: then only the query that requested it can use it.
template <class A>
std::shared_ptr<const numbered_routes<A>> numbered(shared_table& of, errc& failure) {
    const std::uint64_t changes = of.changes();
    const auto result = std::make_shared<numbered_routes<A>>();
    {
        const nb::gil_scoped_release free;
        failure = or_reason([&] {
            result->sorted = of.part<A>().covered(prefix<A>{});
            std::vector<route<A>> numbers = result->sorted;
            for (std::size_t i = 0; i < numbers.size(); ++i)
                numbers[i].hop = {to_u32(i, "routes")};
            auto built = default_scheme<A>().build(routes<A>(std::move(numbers)), {});
            if (!built)
                return built.error();
            result->fib = std::move(*built);
            return errc::ok;
        });
    }
    if (failure != errc::ok)
        return nullptr;
    result->changes = changes;
    if (changes % 2 == 0 && changes == of.changes())
        of.part<A>().numbered = result;
    return result;
}

unsigned length_of_match(const shared_table& in, ipv6_address a) {
    const auto longest = in.part<ipv6_address>().match(a);
    return longest ? unsigned{longest->where.length} : 0U;
}

} // namespace

// Common base of all readers.
class query::any_reader : public address_reader {
  public:
    explicit any_reader(shared_table& of) : table_(&of), has_ipv4_(of.part<ipv4_address>().size() != 0) {}
    bool may_answer(ipv4_address) const noexcept override { return table_->has_mapped(); }
    bool may_answer(ipv6_address) const noexcept override { return has_ipv4_; }
    unsigned match_length(ipv6_address a) override { return length_of_match(*table_, a); }
    ipv4_aliases aliases() const noexcept override { return table_->aliases(); }
    void match_prefixes(std::span<const ipv4_prefix> in, std::span<next_hop> out) override {
        match_hops(in, out);
    }
    void match_prefixes(std::span<const ipv6_prefix> in, std::span<next_hop> out) override {
        match_hops(in, out);
    }

  protected:
    // Finds the routes in one version of the table.
    template <class A>
    std::vector<std::optional<route<A>>> covers_of(std::span<const prefix<A>> in) const {
        std::vector<std::optional<route<A>>> covers;
        covers.reserve(in.size());
        table_->part<A>().with_routes([&](const auto& routes) {
            for (const prefix<A>& p : in)
                covers.push_back(routes.match_prefix(p));
        });
        return covers;
    }

  private:
    template <class A>
    void match_hops(std::span<const prefix<A>> in, std::span<next_hop> out) const {
        const auto covers = covers_of(in);
        for (std::size_t i = 0; i < in.size(); ++i)
            out[i] = covers[i] ? covers[i]->hop : next_hop::none;
    }

    shared_table* table_;
    bool has_ipv4_;
};

// Looks up in the live table.
class query::hop_reader : public any_reader {
  public:
    explicit hop_reader(shared_table& of) : any_reader(of), by_(joined(*of.live())) {}
    void lookup(std::span<const ipv4_address> in, std::span<next_hop> out) override {
        by_.pin().lookup(in, out);
    }
    void lookup(std::span<const ipv6_address> in, std::span<next_hop> out) override {
        by_.pin().lookup(in, out);
    }
    void lookup_halves(std::span<const std::uint64_t> first, std::span<const std::uint64_t> low,
                       std::span<next_hop> out) override {
        columns::look_up_halves(by_.pin(), first, low, out);
    }

  private:
    static ip_reader joined(ip_table& live) {
        auto by = live.reader();
        if (!by)
            throw std::bad_alloc();
        return std::move(*by);
    }

    ip_reader by_;
};

// Looks up in the FIBs of numbered routes.
class query::number_reader : public any_reader {
  public:
    explicit number_reader(const query& of)
        : any_reader(of.kept_.table()), ipv4_(of.ipv4_.numbered->fib.get()),
          ipv6_(of.ipv6_.numbered->fib.get()), sorted_(of.ipv6_.numbered->sorted) {}
    unsigned match_length(ipv6_address a) override {
        const next_hop number = ipv6_->lookup(a);
        return number == next_hop::none ? 0 : sorted_[number.id].where.length;
    }
    void lookup(std::span<const ipv4_address> in, std::span<next_hop> out) override {
        ipv4_->lookup(in, out);
    }
    void lookup(std::span<const ipv6_address> in, std::span<next_hop> out) override {
        ipv6_->lookup(in, out);
    }
    void lookup_halves(std::span<const std::uint64_t> first, std::span<const std::uint64_t> low,
                       std::span<next_hop> out) override {
        columns::look_up_halves(*ipv6_, first, low, out);
    }

  private:
    const any_fib<ipv4_address>* ipv4_;
    const any_fib<ipv6_address>* ipv6_;
    std::span<const route<ipv6_address>> sorted_;
};

// Looks up one by one in the exact table, and numbers routes in the order of their matches.
class query::match_reader : public any_reader {
  public:
    explicit match_reader(query& of) : any_reader(of.kept_.table()), of_(&of) {}
    void lookup(std::span<const ipv4_address> in, std::span<next_hop> out) override { match(in, out); }
    void lookup(std::span<const ipv6_address> in, std::span<next_hop> out) override { match(in, out); }
    // Callers number all routes instead if there are no low halves.
    void lookup_halves(std::span<const std::uint64_t> first, std::span<const std::uint64_t> low,
                       std::span<next_hop> out) override {
        if (low.empty() && !first.empty())
            throw long_routes();
        std::vector<ipv6_address> whole(first.size());
        for (std::size_t i = 0; i < first.size(); ++i)
            whole[i] = from_halves<ipv6_address>(first[i], low[i]);
        match(std::span<const ipv6_address>(whole), out);
    }
    void match_prefixes(std::span<const ipv4_prefix> in, std::span<next_hop> out) override {
        number(covers_of(in), out);
    }
    void match_prefixes(std::span<const ipv6_prefix> in, std::span<next_hop> out) override {
        number(covers_of(in), out);
    }

  private:
    template <class A>
    void match(std::span<const A> in, std::span<next_hop> out) {
        const auto& table = of_->kept_.table().part<A>();
        std::vector<std::optional<route<A>>> matched;
        matched.reserve(in.size());
        for (const A& a : in)
            matched.push_back(table.match(a));
        number(matched, out);
    }
    template <class A>
    void number(const std::vector<std::optional<route<A>>>& matched, std::span<next_hop> out) {
        const std::lock_guard guard(of_->matches_mutex_);
        auto& matches = of_->numbers<A>().matches;
        for (std::size_t i = 0; i < matched.size(); ++i) {
            out[i] = next_hop::none;
            if (!matched[i])
                continue;
            out[i] = {to_u32(matches.size(), "matched routes")};
            matches.push_back(*matched[i]);
        }
    }

    query* of_;
};

template <class A>
query::numbers_of<A>& query::numbers() noexcept {
    if constexpr (A::bits == ipv4_address::bits)
        return ipv4_;
    else
        return ipv6_;
}

query::query(std::shared_ptr<shared_table> of, ask what, std::size_t rows, bool of_prefixes)
    : kept_(std::move(of), true), what_(what), by_match_(what == ask::routes && of_prefixes) {
    if (what_ != ask::routes || of_prefixes)
        return;
    shared_table& table = kept_.table();
    const bool both_numbered =
        known_numbers<ipv4_address>(table) != nullptr && known_numbers<ipv6_address>(table) != nullptr;
    by_match_ = !both_numbered && table.ask_routes(rows) < table.size() / routes_per_row;
    if (by_match_)
        return;
    number_routes<ipv4_address>();
    number_routes<ipv6_address>();
}

template <class A>
void query::number_routes() {
    shared_table& table = kept_.table();
    if (const auto* known = known_numbers<A>(table); known != nullptr) {
        numbers<A>().numbered = *known;
        return;
    }
    errc failure = errc::ok;
    numbers<A>().numbered = numbered<A>(table, failure);
    if (failure != errc::ok)
        raise_errc(failure);
}

template <class A>
const numbered_routes<A>* routes_by_number(const std::shared_ptr<shared_table>& of) {
    shared_table& table = *of;
    if (const auto* known = known_numbers<A>(table); known != nullptr)
        return known->get();
    const std::size_t queries = table.ask_routes(1);
    if (queries % queries_between != 0 || table.is_committing() || table.is_numbering())
        return nullptr;
    if (queries < table.part<A>().size() / routes_per_query)
        return nullptr;
    // Another thread may destroy the Python object while this one does not hold the GIL.
    const std::shared_ptr<shared_table> owner = of;
    errc failure = errc::ok;
    table.is_numbering() = true;
    static_cast<void>(numbered<A>(table, failure));
    table.is_numbering() = false;
    // If memory runs out, the caller uses the exact table.
    const auto* known = known_numbers<A>(table);
    return known == nullptr ? nullptr : known->get();
}
template const numbered_routes<ipv4_address>* routes_by_number(const std::shared_ptr<shared_table>&);
template const numbered_routes<ipv6_address>* routes_by_number(const std::shared_ptr<shared_table>&);

std::unique_ptr<address_reader> query::join() {
    shared_table& table = kept_.table();
    if (what_ == ask::hops && table.is_mapped())
        return std::make_unique<images_reader>(table.part<ipv4_address>().saved,
                                               table.part<ipv6_address>().saved, table.aliases());
    if (what_ == ask::hops)
        return std::make_unique<hop_reader>(table);
    if (by_match_)
        return std::make_unique<match_reader>(*this);
    return std::make_unique<number_reader>(*this);
}

void query::settle() {
    const shared_table& table = kept_.table();
    if (table.kind() != value_kind::rows)
        return;
    if (!table.is_mapped()) {
        live_rows_ = table.values().rows();
        rows4_ = rows6_ = live_rows_->view();
        return;
    }
    if (const auto& four = table.part<ipv4_address>().saved)
        rows4_ = four->values();
    if (const auto& six = table.part<ipv6_address>().saved)
        rows6_ = six->values();
}

template <class A>
const route<A>& query::route_of(next_hop number) const noexcept {
    const auto& routes = const_cast<query*>(this)->numbers<A>();
    return routes.numbered != nullptr ? routes.numbered->sorted[number.id] : routes.matches[number.id];
}
template const route<ipv4_address>& query::route_of(next_hop) const noexcept;
template const route<ipv6_address>& query::route_of(next_hop) const noexcept;

template <>
const value_view& query::rows<ipv4_address>() const noexcept {
    return rows4_;
}
template <>
const value_view& query::rows<ipv6_address>() const noexcept {
    return rows6_;
}

template <class A>
std::shared_ptr<const char> query::texts() const {
    if (live_rows_ == nullptr)
        return {kept_.shared(), rows<A>().bytes().data()};
    const auto bytes = live_rows_->texts().share_bytes();
    return {bytes, bytes.get()};
}
template std::shared_ptr<const char> query::texts<ipv4_address>() const;
template std::shared_ptr<const char> query::texts<ipv6_address>() const;

template <>
std::uint32_t query::first_index<ipv4_address>() const noexcept {
    return 0;
}
template <>
std::uint32_t query::first_index<ipv6_address>() const noexcept {
    return kept_.table().is_mapped() ? static_cast<std::uint32_t>(rows4_.rows()) : 0;
}

} // namespace fingerpost::python
