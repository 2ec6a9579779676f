// Flattens the result of toml++.
#include "terminal/config/config_file.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <optional>

#include "io/format/parts/input_error.hpp"
#include "io/source/file.hpp"
#if FINGERPOST_HAVE_TOML
// toml++ 3.3 asserts that files are valid before it checks them, for example at `[{`.
#define TOML_ASSERT(condition) static_cast<void>(0)
#include <toml++/toml.h>
#endif

namespace fingerpost::cli {

#if FINGERPOST_HAVE_TOML
namespace {

std::string message_at(const std::string& path, const toml::source_region& where, std::string_view reason) {
    return fmt::format("{}:{}: {}", path, where.begin.line, reason);
}

// toml++ 3.3 has undefined behaviour for some characters outside strings, such as U+00E9 and U+015E. So each
// byte that is not ASCII is passed to it as the character U+F000 plus the byte, which it refuses properly.
constexpr std::string_view bom = "\xef\xbb\xbf";

std::string escaped(std::string_view text) {
    std::string out;
    if (text.starts_with(bom))
        text.remove_prefix(bom.size());
    for (const char c : text) {
        const auto byte = static_cast<unsigned char>(c);
        if (byte < 0x80)
            out += c;
        else
            out.append(
                {'\xef', static_cast<char>(0x80 | (byte >> 6)), static_cast<char>(0x80 | (byte & 0x3f))});
    }
    return out;
}

std::string unescaped(std::string_view text) {
    std::string out;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const auto next = static_cast<unsigned char>(i + 2 < text.size() ? text[i + 1] : '\0');
        if (text[i] == '\xef' && (next == 0x82 || next == 0x83)) {
            out += static_cast<char>((next & 3) << 6 | (static_cast<unsigned char>(text[i + 2]) & 0x3f));
            i += 2;
        } else {
            out += text[i];
        }
    }
    return out;
}

// Returns nothing for values other than strings, numbers and Booleans.
std::optional<config_value> plain_value(const toml::node& node) {
    const std::size_t line = node.source().begin.line;
    if (const auto* const text = node.as_string())
        return config_value{config_kind::text, unescaped(text->get()), line};
    if (const auto* const whole = node.as_integer())
        return config_value{config_kind::number, fmt::format("{}", whole->get()), line};
    if (const auto* const real = node.as_floating_point())
        return config_value{config_kind::number, fmt::format("{}", real->get()), line};
    if (const auto* const truth = node.as_boolean())
        return config_value{config_kind::truth, truth->get() ? "true" : "false", line};
    return std::nullopt;
}

} // namespace

expected<std::vector<config_key>, std::string> parse_config(std::string_view text, const std::string& path) {
    std::vector<config_key> keys;
    try {
        const toml::table root = toml::parse(escaped(text), path);
        for (const auto& [name, node] : root) {
            config_key key{.name = unescaped(name.str()), .line = name.source().begin.line};
            const toml::array* const list = node.as_array();
            key.is_list = list != nullptr;
            const auto take = [&](const toml::node& element) {
                if (auto value = plain_value(element)) {
                    key.values.push_back(std::move(*value));
                    return true;
                }
                return false;
            };
            const toml::node* bad_node = nullptr;
            if (list != nullptr) {
                for (const toml::node& element : *list)
                    bad_node = bad_node == nullptr && !take(element) ? &element : bad_node;
            } else if (!take(node)) {
                bad_node = &node;
            }
            if (bad_node != nullptr)
                return unexpected{
                    message_at(path, list != nullptr ? bad_node->source() : name.source(),
                               fmt::format("{} must be a string, number, boolean or array of them",
                                           io::quoted(key.name)))};
            keys.push_back(std::move(key));
        }
    } catch (const toml::parse_error& fault) {
        return unexpected{message_at(path, fault.source(), unescaped(fault.description()))};
    }
    std::stable_sort(keys.begin(), keys.end(),
                     [](const config_key& a, const config_key& b) { return a.line < b.line; });
    return keys;
}

#else

expected<std::vector<config_key>, std::string> parse_config(std::string_view, const std::string& path) {
    return unexpected{fmt::format("{}: this program was built without toml++ and cannot read it", path)};
}

#endif

expected<std::vector<config_key>, std::string> read_config(const std::string& path) {
    auto source = io::file_source::open(path);
    if (!source)
        return unexpected{io::message(source.error())};
    std::string text;
    for (;;) {
        const auto bytes = source->read();
        if (!bytes)
            return unexpected{io::message(bytes.error())};
        if (bytes->empty())
            return parse_config(text, path);
        text += *bytes;
    }
}

} // namespace fingerpost::cli
