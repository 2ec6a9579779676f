// Distinguishes lists of networks from file names.
#include "cli/answers/network_list.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <span>
#include <string_view>
#include <unistd.h>
#include <utility>
#include <variant>

#include "fingerpost/net/text.hpp"
#include "io/format/parts/input_error.hpp"
#include "io/format/parts/words.hpp"
#include "terminal/failure.hpp"

namespace fingerpost::cli {

std::optional<io::both_tables> networks_in(const std::string& text) {
    io::table_builder builder({.both = true});
    const std::string_view no_value;
    std::uint64_t networks = 0;
    std::string reason;
    for (std::size_t at = 0; at <= text.size();) {
        const std::size_t comma = std::min(text.find(',', at), text.size());
        const std::string_view part = io::trimmed(std::string_view(text).substr(at, comma - at));
        at = comma + 1;
        if (const auto network = parse_prefix(part)) {
            ++networks;
            std::visit([&](const auto& p) { builder.add(p, std::span(&no_value, 1)); }, *network);
        } else if (reason.empty()) {
            reason = part.empty() ? std::string("an empty element in the list") : message(network.error());
            if (part.size() != text.size() && !part.empty())
                reason = fmt::format("{}: {}", io::quoted(part), reason);
        }
    }
    if (reason.empty())
        return std::move(builder).finish_both(networks);
    const bool has_network_characters =
        detect_family(text) && text.find_first_not_of("0123456789abcdefABCDEF.:/,- ") == std::string::npos;
    if ((networks != 0 || has_network_characters) && ::access(text.c_str(), F_OK) != 0)
        throw usage_error(
            fmt::format("{} is neither a file nor a list of networks: {}", io::quoted(text), reason));
    return std::nullopt;
}

} // namespace fingerpost::cli
