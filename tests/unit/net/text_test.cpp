// The text form of addresses and prefixes, compared with inet_pton and inet_ntop, and the columns of errors.
#include "fingerpost/net/text.hpp"

#include <arpa/inet.h>
#include <array>
#include <cstring>
#include <gtest/gtest.h>
#include <iomanip>
#include <random>
#include <sstream>
#include <string>
#include <vector>

#include "fingerpost/net/literals.hpp"
#include "tests/support/cases.hpp"

namespace fingerpost::of_text {
namespace {

constexpr int system_family(ipv4_address) {
    return AF_INET;
}
constexpr int system_family(ipv6_address) {
    return AF_INET6;
}

template <class A>
using network_bytes = std::array<unsigned char, sizeof(A)>;

template <class A>
A from_network(const network_bytes<A>& bytes) {
    A a{};
    for (const unsigned char byte : bytes)
        a.value = static_cast<typename A::value_type>(a.value << 8 | byte);
    return a;
}

template <class A>
network_bytes<A> to_network(A a) {
    network_bytes<A> bytes{};
    for (std::size_t i = 0; i < bytes.size(); ++i)
        bytes[i] = static_cast<unsigned char>(slice(a, static_cast<unsigned>(8 * i), 8));
    return bytes;
}

// How the C library reads a text without zero bytes.
template <class A>
std::optional<A> system_parse(const std::string& text) {
    network_bytes<A> bytes{};
    if (inet_pton(system_family(A{}), text.c_str(), bytes.data()) != 1)
        return std::nullopt;
    return from_network<A>(bytes);
}

template <class A>
std::string system_format(A a) {
    char text[INET6_ADDRSTRLEN] = "";
    const auto bytes = to_network(a);
    inet_ntop(system_family(a), bytes.data(), text, sizeof text);
    return text;
}

// Compares both parsers. Returns whether they accept the text, so that tests can count both cases.
template <class A>
bool agrees_with_system(const std::string& text) {
    const auto ours = parse_address<A>(text);
    const auto theirs = system_parse<A>(text);
    EXPECT_EQ(ours.has_value(), theirs.has_value()) << "'" << text << "'";
    if (!ours || !theirs)
        return false;
    EXPECT_EQ(*ours, *theirs) << "'" << text << "'";
    return true;
}

template <class A>
class written : public ::testing::Test {};
using families = ::testing::Types<ipv4_address, ipv6_address>;
TYPED_TEST_SUITE(written, families);

// Addresses in which zero bytes, runs of zero groups and mapped forms are as frequent as others.
template <class A>
A random_address(std::mt19937_64& random) {
    u128 value = (u128{random()} << 64) | random();
    for (unsigned i = 0; i < 8; ++i) {
        const u128 group = u128{0xffff} << (16 * i);
        const auto kind = random() % 8;
        if (kind < 3)
            value &= ~group;
        if (kind == 3)
            value &= ~group | (u128{0xf} << (16 * i));
        if (kind == 4)
            value &= ~group | (u128{0xff} << (16 * i));
    }
    if (random() % 16 == 0)
        value = (value & 0xffff'ffff) | (u128{0xffff} << 32);
    if (random() % 32 == 0)
        value &= 0xffff'ffff;
    return {static_cast<typename A::value_type>(value)};
}

TYPED_TEST(written, PrintsLikeInetNtopAndComesBack) {
    std::mt19937_64 random(1);
    for (int i = 0; i < 200'000; ++i) {
        const auto a = random_address<TypeParam>(random);
        const std::string text = to_string(a);
        ASSERT_EQ(text, system_format(a));
        ASSERT_LE(text.size(), max_address_text<TypeParam>);
        const auto back = parse_address<TypeParam>(text);
        ASSERT_TRUE(back) << text;
        ASSERT_EQ(*back, a);
    }
}

TYPED_TEST(written, EverySetOfZeroGroupsPrintsLikeInetNtop) {
    for (unsigned zeros = 0; zeros < 256; ++zeros) {
        for (const unsigned filler : {1U, 0xffffU, 0xabU}) {
            u128 value = 0;
            for (unsigned i = 0; i < 8; ++i)
                value = value << 16 | ((zeros >> i & 1) != 0 ? 0U : filler);
            const TypeParam a{static_cast<typename TypeParam::value_type>(value)};
            ASSERT_EQ(to_string(a), system_format(a));
        }
    }
}

TYPED_TEST(written, MutatedTextsAreJudgedLikeInetPton) {
    constexpr std::string_view alphabet = "0123456789abcdefABCDEF:.:.:.g/ %[]x-+\t\n\x01\xff";
    std::mt19937_64 random(2);
    int accepted = 0;
    int refused = 0;
    for (int i = 0; i < 400'000; ++i) {
        std::string text = to_string(random_address<TypeParam>(random));
        for (auto edits = random() % 4; edits > 0; --edits) {
            const auto at = random() % (text.size() + 1);
            const char c = alphabet[random() % alphabet.size()];
            if (random() % 3 == 0)
                text.insert(at, 1, c);
            else if (at < text.size() && random() % 2 == 0)
                text.erase(at, 1 + random() % 3);
            else if (at < text.size())
                text[at] = c;
        }
        (agrees_with_system<TypeParam>(text) ? accepted : refused) += 1;
    }
    EXPECT_GT(accepted, 100'000);
    EXPECT_GT(refused, 100'000);
}

// All texts of these few characters, up to a length that keeps the test short.
TYPED_TEST(written, AllShortTextsAreJudgedLikeInetPton) {
    constexpr std::string_view alphabet = ":.019f";
    int accepted = 0;
    for (std::size_t length = 0; length <= 7; ++length) {
        std::vector<std::size_t> digit(length, 0);
        for (bool more = true; more;) {
            std::string text;
            for (const auto d : digit)
                text += alphabet[d];
            accepted += agrees_with_system<TypeParam>(text) ? 1 : 0;
            std::size_t i = 0;
            while (i < length && ++digit[i] == alphabet.size())
                digit[i++] = 0;
            more = i < length;
        }
    }
    EXPECT_GT(accepted, TypeParam::bits == 32 ? 80 : 1000);
}

TEST(text, EdgeCasesAreJudgedLikeInetPton) {
    const std::string all =
        "|0.0.0.0|255.255.255.255|256.1.1.1|1.2.3|1.2.3.|1.2.3.4.|.1.2.3|1..2.3|01.2.3.4|00.0.0.0|"
        "0.0.0.00|1.2.3.4.5| 1.2.3.4|1.2.3.4 |1.2.3.4\n|0x1.2.3.4|1.2.3.0004|1e1.2.3.4|"
        "4294967296.1.1.1|::|:|:::|::1|1::|1::2::3|1:::2|::1:|:1::|:1:2:3:4:5:6:7:8|"
        "1:2:3:4:5:6:7:8|1:2:3:4:5:6:7:8:|1:2:3:4:5:6:7:8:9|1:2:3:4:5:6:7|1:2:3:4:5:6:7::|"
        "::2:3:4:5:6:7:8|1:2:3:4:5:6:7:8::|::1:2:3:4:5:6:7:8|1::2:3:4:5:6:7:8|1:2:3:4::5:6:7:8|"
        "12345::|01234::|0001::|00001::|::ffff:1.2.3.4|::FFFF:1.2.3.4|::1.2.3.4|1.2.3.4::|"
        "::1.2.3.4:5|1:2:3:4:5:6:1.2.3.4|1:2:3:4:5:6:7:1.2.3.4|1:2:3:4:5::1.2.3.4|"
        "1:2:3:4:5:6::1.2.3.4|::1.2.3|::1.2.3.256|::01.2.3.4|::1.2.3.4.|::.1.2.3|::a.2.3.4|"
        "::1234.2.3.4|fe80::1%eth0|[::1]|::g|::-1|::1/64|1.2.3.4/8|ABCD:EF01::|abcd:ef01::|"
        "::ffff:0:0|::1 | ::1|";
    for (const std::string& text : testing::split(all, '|')) {
        agrees_with_system<ipv4_address>(text);
        agrees_with_system<ipv6_address>(text);
    }
    EXPECT_FALSE(parse_address<ipv4_address>(std::string_view("1.2.3.4\0", 8)));
    EXPECT_FALSE(parse_address<ipv6_address>(std::string_view("::1\0", 4)));
}

TEST(text, PrintsWellKnownForms) {
    const auto canonical = [](std::string_view text) {
        return to_string(*parse_address<ipv6_address>(text));
    };
    EXPECT_EQ(canonical("2001:0DB8:0:0:0:0:0:1"), "2001:db8::1");
    EXPECT_EQ(canonical("2001:db8:0:1:1:1:1:1"), "2001:db8:0:1:1:1:1:1");
    EXPECT_EQ(canonical("2001:0:0:1:0:0:0:1"), "2001:0:0:1::1");
    EXPECT_EQ(canonical("2001:db8:0:0:1:0:0:1"), "2001:db8::1:0:0:1");
    EXPECT_EQ(canonical("0:0:0:0:0:0:0:0"), "::");
    EXPECT_EQ(canonical("::ffff:102:304"), "::ffff:1.2.3.4");
    EXPECT_EQ(canonical("ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff"),
              "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff");
    EXPECT_EQ(to_string(ipv4_prefix::make({0x0a000000}, 8)), "10.0.0.0/8");
    EXPECT_EQ(to_string(ipv6_prefix{}), "::/0");
}

TYPED_TEST(written, NothingPastTheStatedSizeIsWritten) {
    using A = TypeParam;
    std::mt19937_64 random(3);
    for (int i = 0; i < 20'000; ++i) {
        const auto p = prefix<A>::make(i == 0 ? A::last() : random_address<A>(random),
                                       i == 0 ? A::bits : static_cast<unsigned>(random() % (A::bits + 1)));
        std::string text(max_prefix_text<A> + 8, '\x7f');
        const char* const end = format(p, text.data());
        ASSERT_LE(end, text.data() + max_prefix_text<A>);
        ASSERT_EQ(text.substr(max_prefix_text<A>), std::string(8, '\x7f'));
        text.assign(text.size(), '\x7f');
        format(p.base, text.data());
        ASSERT_EQ(text.substr(max_address_text<A>),
                  std::string(max_prefix_text<A> + 8 - max_address_text<A>, '\x7f'));
    }
}

TYPED_TEST(written, PrefixesComeBack) {
    using A = TypeParam;
    std::mt19937_64 random(4);
    for (int i = 0; i < 50'000; ++i) {
        const auto p =
            prefix<A>::make(random_address<A>(random), static_cast<unsigned>(random() % (A::bits + 1)));
        const auto back = parse_prefix<A>(to_string(p), host_bits::refuse);
        ASSERT_TRUE(back) << to_string(p);
        ASSERT_EQ(*back, p);
    }
}

TYPED_TEST(written, ABareAddressIsItsHostPrefix) {
    const TypeParam a = TypeParam::last();
    const auto p = parse_prefix<TypeParam>(to_string(a), host_bits::refuse);
    ASSERT_TRUE(p);
    EXPECT_EQ(p->base, a);
    EXPECT_EQ(p->length, TypeParam::bits);
}

TEST(text, HostBitsAreMaskedOrRefused) {
    const auto masked = parse_prefix<ipv4_address>("10.1.2.3/8");
    ASSERT_TRUE(masked);
    EXPECT_EQ(to_string(*masked), "10.0.0.0/8");
    const auto refused = parse_prefix<ipv4_address>("10.1.2.3/8", host_bits::refuse);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error(), (text_error{.reason = text_fault::host_bits,
                                           .parsed_family = family::ipv4,
                                           .offset = 8,
                                           .suggestion = ipv4_prefix::make({0x0a000000}, 8)}));
    EXPECT_FALSE(parse_prefix<ipv6_address>("::1/0", host_bits::refuse));
    EXPECT_EQ(*parse_prefix<ipv6_address>("::1/0"), ipv6_prefix{});
}

struct refusal {
    std::string_view text;
    text_fault reason;
    std::uint32_t offset;
    std::string_view words;
};

// parse(text) and the parser of this family must refuse each text with this message and column.
template <class Parse>
void expect_refusals(family wanted, Parse parse, std::initializer_list<refusal> all) {
    for (const refusal& r : all) {
        const auto parsed = parse(r.text);
        ASSERT_FALSE(parsed) << r.text;
        EXPECT_EQ(parsed.error().reason, r.reason) << r.text;
        EXPECT_EQ(parsed.error().parsed_family, wanted) << r.text;
        EXPECT_EQ(parsed.error().column(), r.offset + 1) << r.text;
        EXPECT_EQ(message(parsed.error()), r.words);
    }
}

TEST(text, ErrorsOfIpv4PrefixesHaveTheirPlace) {
    expect_refusals(
        family::ipv4, [](std::string_view text) { return parse_prefix<ipv4_address>(text); },
        {{"", text_fault::empty, 0, "there is no address"},
         {"10.0.0", text_fault::ends_early, 6, "the text ends too early"},
         {"10.0.0.", text_fault::ends_early, 7, "the text ends too early"},
         {"10.0.0.x", text_fault::unexpected_character, 7, "unexpected 'x' at column 8"},
         {"10.0.0.1 ", text_fault::unexpected_character, 8, "unexpected blank at column 9"},
         {"10.0.0.1\r", text_fault::unexpected_character, 8, "unexpected byte 0x0d at column 9"},
         {{"10.0.0.1\0", 9}, text_fault::unexpected_character, 8, "unexpected byte 0x00 at column 9"},
         {"10.256.0.1", text_fault::octet_range, 3, "an octet is larger than 255 at column 4"},
         {"10.01.0.1", text_fault::leading_zero, 3, "a number has a leading zero at column 4"},
         {"2001:db8::/32", text_fault::wrong_family, 0, "not an IPv4 address"},
         {"10.0.0.0/", text_fault::ends_early, 9, "the text ends too early"},
         {"10.0.0.0/33", text_fault::length_range, 9, "prefix length 33 is longer than 32"},
         {"10.0.0.0/4294967294", text_fault::length_range, 9, "prefix length 4294967294 is longer than 32"},
         {"10.0.0.0/99999999999999999999999", text_fault::length_range, 9, "prefix length is longer than 32"},
         {"10.0.0.0/08", text_fault::leading_zero, 9, "a number has a leading zero at column 10"},
         {"10.0.0.0/-1", text_fault::unexpected_character, 9, "unexpected '-' at column 10"},
         {"10.0.0.0/8x", text_fault::unexpected_character, 10, "unexpected 'x' at column 11"},
         {"10.0.0.0/255.0.0.0", text_fault::unexpected_character, 12, "unexpected '.' at column 13"}});
}

TEST(text, ErrorsOfIpv6PrefixesHaveTheirPlace) {
    expect_refusals(
        family::ipv6, [](std::string_view text) { return parse_prefix<ipv6_address>(text); },
        {{"2001:db8", text_fault::group_count, 8, "not eight groups, or a superfluous '::'"},
         {"2001:db8:", text_fault::ends_early, 9, "the text ends too early"},
         {"2001:dbg::", text_fault::unexpected_character, 7, "unexpected 'g' at column 8"},
         {"2001::1::", text_fault::second_gap, 7, "'::' twice, again at column 8"},
         {"2001:12345::", text_fault::group_length, 9,
          "a group has more than four hexadecimal digits at column 10"},
         {"1:2:3:4:5:6:7:8:9", text_fault::group_count, 16, "not eight groups, or a superfluous '::'"},
         {"fe80::1%eth0", text_fault::unexpected_character, 7, "unexpected '%' at column 8"},
         {"::ffff:1.2.3.400", text_fault::octet_range, 13, "an octet is larger than 255 at column 14"},
         {"10.0.0.0/8", text_fault::wrong_family, 0, "not an IPv6 address"},
         {"2001:db8::/129", text_fault::length_range, 11, "prefix length 129 is longer than 128"}});
    const auto p = parse_prefix<ipv6_address>("2001:db8::1/32", host_bits::refuse);
    ASSERT_FALSE(p);
    EXPECT_EQ(p.error().suggestion, any_prefix(*parse_prefix<ipv6_address>("2001:db8::/32")));
    EXPECT_EQ(message(p.error()), "bits past the prefix length are set (the prefix is 2001:db8::/32)");
}

// Some programs omit octets. The error suggests the full form.
TEST(text, OctetsThatAreLeftOutAreSuggested) {
    for (const auto& [text, meant] : {std::pair("10/8", "10.0.0.0/8"),
                                      {"10.1/8", "10.0.0.0/8"},
                                      {"172.16/12", "172.16.0.0/12"},
                                      {"192.168.1/24", "192.168.1.0/24"}}) {
        const any_prefix whole = *parse_prefix<ipv4_address>(meant);
        const auto expect = [&](const text_error& error) {
            EXPECT_EQ(error.reason, text_fault::missing_octets) << text;
            EXPECT_EQ(error.suggestion, whole) << text;
            EXPECT_EQ(message(error), "an IPv4 prefix has four octets; write " + std::string(meant));
        };
        expect(parse_prefix(text).error());
        expect(parse_prefix<ipv4_address>(text).error());
        expect(parse_prefix<ipv6_address>(text).error());
        expect(parse_address(text).error());
    }
    for (const char* text : {"10", "10/", "10/33", "10./8", "10.256/8", "10.1.2.3.4/8", "10/8x"})
        EXPECT_NE(parse_prefix(text).error().reason, text_fault::missing_octets) << text;
}

// Values and errors are those of the family that the start of the text suggests.
TYPED_TEST(written, TextsOfEitherFamilyAreReadAsThatFamily) {
    using A = TypeParam;
    std::mt19937_64 random(5);
    for (int i = 0; i < 20'000; ++i) {
        const auto p =
            prefix<A>::make(random_address<A>(random), static_cast<unsigned>(random() % (A::bits + 1)));
        ASSERT_EQ(*parse_address(to_string(p.base)), any_address(p.base));
        std::string text = to_string(p);
        ASSERT_EQ(*parse_prefix(text), any_prefix(p));
        text[text.size() - 1 - random() % 3] = ".:/x9"[random() % 5];
        if (detect_family(text) != family_of<A>)
            continue;
        const auto either = parse_prefix(text, host_bits::refuse);
        const auto one = parse_prefix<A>(text, host_bits::refuse);
        ASSERT_EQ(either.has_value(), one.has_value()) << text;
        if (one) {
            ASSERT_EQ(*either, any_prefix(*one));
        } else {
            ASSERT_EQ(either.error(), one.error()) << text;
        }
    }
}

TEST(text, TextsOfNeitherFamilyAreRefused) {
    const auto parse = [](std::string_view text) { return parse_address(text); };
    expect_refusals(family::ipv6, parse,
                    {{"", text_fault::empty, 0, "there is no address"},
                     {"host", text_fault::unexpected_character, 0, "unexpected 'h' at column 1"},
                     {"12 34", text_fault::unexpected_character, 2, "unexpected blank at column 3"},
                     {"12", text_fault::no_family, 0, "neither an IPv4 nor an IPv6 address"},
                     {"4294967296", text_fault::no_family, 0, "neither an IPv4 nor an IPv6 address"},
                     {"face", text_fault::no_family, 0, "neither an IPv4 nor an IPv6 address"}});
}

template <class T>
void expect_text(const T& value, const std::string& text) {
    EXPECT_EQ(to_string(value), text);
    std::ostringstream out;
    out << std::setw(static_cast<int>(text.size()) + 2) << std::left << std::setfill('.') << value;
    EXPECT_EQ(out.str(), text + "..");
}

TEST(text, EverythingWithATextGoesIntoStrings) {
    expect_text("192.0.2.1"_address, "192.0.2.1");
    expect_text("2001:db8::1"_address, "2001:db8::1");
    expect_text(any_address("2001:db8::1"_address), "2001:db8::1");
    expect_text("10.0.0.0/8"_prefix, "10.0.0.0/8");
    expect_text("2001:db8::/32"_prefix, "2001:db8::/32");
    expect_text(any_prefix("10.0.0.0/8"_prefix), "10.0.0.0/8");
    const route<ipv4_address> four{"10.0.0.0/8"_prefix, {7}};
    const route<ipv6_address> six{"::/0"_prefix, next_hop::none};
    expect_text(four, "10.0.0.0/8 7");
    expect_text(six, "::/0 none");
    expect_text(any_route(six), "::/0 none");
}

// Turns each text into a function that compares a literal with the result of the run-time parser.
template <text_scan::literal Text>
void expect_literal() {
    const auto address = parse_address(Text.text());
    const auto prefix = parse_prefix(Text.text(), host_bits::refuse);
    using A = text_scan::address_of<Text>;
    constexpr auto of_address = text_scan::scan_literal<A, Text>();
    constexpr auto of_prefix = text_scan::scan_literal<fingerpost::prefix<A>, Text>(host_bits::refuse);
    const bool is_address = of_address.fault == text_scan::no_fault;
    const bool is_prefix = of_prefix.fault == text_scan::no_fault;
    ASSERT_EQ(is_address, address.has_value()) << Text.text();
    ASSERT_EQ(is_prefix, prefix.has_value()) << Text.text();
    if (is_address) {
        EXPECT_EQ(any_address(of_address.value), *address);
    }
    if (is_prefix) {
        EXPECT_EQ(any_prefix(of_prefix.value), *prefix);
    } else if (detect_family(Text.text())) {
        EXPECT_EQ(of_prefix.column, prefix.error().column()) << Text.text();
    }
}

template <text_scan::literal... Texts>
void expect_literals() {
    (expect_literal<Texts>(), ...);
}

TEST(text, LiteralsAreReadAsAtRunTime) {
    static_assert(std::is_same_v<decltype("10.0.0.0/8"_prefix), ipv4_prefix>);
    static_assert(std::is_same_v<decltype("::ffff:10.0.0.0/104"_prefix), ipv6_prefix>);
    static_assert("192.0.2.1"_address == ipv4_address{0xc0000201});
    static_assert("2001:db8::"_address.value == u128{0x20010db8} << 96);
    static_assert("192.0.2.1"_prefix.length == 32);
    expect_literals<"", "0.0.0.0", "255.255.255.255", "256.1.1.1", "1.2.3", "1.2.3.", "1..2.3", "01.2.3.4",
                    "1.2.3.4.5", " 1.2.3.4", "1.2.3.4\n", "1.2.3.4\0", "1.2.3.0004", "::", ":", ":::", "::1",
                    "1::", "1::2::3", "1:::2", "::1:", "1:2:3:4:5:6:7:8", "1:2:3:4:5:6:7:8:9",
                    "1:2:3:4:5:6:7", "1:2:3:4:5:6:7::", "::2:3:4:5:6:7:8",
                    "1:2:3:4:5:6:7:8::", "12345::", "01234::", "0001::", "::ffff:1.2.3.4", "::FFFF:1.2.3.4",
                    "1:2:3:4:5:6:7:1.2.3.4", "::1.2.3.256", "fe80::1%eth0", "::g",
                    "ABCD:EF01::", "abcd:ef01::", "::1/64", "::/0", "::/128", "::/129", "2001:db8::/32",
                    "2001:db8::1/32", "2001:db8::/032", "1.2.3.4/8", "1.2.3.4/32", "0.0.0.0/0", "10.0.0.0/8",
                    "10.0.0.0/33", "10.0.0.0/", "10.0.0.0/8x", "10/8", "host">();
}

TEST(text, FamilyIsSeenFromTheStart) {
    EXPECT_EQ(detect_family("1.2.3.4"), family::ipv4);
    EXPECT_EQ(detect_family("255.x"), family::ipv4);
    EXPECT_EQ(detect_family("::1"), family::ipv6);
    EXPECT_EQ(detect_family("::1.2.3.4"), family::ipv6);
    EXPECT_EQ(detect_family("2001:db8::"), family::ipv6);
    EXPECT_EQ(detect_family(""), std::nullopt);
    EXPECT_EQ(detect_family("hello.org"), std::nullopt);
    EXPECT_EQ(detect_family("12"), std::nullopt);
}

TEST(text, MappedAddressesAreTheirIpv4Address) {
    const auto a = *parse_address<ipv6_address>("::ffff:192.0.2.1");
    EXPECT_TRUE(is_ipv4_mapped(a));
    EXPECT_EQ(to_string(unmapped(a)), "192.0.2.1");
    EXPECT_EQ(mapped(unmapped(a)), a);
    EXPECT_FALSE(is_ipv4_mapped(*parse_address<ipv6_address>("::192.0.2.1")));
    EXPECT_FALSE(is_ipv4_mapped(*parse_address<ipv6_address>("1::ffff:192.0.2.1")));
}

} // namespace
} // namespace fingerpost::of_text
