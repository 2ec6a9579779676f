// Recognises the prompts of router shells in output that was copied from a terminal: `router#show ip bgp`,
// `router(config)# do show ip route`, `bird> show route`.
#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string_view>

#include "io/format/parts/words.hpp"

namespace fingerpost::io {

// Returns the command after the prompt at the start of a line, which is often empty; nothing if there is no
// prompt. A prompt is a name of letters, digits and a few marks, then `#` or `>`. Up to three letters before
// `>` are the status of a route, such as `r>i`.
constexpr std::optional<std::string_view> command_after_prompt(std::string_view line) noexcept {
    const auto is_letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); };
    const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
    constexpr std::string_view marks = "-_.:/@()~";
    std::size_t end = 0;
    bool is_letters = true;
    while (end < line.size() &&
           (is_letter(line[end]) || is_digit(line[end]) || marks.find(line[end]) != std::string_view::npos))
        is_letters = is_letter(line[end++]) && is_letters;
    if (end == 0 || end == line.size() || !is_letter(line[0]))
        return std::nullopt;
    if (line[end] != '#' && (line[end] != '>' || (is_letters && end <= 3)))
        return std::nullopt;
    return trimmed(line.substr(end + 1));
}

// Whether a line has a prompt and a command that contains this word.
constexpr bool has_command(std::string_view line, std::string_view word) noexcept {
    const auto command = command_after_prompt(line);
    if (!command)
        return false;
    for (std::string_view rest = *command; !rest.empty(); rest = trimmed(rest)) {
        const std::size_t size = std::min(rest.find(' '), rest.size());
        if (rest.substr(0, size) == word)
            return true;
        rest.remove_prefix(size);
    }
    return false;
}

} // namespace fingerpost::io
