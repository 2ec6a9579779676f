// Draws the addresses of each workload.
#include "bench/workloads/trace/traces.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <vector>

#include "bench/workloads/random.hpp"
#include "fingerpost/rib/change.hpp"

namespace fingerpost::bench {
namespace {

// docs/inside/measuring.md describes these in more detail.
constexpr std::array<workload_facts, 9> workload_list{{
    {"match", "a random address inside a randomly chosen route"},
    {"zipf", "skewed traffic, Zipf(1) over 2^20 match addresses"},
    {"uniform", "random addresses of 2000::/3, or of 1.0.0.0 to 223.255.255.255"},
    {"miss", "addresses that only a default route contains"},
    {"short", "addresses whose match is among the 1 % shortest prefixes"},
    {"deepest", "addresses whose match is among the 1 % longest prefixes"},
    {"boundaries", "addresses at the edges of routes"},
    {"sequential", "match, sorted", false},
    {"hot", "64 addresses again and again: everything stays in the L1 cache", true},
}};

// Different from the random streams of the table generator.
constexpr std::uint64_t trace_streams = 0x7472616365;

constexpr std::size_t zipf_population = std::size_t{1} << 20;
constexpr std::size_t hot_population = 64;

// A random number from first to last, inclusive.
template <class U>
U between(random_source& random, U first, U last) noexcept {
    const U distance = static_cast<U>(last - first);
    if (distance == 0)
        return first;
    const unsigned count = static_cast<unsigned>(sizeof(U)) * 8 - leading_zeros(distance);
    U drawn = random.bits<U>(count);
    while (drawn > distance)
        drawn = random.bits<U>(count);
    return static_cast<U>(first + drawn);
}

// A random number in [0, 1).
double unit(random_source& random) noexcept {
    return static_cast<double>(random.next() >> 11) * 0x1p-53;
}

template <class A>
A match_address(std::span<const route<A>> sorted, random_source& random) {
    const prefix<A>& where = sorted[random.below(sorted.size())].where;
    return A{between(random, where.first().value, where.last().value)};
}

template <class A>
errc fill_match(const routes<A>& table, std::span<A> out, random_source& random) {
    if (table.size() == 0)
        return errc::not_found;
    for (A& a : out)
        a = match_address(table.sorted(), random);
    return errc::ok;
}

// Draws ranks with probability 1/(rank + 1) in constant time: Walker's alias method, built as in Vose (A
// linear algorithm for generating random numbers with a given distribution, 1991).
class zipf_ranks {
  public:
    explicit zipf_ranks(std::size_t count) : keep_(count), other_(count) {
        double sum = 0;
        for (std::size_t i = 0; i < count; ++i)
            sum += 1.0 / static_cast<double>(i + 1);
        std::vector<std::uint32_t> small;
        std::vector<std::uint32_t> large;
        for (std::size_t i = 0; i < count; ++i) {
            keep_[i] = static_cast<double>(count) / (static_cast<double>(i + 1) * sum);
            (keep_[i] < 1 ? small : large).push_back(static_cast<std::uint32_t>(i));
        }
        while (!small.empty() && !large.empty()) {
            const std::uint32_t poor = small.back();
            const std::uint32_t rich = large.back();
            small.pop_back();
            other_[poor] = rich;
            keep_[rich] -= 1 - keep_[poor];
            if (keep_[rich] >= 1)
                continue;
            large.pop_back();
            small.push_back(rich);
        }
        // The rest is 1 except for rounding errors.
        for (const std::uint32_t i : small)
            keep_[i] = 1;
        for (const std::uint32_t i : large)
            keep_[i] = 1;
    }

    std::size_t draw(random_source& random) const {
        const auto column = static_cast<std::size_t>(random.below(keep_.size()));
        return unit(random) < keep_[column] ? column : other_[column];
    }

