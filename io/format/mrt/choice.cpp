// Parses the names of peers, and writes the values of entries as text.
#include "io/format/mrt/choice.hpp"

#include <charconv>
#include <utility>

#include "fingerpost/net/text.hpp"

namespace fingerpost::io {
namespace {

constexpr std::array<std::string_view, 4> all_columns{"next_hop", "peer_address", "peer_as", "origin_as"};

template <class T>
std::optional<T> whole_number(std::string_view text) {
    T number{};
    const auto [stop, fault] = std::from_chars(text.data(), text.data() + text.size(), number);
    const bool is_whole = fault == std::errc{} && stop == text.data() + text.size();
    return is_whole ? std::optional<T>(number) : std::nullopt;
}

bool begins_with_as(std::string_view text) {
    return text.size() > 2 && (text[0] == 'A' || text[0] == 'a') && (text[1] == 'S' || text[1] == 's');
}

template <class... Kinds>
std::string text_of(const std::variant<Kinds...>& value) {
    return std::visit(
        [](const auto& alternative) {
            if constexpr (std::is_same_v<std::remove_cvref_t<decltype(alternative)>, std::monostate>)
                return std::string();
            else
                return to_string(alternative);
        },
        value);
}

std::string text_of(const mrt::origin_as& origin) {
    std::string text;
    for (std::size_t i = 0; i < origin.size(); ++i)
        text += (i == 0 ? "" : ",") + std::to_string(origin[i]);
    return origin.is_set() ? "{" + text + "}" : text;
}

} // namespace

std::optional<peer_choice> parse_peer(std::string_view text) {
    if (begins_with_as(text)) {
        const auto as = whole_number<std::uint32_t>(text.substr(2));
        return as ? std::optional<peer_choice>(peers_of_as{*as}) : std::nullopt;
    }
    if (const auto number = whole_number<std::uint16_t>(text))
        return numbered_peer{*number};
    const auto address = parse_address(text);
    return address ? std::optional<peer_choice>(*address) : std::nullopt;
}

bool is_of(const mrt::entry& e, const peer_choice& peer) noexcept {
    if (const auto* const address = std::get_if<any_address>(&peer))
        return e.peer == *address;
    if (const auto* const as = std::get_if<peers_of_as>(&peer))
        return e.peer_as == as->as;
    if (const auto* const numbered = std::get_if<numbered_peer>(&peer))
        return e.peer_number == numbered->number;
    return true;
}

std::span<const std::string_view> columns_of(mrt_values values) noexcept {
    constexpr std::span<const std::string_view> columns(all_columns);
    switch (values) {
    case mrt_values::next_hop:
        return columns.subspan(0, 1);
    case mrt_values::peer:
        return columns.subspan(1, 1);
    case mrt_values::origin_as:
        return columns.subspan(3, 1);
    case mrt_values::all:
        break;
    }
    return columns;
}

void entry_cells::set(std::size_t column, std::string text) {
    texts_[column] = std::move(text);
    cells_[column] = texts_[column];
}

std::span<const std::string_view> entry_cells::of(const mrt::entry& e) {
    switch (values_) {
    case mrt_values::next_hop:
        set(0, text_of(e.next_hop));
        break;
    case mrt_values::peer:
        set(0, text_of(e.peer));
        break;
    case mrt_values::origin_as:
        set(0, text_of(e.origin));
        break;
    case mrt_values::all:
        set(0, text_of(e.next_hop));
        set(1, text_of(e.peer));
        set(2, std::to_string(e.peer_as));
        set(3, text_of(e.origin));
        break;
    }
    return std::span<const std::string_view>(cells_).first(columns_of(values_).size());
}

} // namespace fingerpost::io
