// Named tables and their shares of prefix lengths, for generated tables.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace fingerpost::bench {

// The five most frequent lengths of a table of the PlanB paper, in hundredths of a percent.
struct top_share {
    std::uint8_t length;
    std::uint16_t share;
};

// `top` is empty for the two tier-1 tables, which have counts of all lengths.
struct share_table {
    std::string_view name;
    std::string_view date;
    std::string_view place;
    std::uint32_t routes;
    std::uint8_t address_bits;
    std::array<top_share, 5> top{};
};

// Table 1 of "PlanB" (NSDI 2026): RIPE RIS rrc00 on the first of August of seven years and seven RouteViews
// collectors; then two tables that the project has in full.
inline constexpr std::array<share_table, 16> share_tables{{
    {"rrc00-19",
     "2019-08-01",
     "Amsterdam, NL",
     76342,
     128,
     {{{48, 4652}, {32, 1713}, {44, 613}, {40, 540}, {36, 397}}}},
    {"rrc00-20",
     "2020-08-01",
     "Amsterdam, NL",
     95504,
     128,
     {{{48, 4787}, {32, 1552}, {44, 614}, {40, 531}, {36, 415}}}},
    {"rrc00-21",
     "2021-08-01",
     "Amsterdam, NL",
     143823,
     128,
     {{{48, 4182}, {32, 1459}, {44, 873}, {40, 666}, {64, 481}}}},
    {"rrc00-22",
     "2022-08-01",
     "Amsterdam, NL",
     168572,
     128,
     {{{48, 4728}, {32, 1331}, {44, 832}, {40, 773}, {36, 376}}}},
    {"rrc00-23",
     "2023-08-01",
     "Amsterdam, NL",
     199801,
     128,
     {{{48, 4639}, {32, 1183}, {44, 909}, {40, 789}, {36, 365}}}},
    {"rrc00-24",
     "2024-08-01",
     "Amsterdam, NL",
     226222,
     128,
     {{{48, 4527}, {32, 1119}, {44, 940}, {40, 901}, {36, 364}}}},
    {"rrc00-25",
     "2025-08-01",
     "Amsterdam, NL",
     235466,
     128,
     {{{48, 4455}, {32, 1100}, {40, 1011}, {44, 969}, {36, 389}}}},
    {"rv1",
     "2025-08-01",
     "Johannesburg, SA",
     235038,
     128,
     {{{48, 4478}, {32, 1107}, {40, 1000}, {44, 947}, {36, 376}}}},
    {"rv2",
     "2025-08-01",
     "Singapore, SG",
     238498,
     128,
     {{{48, 4493}, {32, 1092}, {40, 985}, {44, 956}, {36, 371}}}},
    {"rv3",
     "2025-08-01",
     "Tokyo, JP",
     226893,
     128,
     {{{48, 4603}, {32, 1142}, {40, 1030}, {44, 919}, {36, 383}}}},
    {"rv4",
     "2025-08-01",
     "New York, USA",
     229417,
     128,
     {{{48, 4488}, {32, 1130}, {40, 1017}, {44, 969}, {36, 382}}}},
    {"rv5",
     "2025-08-01",
     "Rio de Janeiro, BR",
     227833,
     128,
     {{{48, 4537}, {32, 1126}, {40, 936}, {44, 924}, {36, 386}}}},
    {"rv6",
     "2025-08-01",
     "Sydney, AU",
     230672,
     128,
     {{{48, 4492}, {32, 1121}, {40, 1015}, {44, 953}, {36, 380}}}},
    {"rv7",
     "2025-08-01",
     "Frankfurt, DE",
     234916,
     128,
     {{{48, 4456}, {32, 1102}, {40, 1002}, {44, 949}, {36, 382}}}},
    {"tier1-v6", "2022", "a tier-1 network", 160147, 128},
    {"tier1-v4", "2022", "a tier-1 network", 901899, 32},
}};

inline constexpr std::string_view default_shares(unsigned address_bits) noexcept {
    return address_bits == 32 ? "tier1-v4" : "rrc00-25";
}

std::vector<std::string> share_names();

// Returns nullptr for an unknown name.
const share_table* find_share_table(std::string_view name) noexcept;

// counts[length] prefixes of each length, `routes` in total, distributed by largest remainders.
using length_counts = std::array<std::uint64_t, 129>;
length_counts count_lengths(const share_table& table, std::size_t routes);

} // namespace fingerpost::bench
