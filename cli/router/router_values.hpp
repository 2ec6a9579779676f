// Values of a router's answers as text. A missing value becomes a dash, because other router versions report
// other members.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

namespace fingerpost::cli {

using answer = nlohmann::ordered_json;

// The member of an object; null if it is missing.
const answer& member_of(const answer& object, const char* name);
// A number. DPDK's telemetry writes fractions as strings.
std::optional<double> number_of(const answer& object, const char* name);
// A nonnegative whole number; 0 if it is missing.
std::uint64_t whole_of(const answer& object, const char* name);
// A text; empty if it is missing.
std::string word_of(const answer& object, const char* name);

// `2 d 3 h`, `4 min 5 s`, `6 s`
std::string duration_text(double seconds);
// Whole numbers get separators; texts stay unchanged. An empty text becomes a dash.
std::string text_of(const answer& object, const char* name);
// A share in percent.
std::string percent_of(const std::optional<double>& share);
// One digit after the decimal point.
std::string real_text(const std::optional<double>& number);

// The source of routes and its state.
std::string source_text(const answer& summary);

} // namespace fingerpost::cli
