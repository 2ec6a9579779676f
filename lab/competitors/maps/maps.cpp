// Times the operations of map<int>, as go/maps/main.go does for bart: maps FAMILY ROUTES. Prints a JSON
// object with nanoseconds by operation, and bytes per route. maps.py runs both.
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "fingerpost/map/map.hpp"

namespace {

using namespace fingerpost;

constexpr std::size_t lookups = std::size_t{1} << 20;
constexpr std::size_t queries = std::size_t{1} << 16;
constexpr int rounds = 5;

// Must equal the numbers in main.go.
class random_numbers {
  public:
    std::uint64_t below(std::uint64_t n) {
        state_ ^= state_ << 13;
        state_ ^= state_ >> 7;
        state_ ^= state_ << 17;
        return state_ % n;
    }

  private:
    std::uint64_t state_ = 88172645463325252;
};

// The shortest time of several rounds, in nanoseconds divided by `count`.
template <class Run>
double best(std::size_t count, Run run) {
    using clock = std::chrono::steady_clock;
    double least = std::numeric_limits<double>::max();
    for (int i = 0; i < rounds; ++i) {
        const auto start = clock::now();
        run();
        least = std::min(least, std::chrono::duration<double, std::nano>(clock::now() - start).count());
    }
    return least / static_cast<double>(count);
}

template <class A>
std::vector<route<A>> read_routes(const char* path) {
    std::ifstream in(path);
    std::vector<route<A>> routes;
    for (std::string line; std::getline(in, line);) {
        const std::size_t blank = line.find(' ');
        const auto where = parse_prefix<A>(std::string_view(line).substr(0, blank));
        if (where)
            routes.push_back({*where, {static_cast<std::uint32_t>(std::stoul(line.substr(blank + 1)))}});
    }
    return routes;
}

void print(const char* name, double value) {
    static const char* before = "{";
    std::printf("%s\"%s\": %.3f", std::exchange(before, ", "), name, value);
}

template <class A>
int measure(const char* path) {
    const std::vector<route<A>> routes = read_routes<A>(path);
    if (routes.empty())
        return 1;
    random_numbers random;
    std::vector<A> addresses(lookups);
    for (A& address : addresses) {
        address = routes[random.below(routes.size())].where.base;
        address.value ^= static_cast<typename A::value_type>(random.below(1 << 16));
    }
    map<int> filled;
    bool failed = false;
    const auto fill = [&] {
        filled = map<int>();
        auto transaction = filled.transaction();
        for (const route<A>& entry : routes)
            failed |= transaction.insert_or_assign(entry.where, static_cast<int>(entry.hop.id)) != errc::ok;
        failed |= !transaction.commit();
    };
    print("fill", best(routes.size(), fill));
    print("insert", best(routes.size(), [&] {
              filled = map<int>();
              for (const route<A>& entry : routes)
                  failed |= !filled.insert_or_assign(entry.where, static_cast<int>(entry.hop.id));
          }));
    fill();
    print("bytes", static_cast<double>(filled.memory_bytes()) / static_cast<double>(routes.size()));
    std::int64_t sum = 0;
    print("lookup", best(lookups, [&] {
              for (const A& address : addresses) {
                  const int* const value = filled.lookup(address);
                  sum += value == nullptr ? 0 : *value;
              }
          }));
    std::vector<const int*> values(256);
    print("batch", best(lookups, [&] {
              for (std::size_t i = 0; i < lookups; i += values.size()) {
                  filled.lookup(std::span<const A>(addresses).subspan(i, values.size()), values);
                  for (const int* const value : values)
                      sum += value == nullptr ? 0 : *value;
              }
          }));
    const auto add = [&](const auto& entries) {
        for (const auto& entry : entries)
            sum += *entry.value;
    };
    print("covering", best(queries, [&] {
              for (std::size_t i = 0; i < queries; ++i)
                  add(filled.covering(prefix<A>::make(addresses[i], A::bits)));
          }));
    print("covered", best(queries / 64, [&] {
              for (std::size_t i = 0; i < queries / 64; ++i)
                  add(filled.covered(prefix<A>::make(addresses[i], A::bits == 32 ? 16 : 32)));
          }));
    print("clone", best(routes.size(), [&] {
              const auto copy = filled.clone();
              failed |= !copy;
              sum += static_cast<std::int64_t>(copy->size());
          }));
    std::puts("}");
    std::fprintf(stderr, "sum %lld\n", static_cast<long long>(sum));
    return failed ? 1 : 0;
}

} // namespace

int main(int count, char** words) {
    if (count != 3)
        return 2;
    return std::string_view(words[1]) == "6" ? measure<ipv6_address>(words[2])
                                             : measure<ipv4_address>(words[2]);
}
