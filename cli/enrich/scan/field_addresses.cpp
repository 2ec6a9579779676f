// Reads lists of addresses, and words for a missing address.
#include "cli/enrich/scan/field_addresses.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "io/format/parts/words.hpp"

namespace fingerpost::cli::enrich {
namespace {

// Used by Zeek, web servers and cloud logs; by MySQL and PostgreSQL; by Zeek for an empty set; by proxies.
constexpr std::array<std::string_view, 6> words_for_none{"-", "\\N", "(empty)", "unknown", "null", "NULL"};

bool is_none(std::string_view text) {
    text = io::trimmed(text);
    return text.empty() ||
           std::find(words_for_none.begin(), words_for_none.end(), text) != words_for_none.end();
}

// Removes blanks, including those that IIS writes as plus signs and CloudFront as %20.
std::string_view without_list_blanks(std::string_view text) {
    text = io::trimmed(text);
    for (;;) {
        if (text.starts_with('+'))
            text.remove_prefix(1);
        else if (text.starts_with("%20"))
            text.remove_prefix(3);
        else
            return text;
    }
}

} // namespace

void address_list::add(std::string_view text, std::string_view shown) {
    if (text.find(',') == std::string_view::npos) {
        if (!is_none(text) && !is_done())
            take(read(text, shown));
        return;
    }
    const bool is_shown = text.data() == shown.data();
    while (!text.empty() && !is_done()) {
        const std::size_t comma = std::min(text.find(','), text.size());
        const std::string_view item = without_list_blanks(text.substr(0, comma));
        text.remove_prefix(std::min(comma + 1, text.size()));
        if (!is_none(item))
            take(read(item, is_shown ? item : shown));
    }
}

void address_list::add_other(std::string_view shown, std::string reason) {
    if (!is_done())
        take({std::nullopt, std::move(reason), shown});
}

address_list::entry address_list::read(std::string_view text, std::string_view shown) {
    const auto parsed = parse_field(text);
    if (!parsed)
        return {std::nullopt, message(parsed.error()), shown};
    return {*parsed, {}, shown};
}

void address_list::take(entry item) {
    ++count_;
    if (which_ == which_address::last)
        last_ = std::move(item);
    else
        put(std::move(item));
}

void address_list::put(entry item) {
    if (item.address)
        return into_.ask(*item.address, item.shown);
    row_.is_bad = true;
    into_.refuse(item.shown, std::move(item.reason), row_.begin);
}

void address_list::finish() {
    if (last_)
        put(std::move(*last_));
    else if (count_ == 0)
        into_.ask_nothing();
}

} // namespace fingerpost::cli::enrich
