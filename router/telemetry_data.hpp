// Adds members to objects in DPDK's telemetry data.
//
// DPDK refuses names with characters other than letters, digits, `_` and `/`. It cuts texts after 127 bytes
// and silently drops everything that exceeds 16 KiB in one answer.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include <fmt/format.h>
#include <rte_telemetry.h>

namespace fingerpost::router {

inline void add(rte_tel_data* to, const char* name, const std::string& text) {
    rte_tel_data_add_dict_string(to, name, text.c_str());
}
inline void add(rte_tel_data* to, const char* name, std::string_view text) {
    add(to, name, std::string(text));
}
inline void add(rte_tel_data* to, const char* name, std::uint64_t number) {
    rte_tel_data_add_dict_u64(to, name, number);
}
inline void add(rte_tel_data* to, const char* name, double number) {
    add(to, name, fmt::format("{:.3f}", number));
}

// Adds a nested dictionary, which `fill` fills.
template <class F>
void add_group(rte_tel_data* to, const std::string& name, F fill) {
    rte_tel_data* const inner = rte_tel_data_alloc();
    if (inner == nullptr)
        return;
    rte_tel_data_start_dict(inner);
    fill(inner);
    if (rte_tel_data_add_dict_container(to, name.c_str(), inner, 0) != 0)
        rte_tel_data_free(inner);
}

// Adds a nested list, which `fill` fills.
template <class F>
void add_list(rte_tel_data* to, const char* name, rte_tel_value_type of, F fill) {
    rte_tel_data* const inner = rte_tel_data_alloc();
    if (inner == nullptr)
        return;
    rte_tel_data_start_array(inner, of);
    fill(inner);
    if (rte_tel_data_add_dict_container(to, name, inner, 0) != 0)
        rte_tel_data_free(inner);
}

} // namespace fingerpost::router
