// Reads the configuration file.
#include "router/config/config.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <optional>
#include <system_error>

#include "router/config/config_keys.hpp"
#include "router/config/cross_checks.hpp"

namespace fingerpost::router {
namespace {

config take_keys(const toml::table& root, std::span<const std::string> schemes, report& findings) {
    config settings;
    std::vector<std::string> everywhere;
    for (const key_facts& facts : known_keys())
        everywhere.push_back(facts.name);
    const std::string no_type;
    keys_of_config(schemes).read(root, {root, "", "", no_type, findings, everywhere}, settings);
    const auto make_relative = [&](std::string& path) {
        if (!path.empty())
            path = (std::filesystem::path(findings.file()).parent_path() / path).string();
    };
    make_relative(settings.routes.path);
    for (vrf_config& vrf : settings.vrfs)
        make_relative(vrf.routes);
    return settings;
}

// Returns nothing, with the reason in errno, if the file cannot be read completely.
std::optional<std::string> read_file(const std::string& name) {
    const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(name.c_str(), "rb"), &std::fclose);
    if (!file)
        return std::nullopt;
    std::string text;
    std::array<char, 4'096> block;
    while (const std::size_t bytes = std::fread(block.data(), 1, block.size(), file.get()))
        text.append(block.data(), bytes);
    if (std::ferror(file.get()) != 0)
        return std::nullopt;
    return text;
}

} // namespace

std::vector<port_config> devices_of(const port_config& port) {
    if (!port.is_bond())
        return {port};
    std::vector<port_config> devices;
    for (const std::string& member : port.members) {
        devices.push_back(port);
        devices.back().device = member;
        devices.back().members.clear();
    }
    return devices;
}

bool takes_by_af_xdp(const port_config& port) {
    return std::ranges::any_of(devices_of(port), &port_config::is_af_xdp);
}

std::string_view name_of(run_mode mode) noexcept {
    switch (mode) {
    case run_mode::pipeline:
        return "pipeline";
    case run_mode::fused:
        return "fused";
    case run_mode::complete:
        return "complete";
    }
    return "unknown";
}

parsed_config parse_config(std::string_view text, const std::string& file,
                           std::span<const std::string> schemes) {
    parsed_config result{.findings = report(file)};
    try {
        const toml::table root = toml::parse(text, file);
        result.settings = take_keys(root, schemes, result.findings);
    } catch (const toml::parse_error& fault) {
        result.findings.error(place_of(fault.source()), std::string(fault.description()));
        return result;
    }
    cross_check(result.settings, result.findings);
    return result;
}

parsed_config load_config(const std::string& file, std::span<const std::string> schemes) {
    const auto text = read_file(file);
    if (text)
        return parse_config(*text, file, schemes);
    parsed_config result{.findings = report(file)};
    result.findings.error({}, "the file cannot be read: " + std::generic_category().message(errno));
    return result;
}

std::vector<key_facts> known_keys() {
    std::vector<key_facts> keys;
    keys_of_config({}).list("", keys);
    return keys;
}

} // namespace fingerpost::router
