// Places in the file, and the wording of errors.
#include "router/config/keys/config_key.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <sstream>

#include "fingerpost/base/near_name.hpp"

namespace fingerpost::router {
namespace {

// Enough characters to find a wrong value in the file.
constexpr std::size_t longest_shown = 40;

std::string in_quotes(std::string_view text) {
    std::string out = "\"";
    std::size_t length = std::min(text.size(), longest_shown);
    // Do not cut a UTF-8 character: its later bytes are 10xxxxxx.
    while (length > 0 && length < text.size() && (static_cast<unsigned char>(text[length]) & 0xc0U) == 0x80)
        --length;
    for (const char c : text.substr(0, length)) {
        const auto byte = static_cast<unsigned char>(c);
        if (byte < 0x20 || byte == 0x7f || c == '"' || c == '\\')
            out += fmt::format("\\x{:02x}", byte);
        else
            out += c;
    }
    return out + (text.size() > length ? "...\"" : "\"");
}

// Returns a hint if exactly one other section has a key with this name: the key may be in the wrong section.
std::string right_section(std::string_view key_name, const std::string& section,
                          const std::vector<std::string>& everywhere) {
    std::string hint;
    for (const std::string& full : everywhere) {
        const std::size_t dot = full.rfind('.');
        const std::string_view name = std::string_view(full).substr(dot == std::string::npos ? 0 : dot + 1);
        const std::string above = dot == std::string::npos ? "" : full.substr(0, dot);
        if (name != key_name || above == section)
            continue;
        if (!hint.empty())
            return {};
        hint = above.empty() ? "; it belongs above the first section" : "; it belongs in [" + above + "]";
    }
    return hint;
}

} // namespace

place place_of(const toml::source_region& region) noexcept {
    return {region.begin.line, region.begin.column};
}

std::string shown(const toml::node& value) {
    if (const auto* text = value.as_string())
        return in_quotes(text->get());
    if (const auto* list = value.as_array())
        return list->empty() ? "an empty list" : list->is_array_of_tables() ? "a list of sections" : "a list";
    if (value.is_table())
        return "a section";
    std::ostringstream out;
    value.visit([&](const auto& plain) {
        if constexpr (!toml::is_table<decltype(plain)> && !toml::is_array<decltype(plain)>)
            out << plain;
    });
    return out.str();
}

void incoming::refuse(const toml::node& culprit, std::string_view reason) const {
    findings.error(place_of(culprit.source()),
                   fmt::format("{} {} {}; allowed: {}{}{}", key, &culprit == &value ? "is" : "has",
                               shown(culprit), type, reason.empty() ? "" : "; ", reason));
}

void refuse_unknown(const toml::key& unknown, const std::string& section,
                    const std::vector<std::string>& known, const incoming& at) {
    const std::string name{unknown.str()};
    // A quoted key may contain any character, including line feeds.
    const bool plain = std::all_of(name.begin(), name.end(), [](char c) {
        return c == '_' || c == '-' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') ||
               (c >= 'A' && c <= 'Z');
    });
    std::string hint = right_section(name, section, at.elsewhere);
    if (hint.empty())
        hint = did_you_mean(name, known);
    at.findings.error(place_of(unknown.source()),
                      fmt::format("{}{} is not known; allowed: {}{}", section.empty() ? "" : section + ".",
                                  plain ? name : in_quotes(name), fmt::join(known, ", "), hint));
}

void refuse_missing(const toml::node& section, const std::string& key, const std::string& type,
                    report& findings) {
    findings.error(place_of(section.source()), fmt::format("{} is missing; allowed: {}", key, type));
}

} // namespace fingerpost::router
