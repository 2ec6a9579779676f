// Distributes a number of routes over the prefix lengths of a named table.
#include "bench/workloads/generate/length_shares.hpp"

#include <algorithm>
#include <vector>

#include "fingerpost/base/bits.hpp"

namespace fingerpost::bench {
namespace {

struct length_weight {
    std::uint8_t length;
    std::uint64_t weight;
};

// Counts of all lengths of tier1-v6.
constexpr length_weight tier1_v6[] = {
    {16, 1},    {19, 1},    {20, 16},    {21, 3},    {22, 7},    {23, 8},    {24, 30},    {25, 8},
    {26, 15},   {27, 20},   {28, 193},   {29, 4371}, {30, 650},  {31, 284},  {32, 22548}, {33, 2926},
    {34, 2603}, {35, 1043}, {36, 5996},  {37, 880},  {38, 1617}, {39, 1377}, {40, 13418}, {41, 903},
    {42, 2301}, {43, 1001}, {44, 14365}, {45, 1553}, {46, 3039}, {47, 3153}, {48, 75488}, {49, 11},
    {50, 3},    {52, 1},    {55, 1},     {56, 24},   {58, 20},   {60, 2},    {64, 184},   {112, 2},
    {122, 1},   {124, 4},   {125, 9},    {126, 19},  {127, 42},  {128, 6},
};

// Counts of all lengths of tier1-v4.
constexpr length_weight tier1_v4[] = {
    {8, 16},      {9, 13},     {10, 38},     {11, 103},   {12, 299},   {13, 581},   {14, 1203},
    {15, 2100},   {16, 13490}, {17, 8235},   {18, 13798}, {19, 24870}, {20, 42611}, {21, 50750},
    {22, 108623}, {23, 96510}, {24, 537698}, {25, 20},    {26, 3},     {27, 11},    {28, 18},
    {29, 17},     {30, 3},     {31, 3},      {32, 886},
};

// The five published shares as they are; the rest is distributed over the other lengths as in tier1-v6. A
// share is in 1/10000 and is multiplied by the sum of the others' counts, so that all weights have one unit.
std::vector<length_weight> weights_of(const share_table& table) {
    if (table.address_bits == 32)
        return {std::begin(tier1_v4), std::end(tier1_v4)};
    std::vector<length_weight> weights;
    if (table.top[0].share == 0)
        return {std::begin(tier1_v6), std::end(tier1_v6)};
    std::uint64_t others = 0;
    std::uint64_t published = 0;
    for (const top_share& top : table.top)
        published += top.share;
    for (const length_weight& w : tier1_v6) {
        const bool is_top = std::ranges::any_of(table.top, [&](top_share t) { return t.length == w.length; });
        if (!is_top)
            others += w.weight;
    }
    for (const length_weight& w : tier1_v6) {
        const auto top = std::ranges::find(table.top, w.length, &top_share::length);
        const std::uint64_t weight =
            top != table.top.end() ? top->share * others : w.weight * (10'000 - published);
        weights.push_back({w.length, weight});
    }
    return weights;
}

} // namespace

std::vector<std::string> share_names() {
    std::vector<std::string> names;
    for (const share_table& table : share_tables)
        names.emplace_back(table.name);
    return names;
}

const share_table* find_share_table(std::string_view name) noexcept {
    const auto entry = std::ranges::find(share_tables, name, &share_table::name);
    return entry != share_tables.end() ? &*entry : nullptr;
}

length_counts count_lengths(const share_table& table, std::size_t routes) {
    const std::vector<length_weight> weights = weights_of(table);
    std::uint64_t sum = 0;
    for (const length_weight& w : weights)
        sum += w.weight;
    length_counts counts{};
    std::vector<length_weight> remainders;
    std::uint64_t assigned = 0;
    for (const length_weight& w : weights) {
        const u128 exact = static_cast<u128>(routes) * w.weight;
        counts[w.length] = static_cast<std::uint64_t>(exact / sum);
        assigned += counts[w.length];
        remainders.push_back({w.length, static_cast<std::uint64_t>(exact % sum)});
    }
    std::ranges::stable_sort(remainders, std::ranges::greater{}, &length_weight::weight);
    for (std::size_t i = 0; assigned < routes; ++i, ++assigned)
        ++counts[remainders[i].length];
    return counts;
}

} // namespace fingerpost::bench
