// Reads the commands `create` and `add`, and adds the entries when all are known.
#include "io/format/ipset/ipset.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

#include "fingerpost/net/range.hpp"
#include "fingerpost/net/text.hpp"
#include "io/format/parts/format_entry.hpp"
#include "io/format/parts/words.hpp"

namespace fingerpost::io {
namespace {

constexpr std::array<std::string_view, 2> ipset_columns{"set", "comment"};
constexpr std::size_t usual_ipset_columns = 1;

// Takes a word, or a text in quotes, which has no quotes inside. Returns an empty word at the end.
std::string_view take_ipset_word(std::string_view& rest) {
    skip_blanks(rest);
    const bool is_quoted = rest.starts_with('"');
    if (is_quoted)
        rest.remove_prefix(1);
    const std::size_t size = std::min(rest.find_first_of(is_quoted ? "\"" : " \t"), rest.size());
    const std::string_view word = rest.substr(0, size);
    rest.remove_prefix(std::min(size + 1, rest.size()));
    return word;
}

std::string_view take_command(std::string_view& rest) {
    std::string_view word;
    do
        word = take_ipset_word(rest);
    while (word == "-exist" || word == "-!");
    return word;
}

bool is_create(std::string_view word) {
    return word == "create" || word == "-N" || word == "n";
}
bool is_add(std::string_view word) {
    return word == "add" || word == "-A";
}

bool is_read_type(std::string_view type) {
    return type == "hash:net" || type == "hash:ip" || type == "bitmap:ip";
}

// Returns the number in the text if it is at most `limit`.
std::optional<unsigned> length_of(std::string_view text, unsigned limit) {
    unsigned length = 0;
    const auto read = std::from_chars(text.data(), text.data() + text.size(), length);
    if (read.ec != std::errc() || read.ptr != text.data() + text.size() || length > limit)
        return std::nullopt;
    return length;
}

} // namespace

ipset_reader::ipset_reader(std::string file, const table_options& options)
    : fixed_reader(std::move(file), options, "output of ipset save", {ipset_columns, usual_ipset_columns}) {
    report_format("output of ipset save");
}

ipset_reader::named_set* ipset_reader::find(std::string_view name) {
    const auto match =
        std::find_if(sets_.begin(), sets_.end(), [&](const named_set& set) { return set.name == name; });
    return match == sets_.end() ? nullptr : &*match;
}

bool ipset_reader::take_line(std::string_view line) {
    std::string_view rest = trimmed(line);
    if (rest.empty() || rest.starts_with('#') || rest == "COMMIT")
        return true;
    const std::string_view command = take_command(rest);
    if (is_create(command))
        return create(line, rest);
    if (is_add(command))
        return add_entry(line, rest);
    // `flush` is accepted for a set that is still empty.
    if (command == "flush") {
        const named_set* const set = find(take_command(rest));
        if (set != nullptr && set->entries == 0)
            return true;
    }
    return refuse(line, "not a line of ipset save, which has the commands create and add");
}

bool ipset_reader::create(std::string_view line, std::string_view rest) {
    const std::string_view name = take_command(rest);
    const std::string_view type = take_command(rest);
    if (name.empty() || type.empty())
        return refuse(line, "create without the name and the type of a set");
    if (find(name) != nullptr)
        return refuse(line, "the set " + quoted(name) + " is created twice");
    named_set set{std::string(name), family::ipv4, type == "hash:net", 0, {}, 0, {}, {}};
    if (!is_read_type(type))
        set.other_type = type;
    std::string_view netmask;
    for (std::string_view key = take_command(rest); !key.empty(); key = take_command(rest)) {
        if (key == "family")
            set.kind = take_command(rest) == "inet6" ? family::ipv6 : family::ipv4;
        else if (key == "netmask")
            netmask = take_command(rest);
        else if (key == "bitmask" && set.other_type.empty())
            set.other_type = std::string(type) + " with a bitmask";
    }
    const unsigned address_bits = set.kind == family::ipv4 ? ipv4_address::bits : ipv6_address::bits;
    const auto length = netmask.empty() ? address_bits : length_of(netmask, address_bits);
    if (!length)
        return refuse(line, "netmask is not followed by a prefix length");
    set.netmask = *length;
    sets_.push_back(std::move(set));
    return true;
}

bool ipset_reader::add_entry(std::string_view line, std::string_view rest) {
    const std::string_view name = take_command(rest);
    named_set* const set = find(name);
    if (set == nullptr)
        return refuse(line, "the set " + quoted(name) + " is not created above this line");
    if (!set->other_type.empty()) {
        ++set->entries;
        return true;
    }
    const std::string_view text = take_command(rest);
    bool is_exception = false;
    std::string comment;
    for (std::string_view key = take_command(rest); !key.empty(); key = take_command(rest)) {
        if (key == "nomatch")
            is_exception = true;
        else if (key == "comment")
            comment = take_ipset_word(rest);
    }
    if (is_exception && !set->holds_nets)
        return refuse(line, "only sets of the type hash:net have exceptions (nomatch)");
    return set->kind == family::ipv4
               ? add_as<ipv4_address>(line, *set, text, is_exception, std::move(comment))
               : add_as<ipv6_address>(line, *set, text, is_exception, std::move(comment));
}

template <class A>
bool ipset_reader::add_as(std::string_view line, named_set& set, std::string_view text, bool is_exception,
                          std::string comment) {
    auto& entries = [&]() -> auto& {
        if constexpr (A::bits == ipv4_address::bits)
            return set.ipv4;
        else
            return set.ipv6;
    }();
    const auto keep = [&](const prefix<A>& where, bool masked) {
        entries.push_back({where, is_exception, masked, comment, lines_read()});
    };
    ++set.entries;
    A first, last;
    if (const std::size_t dash = text.find('-'); dash != std::string_view::npos) {
        const auto low = parse_address<A>(text.substr(0, dash)),
                   high = parse_address<A>(text.substr(dash + 1));
        if (!low || !high)
            return refuse(text.empty() ? line : text,
                          "the ends of the range are not addresses of the set's family");
        if (*high < *low)
            return refuse(text, "the range ends before it begins");
        first = *low;
        last = *high;
    } else {
        auto where = parse_prefix<A>(text, host_bits::refuse);
        const bool masks = !where && where.error().reason == text_fault::host_bits &&
                           table().options().policy == host_bits::mask;
        if (masks)
            where = parse_prefix<A>(text);
        if (!where)
            return refuse(text.empty() ? line : text, message(where.error()));
        if (set.holds_nets) {
            keep(*where, masks);
            return true;
        }
        first = where->first();
        last = where->last();
    }
    // Entries are cut to the length of the set.
    first = prefix<A>::make(first, set.netmask).first();
    last = prefix<A>::make(last, set.netmask).last();
    for_each_block(first, last, [&](const prefix<A>& block) { keep(block, false); });
    return true;
}

template <class A>
bool ipset_reader::add_nets(const named_set& set, std::vector<set_entry<A>> entries) {
    bool goes_on = true;
    cut_exceptions<A>(entries, [&](const set_entry<A>& entry, const prefix<A>& block) {
        const std::array<std::string_view, 2> cells{set.name, entry.comment};
        goes_on = goes_on && check_at(entry.line, table().add(block, cells, entry.masked));
    });
    return goes_on;
}

bool ipset_reader::take_end() {
    for (named_set& set : sets_) {
        if (!set.other_type.empty())
            others().add_other("the set " + set.name + " (" + set.other_type + ")", set.entries);
        else if (!add_nets(set, std::move(set.ipv4)) || !add_nets(set, std::move(set.ipv6)))
            return false;
    }
    const bool has_addresses =
        std::any_of(sets_.begin(), sets_.end(), [](const named_set& set) { return set.other_type.empty(); });
    return sets_.empty() || has_addresses ||
           fail({}, "no set of addresses or networks; left out: " + others().words());
}

namespace {

bool is_ipset(std::string_view line) {
    const std::string_view command = take_command(line);
    if (!is_create(command) && !is_add(command))
        return false;
    (void)take_command(line);
    const std::string_view third = take_command(line);
    return is_add(command) ? !third.empty() : third.find(':') != std::string_view::npos;
}

} // namespace

extern const format_entry ipset_format;
constinit const format_entry ipset_format{
    .name = "ipset",
    .summary = "output of `ipset save`: sets of types hash:net, hash:ip and bitmap:ip",
    .has_line = [](const detected_line& at, const table_options&) { return is_ipset(at.line); },
    .open = open_reader<ipset_reader>};

} // namespace fingerpost::io