  private:
    std::vector<double> keep_;
    std::vector<std::uint32_t> other_;
};

template <class A>
errc fill_zipf(const routes<A>& table, std::span<A> out, random_source& random) {
    std::vector<A> population(zipf_population);
    if (const errc failed = fill_match<A>(table, population, random); failed != errc::ok)
        return failed;
    const zipf_ranks ranks(population.size());
    for (A& a : out)
        a = population[ranks.draw(random)];
    return errc::ok;
}

template <class A>
constexpr address_range<A> unicast() {
    using value = typename A::value_type;
    if constexpr (A::bits == 128)
        return {A{value{0x2} << 124}, A{(value{0x4} << 124) - 1}};
    else if constexpr (A::bits == 32)
        return {A{0x01000000}, A{0xdfffffff}};
    else
        return {A::first(), A::last()};
}

template <class A>
errc fill_uniform(const routes<A>&, std::span<A> out, random_source& random) {
    for (A& a : out)
        a = A{between(random, unicast<A>().first.value, unicast<A>().last.value)};
    return errc::ok;
}

// A maximal range in which one route, or none, decides. Unlike elementary intervals, ranges of different
// routes with one next hop are not merged.
template <class A>
struct decided_range {
    address_range<A> where;
    unsigned length; // length of the deciding route; 0 for the default route or none
};

template <class A>
std::vector<decided_range<A>> decided_ranges(std::span<const route<A>> sorted) {
    std::vector<route<A>> numbered(sorted.begin(), sorted.end());
    for (std::size_t i = 0; i < numbered.size(); ++i)
        numbered[i].hop.id = static_cast<std::uint32_t>(i);
    const interval_list<A> intervals = elementary_intervals<A>(numbered);
    std::vector<decided_range<A>> ranges;
    ranges.reserve(intervals.size());
    A first = A::first();
    for (std::size_t i = 0; i < intervals.size(); ++i) {
        const next_hop number = intervals.hops[i];
        const unsigned length = number == next_hop::none ? 0 : sorted[number.id].where.length;
        ranges.push_back({{first, intervals.ends[i]}, length});
        first = A{static_cast<typename A::value_type>(intervals.ends[i].value + 1)};
    }
    return ranges;
}

template <class A>
errc fill_from(const std::vector<decided_range<A>>& ranges, std::span<A> out, random_source& random) {
    if (ranges.empty())
        return errc::not_found;
    for (A& a : out) {
        const auto& where = ranges[random.below(ranges.size())].where;
        a = A{between(random, where.first.value, where.last.value)};
    }
    return errc::ok;
}

template <class A>
errc fill_miss(const routes<A>& table, std::span<A> out, random_source& random) {
    auto ranges = decided_ranges(table.sorted());
    std::erase_if(ranges, [](const auto& range) { return range.length != 0; });
    return fill_from(ranges, out, random);
}

// Keeps the first 1/100 in `order`, and every range with the same length as the last of these.
template <class A, class O>
errc fill_hundredth(const routes<A>& table, std::span<A> out, random_source& random, O order) {
    auto ranges = decided_ranges(table.sorted());
    std::erase_if(ranges, [](const auto& range) { return range.length == 0; });
    if (ranges.empty())
        return errc::not_found;
    std::stable_sort(ranges.begin(), ranges.end(),
                     [&](const auto& a, const auto& b) { return order(a.length, b.length); });
    const unsigned border = ranges[(ranges.size() - 1) / 100].length;
    std::erase_if(ranges, [&](const auto& range) { return order(border, range.length); });
    return fill_from(ranges, out, random);
}

template <class A>
errc fill_short(const routes<A>& table, std::span<A> out, random_source& random) {
    return fill_hundredth(table, out, random, std::less<unsigned>{});
}

template <class A>
errc fill_deepest(const routes<A>& table, std::span<A> out, random_source& random) {
    return fill_hundredth(table, out, random, std::greater<unsigned>{});
}

// An interval's last address or the next one's first, or one further to either side; both ends of the address
// space count as neighbours here, which does no harm.
template <class A>
errc fill_boundaries(const routes<A>& table, std::span<A> out, random_source& random) {
    using value = typename A::value_type;
    const interval_list<A>& intervals = table.intervals();
    for (A& a : out) {
        const value end = intervals.ends[random.below(intervals.size())].value;
        const auto shifted = static_cast<value>(end + static_cast<value>(random.below(4)) - 1);
        a = A{static_cast<value>(shifted & A::last().value)};
    }
    return errc::ok;
}

template <class A>
errc fill_sequential(const routes<A>& table, std::span<A> out, random_source& random) {
    const errc failed = fill_match(table, out, random);
    std::sort(out.begin(), out.end());
    return failed;
}

template <class A>
errc fill_hot(const routes<A>& table, std::span<A> out, random_source& random) {
    std::array<A, hot_population> population;
    if (const errc failed = fill_match<A>(table, population, random); failed != errc::ok)
        return failed;
    for (A& a : out)
        a = population[random.below(population.size())];
    return errc::ok;
}

template <class A>
using filler = errc (*)(const routes<A>&, std::span<A>, random_source&);

// In the order of workload_list.
template <class A>
constexpr std::array<filler<A>, workload_list.size()> fillers{
    fill_match<A>,   fill_zipf<A>,       fill_uniform<A>,    fill_miss<A>, fill_short<A>,
    fill_deepest<A>, fill_boundaries<A>, fill_sequential<A>, fill_hot<A>,
};

} // namespace

std::span<const workload_facts> workloads() noexcept {
    return workload_list;
}

const workload_facts* find_workload(std::string_view name) noexcept {
    for (const workload_facts& facts : workload_list)
        if (facts.name == name)
            return &facts;
    return nullptr;
}

template <class A>
expected<aligned_array<A>> make_trace(std::string_view workload, const routes<A>& table, std::size_t count,
                                      std::uint64_t seed) {
    const workload_facts* facts = find_workload(workload);
    if (facts == nullptr)
        return unexpected{errc::invalid};
    auto trace = aligned_array<A>::make(count);
    if (!trace)
        return trace;
    const auto number = static_cast<std::size_t>(facts - workload_list.data());
    random_source random(seed, trace_streams + number);
    const errc failed = fillers<A>[number](table, trace->span(), random);
    if (failed != errc::ok)
        return unexpected{failed};
    return trace;
}

template expected<aligned_array<ipv4_address>> make_trace(std::string_view, const routes<ipv4_address>&,
                                                          std::size_t, std::uint64_t);
template expected<aligned_array<ipv6_address>> make_trace(std::string_view, const routes<ipv6_address>&,
                                                          std::size_t, std::uint64_t);

} // namespace fingerpost::bench
