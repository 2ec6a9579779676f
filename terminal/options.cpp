// Implements the checks of values, and their messages.
#include "terminal/options.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "fingerpost/base/near_name.hpp"
#include "io/format/parts/input_error.hpp"

namespace fingerpost::cli {
namespace {

struct former_name {
    std::string_view former;
    std::string_view present; // one option or two; the last one takes the value
};
constexpr former_name former_names[] = {
    {"--add", "--columns"},      {"--contenders", "--competitors"},
    {"--count", "--limit"},      {"--json", "--format=json --output"},
    {"--json-field", "--field"}, {"--most", "--limit"},
    {"--once", "--limit=1"},     {"--schemes", "--scheme"},
    {"--top", "--limit"},        {"--value", "--columns"},
};

bool in_range(std::uint64_t number, number_range range) {
    return number >= range.least && number <= range.most;
}

// The whole text must be a decimal number. Returns nothing for signs, blanks, and numbers that do not fit.
template <class T>
std::optional<T> whole(std::string_view text) {
    T number{};
    const char* const end = text.data() + text.size();
    const auto [stop, fault] = std::from_chars(text.data(), end, number);
    return fault == std::errc{} && stop == end ? std::optional<T>(number) : std::nullopt;
}

// Returns the number that `1e6` or `1_000_000` stands for.
std::string plain_digits(std::string_view text, number_range range) {
    // A double represents every whole number below this.
    constexpr double exact = 9007199254740992.0;
    if (const auto real = whole<double>(text);
        real && *real >= 0 && *real < exact && *real == std::floor(*real))
        if (const auto number = static_cast<std::uint64_t>(*real); in_range(number, range))
            return std::to_string(number);
    std::string digits;
    std::copy_if(text.begin(), text.end(), std::back_inserter(digits),
                 [](char c) { return c != '_' && c != ',' && c != '\''; });
    const auto number = whole<std::uint64_t>(digits);
    return number && in_range(*number, range) ? std::to_string(*number) : "";
}

std::string take_into(std::string& target, const std::string& value) {
    target = value;
    return {};
}

} // namespace

std::optional<std::string_view> present_words(const command& target, std::string_view name) {
    if (target.option_named(name) != nullptr)
        return std::nullopt;
    for (const former_name& entry : former_names) {
        const std::string_view last = entry.present.substr(entry.present.rfind(' ') + 1);
        if (entry.former == name && target.option_named(last.substr(0, last.find('='))) != nullptr)
            return entry.present;
    }
    return std::nullopt;
}

std::string read_number(const std::string& text, number_range range, std::uint64_t& target) {
    if (const auto number = whole<std::uint64_t>(text); number && in_range(*number, range)) {
        target = *number;
        return {};
    }
    const std::string plain = plain_digits(text, range);
    const std::string to = range.most == number_range{}.most ? "" : fmt::format(" to {}", range.most);
    return fmt::format("{} is not a whole number from {}{}{}", io::quoted(text), range.least, to,
                       plain.empty() ? "" : "; did you mean " + plain + "?");
}

std::string read_real(const std::string& text, double least, double most, double& target) {
    // This comparison also refuses NaN.
    if (const auto number = whole<double>(text); number && *number >= least && *number <= most) {
        target = *number;
        return {};
    }
    return fmt::format("{} is not a number from {} to {}", io::quoted(text), least, most);
}

std::string refuse_name(const std::string& name, std::span<const std::string> names) {
    if (std::find(names.begin(), names.end(), name) != names.end())
        return {};
    return fmt::format("{} is not one of {}{}", io::quoted(name), fmt::join(names, ", "),
                       did_you_mean(name, names));
}

std::string read_list(const std::string& text, std::vector<std::string>& target) {
    for (std::size_t at = 0; at <= text.size();) {
        const std::size_t comma = std::min(text.find(',', at), text.size());
        if (comma == at)
            return fmt::format("{} has an empty element", io::quoted(text));
        target.push_back(text.substr(at, comma - at));
        at = comma + 1;
    }
    return {};
}

option& add_option(command& parent, option facts) {
    return parent.options.emplace_back(std::move(facts));
}

option& add_flag(command& parent, std::string name, bool& target, std::string help) {
    return add_option(
        parent, {.name = std::move(name), .help = std::move(help), .take = [&target](const std::string&) {
                     target = true;
                     return std::string();
                 }});
}

option& add_file(command& parent, std::string name, std::string& target, std::string help) {
    option& added = add_text(parent, std::move(name), "FILE", target, std::move(help));
    added.is_file = true;
    return added;
}

option& add_output(command& parent, std::string& target, std::string help) {
    option& added = add_file(parent, "--output", target, std::move(help));
    added.letter = 'o';
    added.preset.clear();
    return added;
}

option& add_text(command& parent, std::string name, std::string value, std::string& target,
                 std::string help) {
    return add_option(parent,
                      {.name = std::move(name),
                       .value = std::move(value),
                       .help = std::move(help),
                       .preset = target,
                       .take = [&target](const std::string& text) { return take_into(target, text); }});
}

option& add_real(command& parent, std::string name, double& target, double least, double most,
                 std::string help) {
    return add_option(parent, {.name = std::move(name),
                               .value = "NUMBER",
                               .help = std::move(help),
                               .preset = fmt::format("{}", target),
                               .is_number = true,
                               .take = [&target, least, most](const std::string& text) {
                                   return read_real(text, least, most, target);
                               }});
}

option& add_name(command& parent, std::string name, std::string& target, std::vector<std::string> names,
                 std::string help, name_reader read) {
    option& added = add_text(parent, std::move(name), "NAME", target, std::move(help));
    added.choices = std::move(names);
    added.take = [&target, names = added.choices, read = std::move(read)](const std::string& text) {
        target = text;
        return read(target, names);
    };
    return added;
}

option& add_names(command& parent, std::string name, std::vector<std::string>& target,
                  std::vector<std::string> names, std::string help, name_reader read) {
    return add_option(parent, {.name = std::move(name),
                               .value = "NAME,...",
                               .help = std::move(help),
                               .preset = fmt::format("{}", fmt::join(target, ",")),
                               .choices = names,
                               .is_list = true,
                               .take = [&target, names, read = std::move(read)](const std::string& text) {
                                   std::vector<std::string> parts;
                                   std::string reason = read_list(text, parts);
                                   for (std::size_t i = 0; i < parts.size() && reason.empty(); ++i)
                                       reason = read(parts[i], names);
                                   if (reason.empty())
                                       target = std::move(parts);
                                   return reason;
                               }});
}

void add_arguments(command& parent, std::string name, std::vector<std::string>& target, std::string help,
                   number_range count) {
    parent.rest = {.name = std::move(name),
                   .help = std::move(help),
                   .least = count.least,
                   .most = count.most,
                   .take = [&target](const std::string& word) {
                       target.push_back(word);
                       return std::string();
                   }};
}

option& add_json(command& parent, bool& is_json, std::string help) {
    return add_choice<bool>(parent, "--format", is_json, {{"text", false}, {"json", true}}, std::move(help));
}

option& add_family(command& parent, unsigned& target, std::string help) {
    option& added = add_choice<unsigned>(parent, "--family", target, {{"4", 4}, {"6", 6}}, std::move(help));
    added.preset.clear();
    return added;
}

} // namespace fingerpost::cli
