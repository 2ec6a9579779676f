// Explanations for programs.
#include <nlohmann/json.hpp>
#include <utility>

#include "cli/explain/explanation.hpp"

namespace fingerpost::cli {
namespace {

using nlohmann::ordered_json;

ordered_json text_or_null(const std::string& text) {
    return text.empty() ? ordered_json(nullptr) : ordered_json(text);
}

std::string_view name_of(compared with) {
    return with == compared::keys ? "keys" : with == compared::bitmap ? "bitmap" : "nothing";
}
std::string_view name_of(outcome result) {
    return result == outcome::goes_on ? "goes on" : result == outcome::missed ? "missed" : "answered";
}

ordered_json step_object(const explained_step& step) {
    ordered_json out{{"part", step.part}, {"kind", text_or_null(step.kind)}};
    out["level"] = step.kind.empty() ? ordered_json(nullptr) : ordered_json(step.level);
    out["offset"] = step.offset;
    out["bytes"] = step.bytes;
    out["cache_lines"] = step.lines;
    out["first_bit"] = step.first_bit;
    out["bits"] = step.bits;
    out["value"] = text_or_null(step.seen);
    out["compared"] = name_of(step.with);
    out["key"] = text_or_null(step.key);
    out["values"] = step.values;
    out["result"] = name_of(step.result);
    out["found"] = step.found;
    return out;
}

ordered_json lookup_object(const explained_lookup& lookup) {
    ordered_json out{{"scheme", lookup.scheme}, {"memory_bytes", lookup.memory_bytes}};
    if (!lookup.shows_steps) {
        out["steps"] = nullptr;
        return out;
    }
    out["cache_lines"] = lookup.lines();
    out["bytes_read"] = lookup.bytes_read();
    out["steps"] = ordered_json::array();
    for (const explained_step& step : lookup.steps)
        out["steps"].push_back(step_object(step));
    return out;
}

// The next hop, and an object with all columns by their names, so that no column conflicts with a member of
// ours.
void add_values(ordered_json& to, const covering_prefix& cover, const std::vector<std::string>& columns) {
    to["next_hop"] = text_or_null(cover.values[0]);
    to["values"] = ordered_json::object();
    for (std::size_t i = 0; i < columns.size(); ++i)
        to["values"][columns[i]] = text_or_null(cover.values[i]);
}

ordered_json explanation_object(const explanation& e) {
    ordered_json out{
        {"asked", e.asked},  {"address", e.address}, {"family", e.family == family::ipv4 ? 4 : 6},
        {"prefix", nullptr}, {"next_hop", nullptr},  {"values", nullptr}};
    out["covers"] = ordered_json::array();
    for (const covering_prefix& cover : e.covers) {
        ordered_json one{{"prefix", cover.prefix}};
        add_values(one, cover, e.columns);
        out["covers"].push_back(std::move(one));
    }
    if (!e.covers.empty()) {
        out["prefix"] = e.covers.back().prefix;
        add_values(out, e.covers.back(), e.columns);
    }
    out["interval"] = ordered_json{{"first", e.first}, {"last", e.last}};
    out["schemes"] = ordered_json::array();
    for (const explained_lookup& lookup : e.lookups)
        out["schemes"].push_back(lookup_object(lookup));
    return out;
}

} // namespace

// Bytes that are not UTF-8 become U+FFFD.
std::string as_json(std::span<const explanation> all, bool is_array) {
    ordered_json out = ordered_json::array();
    for (const explanation& e : all)
        out.push_back(explanation_object(e));
    if (!is_array && !out.empty())
        out = ordered_json(std::move(out[0]));
    return out.dump(2, ' ', false, ordered_json::error_handler_t::replace) + "\n";
}

} // namespace fingerpost::cli
