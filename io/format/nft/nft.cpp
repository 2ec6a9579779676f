// Cuts lines into words and punctuation, and tracks the blocks that they open and close.
#include "io/format/nft/nft.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "fingerpost/net/text.hpp"
#include "io/format/parts/format_entry.hpp"
#include "io/format/parts/words.hpp"

namespace fingerpost::io {
namespace {

constexpr std::array<std::string_view, 4> nft_columns{"value", "set", "table", "comment"};
constexpr std::size_t usual_nft_columns = 1;
// An element has a few words; with more, a comma is missing.
constexpr std::size_t max_words = 100;

constexpr std::string_view marks = "{};,=";

std::string joined(const std::vector<std::string>& words, std::size_t from) {
    std::string text;
    for (std::size_t i = from; i < words.size(); ++i)
        text.append(i == from ? "" : " ").append(words[i]);
    return text;
}

// Returns the family of a key type that is an address and nothing else.
std::optional<family> family_of_keys(std::string_view type) {
    if (type == "ipv4_addr" || type == "ip saddr" || type == "ip daddr")
        return family::ipv4;
    if (type == "ipv6_addr" || type == "ip6 saddr" || type == "ip6 daddr")
        return family::ipv6;
    return std::nullopt;
}

} // namespace

nft_reader::nft_reader(std::string file, const table_options& options)
    : fixed_reader(std::move(file), options, "output of nft list", {nft_columns, usual_nft_columns}) {
    report_format("output of nft list");
}

bool nft_reader::take_line(std::string_view line) {
    std::string_view rest = line;
    for (skip_blanks(rest); !rest.empty() && rest[0] != '#'; skip_blanks(rest)) {
        if (marks.find(rest[0]) != std::string_view::npos) {
            const char mark = rest[0];
            rest.remove_prefix(1);
            if (!take_mark(line, mark))
                return false;
            continue;
        }
        const bool is_quoted = rest[0] == '"';
        const std::size_t end =
            is_quoted ? rest.find('"', 1) : std::min(rest.find_first_of(" \t{};,=\""), rest.size());
        if (end == std::string_view::npos)
            return fail(line, "a quote is not closed");
        const std::string_view word = is_quoted ? rest.substr(1, end - 1) : rest.substr(0, end);
        rest.remove_prefix(is_quoted ? end + 1 : end);
        if (place_ == place::passed_over)
            continue;
        if (words_.size() == max_words && place_ == place::elements)
            return fail(words_.front(), "an element has more than 100 words; is a comma missing?");
        if (words_.empty())
            words_line_ = lines_read();
        words_.emplace_back(word);
    }
    if (place_ != place::elements)
        end_statement();
    return true;
}

bool nft_reader::take_mark(std::string_view line, char mark) {
    if (mark == '{')
        return open_block(line);
    if (mark == '}')
        return close_block(line);
    if (place_ == place::elements)
        return mark == ',' ? add_element() : refuse(line, "expected a comma after the element");
    if (mark == ';')
        end_statement();
    return true;
}

bool nft_reader::open_block(std::string_view line) {
    const std::vector<std::string> words = std::exchange(words_, {});
    switch (place_) {
    case place::top:
        if (words.size() == 3 && words[0] == "table") {
            table_ = words[1] + " " + words[2];
            place_ = place::table;
            return true;
        }
        if (words.size() > 1 && words[1] == "element")
            return fail(line, "commands that add elements are not supported; use the output of nft list set");
        break;
    case place::table:
        if (words.size() == 2 && (words[0] == "set" || words[0] == "map")) {
            set_ = words[1];
            type_.clear();
            family_.reset();
            place_ = place::set;
            return true;
        }
        break;
    case place::set:
        if (words.size() != 1 || words[0] != "elements")
            break;
        if (type_.empty())
            return fail(line, "the elements of a set before its type");
        if (!family_)
            break;
        place_ = place::elements;
        return true;
    case place::elements:
        return fail(line, "a brace within the elements of a set");
    case place::passed_over:
        ++passed_depth_;
        return true;
    }
    around_ = std::exchange(place_, place::passed_over);
    passed_depth_ = 1;
    return true;
}

bool nft_reader::close_block(std::string_view line) {
    switch (place_) {
    case place::top:
        return fail(line, "unexpected closing brace");
    case place::table:
        end_statement();
        place_ = place::top;
        return true;
    case place::set:
        end_statement();
        if (family_)
            ++sets_;
        else
            others().add_other("the set " + set_ + " (" + type_ + ")");
        place_ = place::table;
        return true;
    case place::elements:
        place_ = place::set;
        return words_.empty() || add_element();
    case place::passed_over:
        if (--passed_depth_ == 0)
            place_ = around_;
        return true;
    }
    return true;
}

// Only the statement with the type of the set is used.
void nft_reader::end_statement() {
    if (place_ == place::set && words_.size() > 1 && (words_[0] == "type" || words_[0] == "typeof")) {
        const std::string type = joined(words_, 1);
        type_ = type.substr(0, type.find(" : "));
        family_ = family_of_keys(type_);
    }
    words_.clear();
}

// Adds an element: its key, further words, and in a map `:` and the data.
bool nft_reader::add_element() {
    const std::vector<std::string> words = std::exchange(words_, {});
    if (words.empty())
        return refuse(",", "no element before the comma");
    const auto colon = std::find(words.begin(), words.end(), ":");
    const auto comment = std::find(words.begin(), colon, "comment");
    const std::string data =
        colon == words.end() ? set_ : joined(words, static_cast<std::size_t>(colon - words.begin()) + 1);
    const bool is_ipv4 = family_ == family::ipv4;
    const std::string_view where = words[0] != "*" ? std::string_view(words[0])
                                   : is_ipv4       ? "0.0.0.0/0"
                                                   : "::/0";
    if (detect_family(where) != family_)
        return refuse_at(words_line_, where,
                         is_ipv4 ? "not an IPv4 address or prefix, which the type of the set requires"
                                 : "not an IPv6 address or prefix, which the type of the set requires");
    const std::array<std::string_view, 4> cells{
        data, set_, table_,
        comment == colon || comment + 1 == colon ? std::string_view() : std::string_view(comment[1])};
    return check_at(words_line_, table().add(where, cells));
}

bool nft_reader::take_end() {
    if (place_ != place::top)
        return fail({}, "the text ends within a block; is it truncated?");
    if (sets_ == 0)
        return fail({}, others().empty() ? "no set or map of addresses"
                                         : "no set or map of addresses; left out: " + others().words());
    return true;
}

namespace {

// Matches `table inet filter {`. A file may begin with a command that empties the rules.
bool is_nft(std::string_view line) {
    line = trimmed(line.substr(0, line.find('#')));
    if (line == "flush ruleset")
        return true;
    return line.starts_with("table ") && line.ends_with('{') &&
           std::count(line.begin(), line.end(), ' ') == 3;
}

} // namespace

extern const format_entry nft_format;
constinit const format_entry nft_format{
    .name = "nft",
    .summary = "output of `nft list set` and `nft list ruleset`: sets and maps of addresses",
    .has_line = [](const detected_line& at, const table_options&) { return is_nft(at.line); },
    .open = open_reader<nft_reader>};

} // namespace fingerpost::io
