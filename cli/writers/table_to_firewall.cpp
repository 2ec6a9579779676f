// Rules of both programs for names, and their syntax for ranges.
#include "cli/writers/table_to_firewall.hpp"

#include <algorithm>
#include <array>
#include <fmt/format.h>

#include "cli/writers/address_sets.hpp"
#include "fingerpost/net/range.hpp"
#include "fingerpost/net/text.hpp"

namespace fingerpost::cli {
namespace {

// IPSET_MAXNAMELEN without the terminating zero. nftables allows longer names since Linux 4.14.
constexpr std::size_t most_ipset_name = 31;
constexpr std::size_t most_nft_name = 255;
// Default number of entries of an ipset.
constexpr std::size_t usual_entries = 65'536;

bool is_letter_or_digit(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

const char* ipset_name_fault(std::string_view name) {
    if (name.size() > most_ipset_name)
        return "is longer than the 31 bytes of an ipset name";
    const auto is_wrong = [](char c) {
        return static_cast<unsigned char>(c) <= ' ' || static_cast<unsigned char>(c) >= 0x7f || c == '"' ||
               c == '\\';
    };
    if (name.starts_with('-') || name.starts_with('#') || std::any_of(name.begin(), name.end(), is_wrong))
        return "has characters that ipset names cannot have";
    return nullptr;
}

const char* nft_name_fault(std::string_view name) {
    if (name.size() > most_nft_name)
        return "is longer than the 255 bytes of an nftables name";
    const bool begins_well =
        !name.empty() && (is_letter_or_digit(name[0]) || name[0] == '_') && (name[0] < '0' || name[0] > '9');
    const auto is_right = [](char c) {
        return is_letter_or_digit(c) || c == '_' || c == '-' || c == '.' || c == '/';
    };
    if (!begins_well || !std::all_of(name.begin(), name.end(), is_right))
        return "is not an nftables name: a letter, then letters, digits, _, -, . and /";
    return nullptr;
}

// Visits the fewest prefixes that cover a set. hash:net has no entry for all addresses, so that one is
// halved.
template <class A, class F>
void for_each_prefix(const address_set<A>& set, F&& take) {
    for (const address_range<A>& range : set.ranges)
        for_each_block(range.first, range.last, [&](const prefix<A>& block) {
            if (block.length != 0)
                return take(block);
            const prefix<A> lower = prefix<A>::make(A{}, 1), upper = prefix<A>::make(A::last(), 1);
            take(lower);
            take(upper);
        });
}

template <class A>
void write_ipset(const address_set<A>& set, output& out) {
    std::size_t entries = 0;
    for_each_prefix(set, [&](const prefix<A>&) { ++entries; });
    fmt::format_to(std::back_inserter(out.text()), "create {} hash:net family {} maxelem {}\n", set.name,
                   A::bits == ipv4_address::bits ? "inet" : "inet6", std::max(entries, usual_entries));
    char text[max_prefix_text<A>];
    for_each_prefix(set, [&](const prefix<A>& where) {
        const char* const end = format(where, text);
        out.text()
            .append("add ")
            .append(set.name)
            .append(" ")
            .append(text, static_cast<std::size_t>(end - text))
            .append("\n");
        out.spill();
    });
}

template <class A>
void write_nft_head(const address_set<A>& set, output& out) {
    fmt::format_to(std::back_inserter(out.text()), "\tset {} {{\n\t\ttype {}\n\t\tflags interval\n", set.name,
                   A::bits == ipv4_address::bits ? "ipv4_addr" : "ipv6_addr");
}

template <class A>
void append_range(const address_range<A>& range, std::string& out) {
    const unsigned length = common_length(range.first, range.last);
    const prefix<A> whole = prefix<A>::make(range.first, length);
    if (whole.first() == range.first && whole.last() == range.last)
        out += length == A::bits ? to_string(range.first) : to_string(whole);
    else
        out.append(to_string(range.first)).append("-").append(to_string(range.last));
}

template <class A>
void write_nft(const address_set<A>& set, output& out) {
    write_nft_head(set, out);
    bool is_first = true;
    for (const address_range<A>& range : set.ranges) {
        out.text() += is_first ? "\t\telements = { " : ",\n\t\t\t     ";
        append_range(range, out.text());
        is_first = false;
        out.spill();
    }
    out.text() += is_first ? "\t}\n" : " }\n\t}\n";
}

} // namespace

void table_to_ipset(const io::both_tables& tables, std::string_view name, output& out) {
    const address_sets sets = make_address_sets(tables, name, "ipset", ipset_name_fault);
    for (const auto& set : sets.ipv4)
        write_ipset(set, out);
    for (const auto& set : sets.ipv6)
        write_ipset(set, out);
}

void table_to_nft(const io::both_tables& tables, std::string_view name, std::string_view nft_table,
                  output& out) {
    const address_sets sets = make_address_sets(tables, name, "nft", nft_name_fault);
    const auto for_each_set = [&](auto write) {
        for (const auto& set : sets.ipv4)
            write(set);
        for (const auto& set : sets.ipv6)
            write(set);
    };
    // A set must exist before it can be flushed, and be flushed before it gets its elements.
    out.text().append("table ").append(nft_table).append(" {\n");
    for_each_set([&](const auto& set) {
        write_nft_head(set, out);
        out.text() += "\t}\n";
    });
    out.text() += "}\n";
    for_each_set([&](const auto& set) {
        out.text().append("flush set ").append(nft_table).append(" ").append(set.name).append("\n");
    });
    out.text().append("table ").append(nft_table).append(" {\n");
    for_each_set([&](const auto& set) { write_nft(set, out); });
    out.text() += "}\n";
}

const char* nft_table_fault(std::string_view text) {
    constexpr std::array<std::string_view, 6> families{"inet", "ip", "ip6", "arp", "bridge", "netdev"};
    const std::size_t blank = text.find(' ');
    const bool is_family =
        std::find(families.begin(), families.end(), text.substr(0, blank)) != families.end();
    if (blank == std::string_view::npos || !is_family || nft_name_fault(text.substr(blank + 1)) != nullptr)
        return "is not an nftables table: a family and a name, such as 'inet filter'";
    return nullptr;
}

} // namespace fingerpost::cli
