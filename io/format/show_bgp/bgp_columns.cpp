// Finds words by their form, and numbers by the columns in which they end.
#include "io/format/show_bgp/bgp_columns.hpp"

#include <algorithm>
#include <array>

#include "fingerpost/net/prefix.hpp"
#include "fingerpost/net/text.hpp"
#include "io/format/parts/words.hpp"

namespace fingerpost::io {
namespace {

// Tests whether a character is in a set, in one step because there are many lines.
class letter_set {
  public:
    constexpr explicit letter_set(std::string_view letters) {
        for (const char c : letters)
            has_[static_cast<unsigned char>(c)] = true;
    }
    constexpr bool operator()(char c) const noexcept { return has_[static_cast<unsigned char>(c)]; }
    // Passing the set itself to std::all_of() would copy it several times.
    constexpr bool has_all(std::string_view text) const noexcept {
        return std::all_of(text.begin(), text.end(), [this](char c) { return (*this)(c); });
    }

  private:
    std::array<bool, 256> has_{};
};
constexpr letter_set is_status_letter("*>=+?abcdefhilmrstxERSVINLC|&");
constexpr letter_set may_begin_address("0123456789abcdefABCDEF:");
constexpr letter_set is_digit_letter("0123456789");

// Columns are seven characters wide, so a number that ends within this distance belongs to the column.
constexpr std::ptrdiff_t max_distance = 3;
// A preference has seven characters. With all seven, it touches the metric.
constexpr std::size_t preference_width = 7;
// There are at least 26 characters from the start of the next hop to the end of the metric.
constexpr std::size_t min_next_hop_width = 20;

struct line_word {
    std::size_t begin;
    std::size_t end;
};

line_word line_word_at(std::string_view line, std::size_t from) noexcept {
    const std::size_t begin = std::min(line.find_first_not_of(' ', from), line.size());
    return {begin, std::min(line.find(' ', begin), line.size())};
}
std::string_view text_at(std::string_view line, const line_word& word) noexcept {
    return line.substr(word.begin, word.end - word.begin);
}

bool is_number_word(std::string_view text) noexcept {
    return !text.empty() && is_digit_letter.has_all(text);
}
bool is_bgp_status(std::string_view text) noexcept {
    return is_status_letter.has_all(text);
}

bool is_bgp_address(std::string_view text) noexcept {
    return parse_address(text).has_value();
}
// Accepts an address or a prefix; the prefix is checked by its parser.
bool is_bgp_network(std::string_view text) noexcept {
    return is_bgp_address(text.substr(0, text.find('/')));
}

// Returns where the network begins in the word, after a status that may touch it; npos if nowhere.
std::size_t bgp_network_in(std::string_view text) noexcept {
    for (std::size_t at = 0; at < text.size(); ++at) {
        if (may_begin_address(text[at]) && is_bgp_network(text.substr(at)))
            return at;
        if (!is_status_letter(text[at]))
            break;
    }
    return std::string_view::npos;
}

std::ptrdiff_t signed_place(std::size_t place) noexcept {
    return static_cast<std::ptrdiff_t>(place);
}

} // namespace

std::optional<bgp_layout> find_bgp_layout(std::string_view line) noexcept {
    const line_word first = line_word_at(line, 0);
    if (text_at(line, first) != "Network")
        return std::nullopt;
    constexpr std::array<std::string_view, 6> names{"Network", "Next Hop", "Metric",
                                                    "LocPrf",  "Weight",   "Path"};
    std::array<std::size_t, names.size()> at{};
    std::size_t from = 0;
    for (std::size_t i = 0; i < names.size(); ++i) {
        at[i] = line.find(names[i], from);
        if (at[i] == std::string_view::npos)
            return std::nullopt;
        if (!trimmed(line.substr(from, at[i] - from)).empty())
            return std::nullopt;
        from = at[i] + names[i].size();
    }
    if (!trimmed(line.substr(from)).empty())
        return std::nullopt;
    const auto end = [&](std::size_t i) { return at[i] + names[i].size(); };
    return bgp_layout{at[0], at[1], end(2), end(3), end(4)};
}

std::optional<bgp_row> cut_bgp_row(std::string_view line, const bgp_layout& layout, bool goes_on) noexcept {
    line_word first = line_word_at(line, 0);
    std::size_t status_end = first.begin;
    std::size_t network = std::string_view::npos;
    // Letters are a status only before the network, because next hops may be names.
    const std::size_t last_status = layout.network + static_cast<std::size_t>(max_distance);
    const std::size_t status_begin = first.begin;
    while (first.begin < line.size()) {
        network = bgp_network_in(text_at(line, first));
        if (network != std::string_view::npos || first.begin >= last_status ||
            !is_bgp_status(text_at(line, first)))
            break;
        status_end = first.end;
        first = line_word_at(line, first.end);
    }
    if (network == std::string_view::npos) {
        // The next hop is a name, or the line continues with numbers.
        if (first.begin < last_status && first.begin < line.size())
            return std::nullopt;
        return bgp_row{line.substr(status_begin, status_end - status_begin), {}, first.begin};
    }
    const std::size_t begin = first.begin + network;
    if (network != 0)
        status_end = begin;
    const std::string_view status = line.substr(status_begin, status_end - status_begin);
    const std::string_view text = line.substr(begin, first.end - begin);
    const line_word second = line_word_at(line, first.end);
    const bool has_length = text.find('/') != std::string_view::npos;
    // An address before a number is a next hop. If it is alone on its line, its position decides.
    const bool is_far_right = begin >= layout.network + 2 * static_cast<std::size_t>(max_distance);
    const bool is_next_hop = second.begin == line.size() ? is_far_right || (goes_on && status.empty())
                                                         : is_number_word(text_at(line, second));
    if (!has_length && is_next_hop)
        return bgp_row{status, {}, begin};
    return bgp_row{status, text, second.begin};
}

std::optional<bgp_numbers> cut_bgp_numbers(std::string_view line, std::size_t at, const bgp_layout& layout,
                                           std::ptrdiff_t shift) noexcept {
    // A header line without its blanks does not show the columns.
    if (layout.metric_end - layout.next_hop < min_next_hop_width)
        return std::nullopt;
    bgp_numbers numbers{};
    const std::array<std::ptrdiff_t, 3> ends{signed_place(layout.metric_end),
                                             signed_place(layout.preference_end),
                                             signed_place(layout.weight_end)};
    const std::array<std::string_view*, 3> cells{&numbers.metric, &numbers.preference, &numbers.weight};
    std::size_t column = 0;
    line_word next = line_word_at(line, at);
    for (; column < ends.size() && is_number_word(text_at(line, next)); next = line_word_at(line, next.end)) {
        std::string_view number = text_at(line, next);
        const std::ptrdiff_t metric_end = ends[0] + shift;
        // Two numbers that touch are divided where the column of the first one ends.
        if (column == 0 && signed_place(next.begin) < metric_end &&
            signed_place(next.end) - metric_end >= signed_place(preference_width)) {
            const auto cut = static_cast<std::size_t>(metric_end - signed_place(next.begin));
            numbers.metric = number.substr(0, cut);
            number.remove_prefix(cut);
            column = 1;
        }
        const std::ptrdiff_t end = signed_place(next.end) - shift;
        while (column < ends.size() && end - ends[column] > max_distance)
            ++column;
        if (column == ends.size() || ends[column] - end > max_distance)
            return std::nullopt;
        *cells[column] = number;
        // A preference that is wider than its column shifts the weight.
        if (column == 1 && number.size() > preference_width)
            shift += signed_place(number.size() - preference_width);
        ++column;
    }
    if (numbers.weight.empty())
        return std::nullopt;
    numbers.path = trimmed(line.substr(next.begin));
    return numbers;
}

} // namespace fingerpost::io
