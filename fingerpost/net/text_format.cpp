// Printers for text.hpp. They use tables and have no branches on digits.
#include "fingerpost/net/text.hpp"

#include <array>
#include <bit>
#include <cstring>
#include <string>

namespace fingerpost {
namespace {

using std::uint8_t;

// An octet as text, padded to three bytes. `size` is the number of bytes in use.
struct octet_text {
    char digits[3];
    uint8_t size;
};
constexpr std::array<octet_text, 256> make_octet_texts() {
    std::array<octet_text, 256> texts{};
    for (unsigned i = 0; i < 256; ++i) {
        const char d[3] = {static_cast<char>('0' + i / 100), static_cast<char>('0' + i / 10 % 10),
                           static_cast<char>('0' + i % 10)};
        const unsigned skipped = i < 10 ? 2 : i < 100 ? 1 : 0;
        texts[i].size = static_cast<uint8_t>(3 - skipped);
        for (unsigned j = 0; j < 3; ++j)
            texts[i].digits[j] = j + skipped < 3 ? d[j + skipped] : '0';
    }
    return texts;
}
constexpr std::array<octet_text, 256> octet_texts = make_octet_texts();

char* put_decimal(char* out, unsigned octet) {
    const octet_text& t = octet_texts[octet];
    std::memcpy(out, t.digits, sizeof t.digits);
    return out + t.size;
}

char* put_group(char* out, unsigned group) {
    constexpr char digits[] = "0123456789abcdef";
    const unsigned used = (static_cast<unsigned>(std::bit_width(group | 1U)) + 3) / 4;
    const unsigned left = group << (16 - 4 * used);
    const char text[4] = {digits[left >> 12 & 15], digits[left >> 8 & 15], digits[left >> 4 & 15],
                          digits[left & 15]};
    std::memcpy(out, text, sizeof text);
    return out + used;
}

// First of the longest runs of at least two zero groups, or {8, 0} if there is none.
struct zero_run {
    uint8_t first = 8;
    uint8_t size = 0;
};

// Indexed by the set of zero groups. Bit i is set if group i is zero.
constexpr std::array<zero_run, 256> make_zero_runs() {
    std::array<zero_run, 256> runs{};
    for (unsigned zeros = 0; zeros < 256; ++zeros) {
        uint8_t size = 0;
        for (unsigned i = 0; i < 8; ++i) {
            size = (zeros >> i & 1) != 0 ? static_cast<uint8_t>(size + 1) : uint8_t{0};
            if (size >= 2 && size > runs[zeros].size)
                runs[zeros] = {static_cast<uint8_t>(i + 1 - size), size};
        }
    }
    return runs;
}
constexpr std::array<zero_run, 256> zero_runs = make_zero_runs();

template <class A>
char* put_prefix(prefix<A> p, char* out) {
    out = format(p.base, out);
    *out++ = '/';
    // A length fits in a byte and is written like an octet.
    return put_decimal(out, p.length);
}

template <class A>
constexpr std::size_t most_bytes(A) {
    return max_address_text<A>;
}
template <class A>
constexpr std::size_t most_bytes(prefix<A>) {
    return max_prefix_text<A>;
}

template <class T>
std::string string_of(const T& value) {
    char text[most_bytes(T{})];
    return {text, format(value, text)};
}
template <class A>
std::string string_of(const route<A>& value) {
    const next_hop hop = value.hop;
    return to_string(value.where) + ' ' + (hop == next_hop::none ? "none" : std::to_string(hop.id));
}
template <class... Types>
std::string string_of(const std::variant<Types...>& value) {
    return std::visit([](const auto& item) { return to_string(item); }, value);
}

} // namespace

char* format(ipv4_address a, char* out) noexcept {
    out = put_decimal(out, a.value >> 24);
    *out++ = '.';
    out = put_decimal(out, a.value >> 16 & 255);
    *out++ = '.';
    out = put_decimal(out, a.value >> 8 & 255);
    *out++ = '.';
    return put_decimal(out, a.value & 255);
}

char* format(ipv6_address a, char* out) noexcept {
    unsigned group[8];
    unsigned zeros = 0;
    for (unsigned i = 0; i < 8; ++i) {
        group[i] = static_cast<unsigned>(slice(a, 16 * i, 16));
        zeros |= static_cast<unsigned>(group[i] == 0) << i;
    }
    const zero_run gap = zero_runs[zeros];
    const bool dotted = gap.first == 0 && (gap.size == 6 || (gap.size == 5 && group[5] == 0xffff));
    const unsigned groups_shown = dotted ? 6 : 8;
    for (unsigned i = 0; i < groups_shown; ++i) {
        if (i == gap.first) {
            *out++ = ':';
            *out++ = ':';
            i += gap.size - 1U;
            continue;
        }
        if (i != 0 && i != unsigned{gap.first} + gap.size)
            *out++ = ':';
        out = put_group(out, group[i]);
    }
    if (!dotted)
        return out;
    if (gap.size == 5)
        *out++ = ':';
    return format(unmapped(a), out);
}

char* format(ipv4_prefix p, char* out) noexcept {
    return put_prefix(p, out);
}
char* format(ipv6_prefix p, char* out) noexcept {
    return put_prefix(p, out);
}

template <written T>
std::string to_string(const T& value) {
    return string_of(value);
}

template std::string to_string(const ipv4_address&);
template std::string to_string(const ipv6_address&);
template std::string to_string(const any_address&);
template std::string to_string(const ipv4_prefix&);
template std::string to_string(const ipv6_prefix&);
template std::string to_string(const any_prefix&);
template std::string to_string(const route<ipv4_address>&);
template std::string to_string(const route<ipv6_address>&);
template std::string to_string(const any_route&);

} // namespace fingerpost
