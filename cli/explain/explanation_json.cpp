// Explanations for programs.
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "cli/explain/explanation_json.hpp"
#include "terminal/quoting.hpp"

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

template <class T>
ordered_json value_or_null(const std::optional<T>& value) {
    return value ? ordered_json(*value) : ordered_json(nullptr);
}

ordered_json node_object(const explained_node& node) {
    ordered_json out{{"node", node.number}, {"parent", value_or_null(node.parent)}};
    out["slot"] = node.slot;
    out["level"] = node.level;
    out["kind"] = node.kind;
    out["part"] = node.part;
    out["offset"] = node.offset;
    out["bytes"] = node.bytes;
    out["first"] = node.first;
    out["last"] = node.last;
    out["prefix"] = text_or_null(node.prefix);
    out["first_bit"] = node.first_bit;
    out["bits"] = node.bits;
    out["compared"] = name_of(node.with);
    out["values"] = node.values;
    out["bitmaps"] = ordered_json::array();
    for (const explained_bitmap& bitmap : node.bitmaps)
        out["bitmaps"].push_back(bitmap.name);
    out["padding"] = node.padding;
    out["answers"] = ordered_json::array();
    for (const explained_answer& answer : node.answers)
        out["answers"].push_back({{"slot", answer.slot}, {"next_hop", text_or_null(answer.text)}});
    out["numbers"] = ordered_json::object();
    for (const auto& [name, value] : node.numbers) {
        ordered_json& there = out["numbers"][name];
        if (there.is_null())
            there = value;
        else if (there.is_array())
            there.push_back(value);
        else
            there = ordered_json::array({there, value});
    }
    out["children"] = node.children;
    return out;
}

ordered_json structure_object(const explained_structure& structure, bool lists_nodes) {
    ordered_json out{{"nodes", structure.nodes}, {"whole", structure.is_whole}};
    if (!lists_nodes)
        return out;
    out["listed"] = ordered_json::array();
    for (const explained_node& node : structure.listed)
        out["listed"].push_back(node_object(node));
    return out;
}

ordered_json table_object(const shown_table& table) {
    ordered_json out{{"routes", table.routes}, {"whole", table.is_whole}};
    out["listed"] = ordered_json::array();
    for (const shown_route& route : table.listed)
        out["listed"].push_back({{"prefix", route.prefix},
                                 {"next_hop", text_or_null(route.next_hop)},
                                 {"depth", route.depth},
                                 {"first_interval", route.first_interval},
                                 {"last_interval", route.last_interval}});
    out["intervals"] = ordered_json::array();
    for (const shown_interval& interval : table.intervals)
        out["intervals"].push_back({{"first", interval.first},
                                    {"last", interval.last},
                                    {"prefix", text_or_null(interval.prefix)},
                                    {"next_hop", text_or_null(interval.next_hop)},
                                    {"has_address", interval.has_address}});
    return out;
}

ordered_json lookup_object(const explained_lookup& lookup, const explanation& e, bool lists_nodes) {
    ordered_json out{
        {"scheme", lookup.scheme}, {"summary", lookup.summary}, {"memory_bytes", lookup.memory_bytes}};
    if (!lookup.shows_steps) {
        out["steps"] = nullptr;
        return out;
    }
    out["cache_lines"] = lookup.lines();
    out["bytes_read"] = lookup.bytes_read();
    out["steps"] = ordered_json::array();
    for (const explained_step& step : lookup.steps)
        out["steps"].push_back(step_object(step, e));
    out["structure"] = structure_object(lookup.structure, lists_nodes);
    return out;
}

ordered_json cell_value(const std::string& text, column_type type) {
    std::string json;
    append_json_cell(json, text.empty() ? missing_cell : text, type);
    return ordered_json::parse(json);
}

// The next hop, and an object with all columns by their names, so that no column conflicts with a member of
// ours.
void add_values(ordered_json& to, const covering_prefix& cover, const explanation& e) {
    to["next_hop"] = cell_value(cover.values[0], e.types[0]);
    to["values"] = ordered_json::object();
    for (std::size_t i = 0; i < e.columns.size(); ++i)
        to["values"][e.columns[i]] = cell_value(cover.values[i], e.types[i]);
}

} // namespace

ordered_json step_object(const explained_step& step, const explanation& e) {
    ordered_json out{
        {"part", step.part}, {"node", value_or_null(step.node)}, {"kind", text_or_null(step.kind)}};
    out["level"] = step.node ? ordered_json(step.level) : ordered_json(nullptr);
    out["prefix"] = text_or_null(step.prefix);
    out["offset"] = step.offset;
    out["bytes"] = step.bytes;
    out["in_line"] = step.in_line;
    out["cache_lines"] = step.lines;
    out["first_bit"] = step.first_bit;
    out["bits"] = step.bits;
    out["value"] = text_or_null(step.address_bits);
    out["compared"] = name_of(step.with);
    out["slot"] = step.slot;
    out["key"] = text_or_null(step.key);
    out["values"] = step.values;
    out["counted"] = nullptr;
    if (step.counted.words != 0)
        out["counted"] = ordered_json{{"first_word", step.counted.first_word},
                                      {"bitmap", text_or_null(step.counted_in)},
                                      {"words", step.counted.words},
                                      {"base", step.counted.base},
                                      {"rank", step.counted.rank}};
    out["matched"] = nullptr;
    if (step.matched)
        out["matched"] = ordered_json{{"bitmap", text_or_null(step.matched_in)},
                                      {"bit", step.matched_slot},
                                      {"prefix", step.matched_prefix},
                                      {"length", step.matched->length}};
    out["best"] = value_or_null(step.best);
    out["result"] = name_of(step.result);
    out["found"] = value_or_null(step.next_entry);
    out["found_in"] = text_or_null(step.next_part);
    out["sentence"] = sentence_of(step, e);
    return out;
}

ordered_json explanation_object(const explanation& e, bool lists_nodes) {
    ordered_json out{
        {"asked", e.input},  {"address", e.address}, {"family", e.family == family::ipv4 ? 4 : 6},
        {"prefix", nullptr}, {"next_hop", nullptr},  {"values", nullptr}};
    out["covers"] = ordered_json::array();
    for (const covering_prefix& cover : e.covers) {
        ordered_json object{{"prefix", cover.prefix}};
        add_values(object, cover, e);
        out["covers"].push_back(std::move(object));
    }
    if (!e.covers.empty()) {
        out["prefix"] = e.covers.back().prefix;
        add_values(out, e.covers.back(), e);
    }
    out["interval"] = ordered_json{{"first", e.first}, {"last", e.last}};
    out["table"] = table_object(e.table);
    out["schemes"] = ordered_json::array();
    for (const explained_lookup& lookup : e.lookups)
        out["schemes"].push_back(lookup_object(lookup, e, lists_nodes));
    return out;
}

// Bytes that are not UTF-8 become U+FFFD.
std::string as_json(std::span<const explanation> explanations, bool is_array) {
    ordered_json out = ordered_json::array();
    for (const explanation& e : explanations)
        out.push_back(explanation_object(e, true));
    if (!is_array && !out.empty())
        out = ordered_json(std::move(out[0]));
    return out.dump(2, ' ', false, ordered_json::error_handler_t::replace) + "\n";
}

} // namespace fingerpost::cli
