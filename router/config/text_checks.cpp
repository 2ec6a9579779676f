// Checks of texts, with hints for common mistakes.
#include "router/config/text_checks.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cstdint>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "fingerpost/base/near_name.hpp"
#include "fingerpost/net/text.hpp"
#include "router/config/config.hpp"
#include "router/config/keys/address_checks.hpp"
#include "system/http/http_hosts.hpp"

namespace fingerpost::router {
namespace {

// NAME_MAX of common file systems.
constexpr std::size_t longest_file = 255;
constexpr std::size_t longest_account = 32;
constexpr unsigned most_vlan = 4'094;

bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

bool is_word(char c) {
    return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

bool is_hex(char c) {
    return std::isxdigit(static_cast<unsigned char>(c)) != 0;
}

// In `form`, `x` matches a hexadecimal digit and `o` an octal digit. All other characters match themselves.
bool has_form(std::string_view text, std::string_view form) {
    return std::equal(text.begin(), text.end(), form.begin(), form.end(), [](char c, char expected_char) {
        return expected_char == 'x'   ? is_hex(c)
               : expected_char == 'o' ? c >= '0' && c <= '7'
                                      : c == expected_char;
    });
}

bool all_of(std::string_view text, bool (*allowed)(char)) {
    return std::all_of(text.begin(), text.end(), allowed);
}

bool parse_port(std::string_view text, std::uint16_t& port) {
    const auto [stop, fault] = std::from_chars(text.data(), text.data() + text.size(), port);
    return fault == std::errc{} && stop == text.data() + text.size() && port != 0;
}

bool parse_number(std::string_view text, unsigned most, unsigned& number) {
    const auto [stop, fault] = std::from_chars(text.data(), text.data() + text.size(), number);
    return fault == std::errc{} && stop == text.data() + text.size() && number <= most;
}

// The reason why no interface can have this address in a network of this length; empty if one can.
template <class A>
std::string fault_of_host(A address, unsigned length) {
    const A network = prefix<A>::make(address, length).base;
    // Networks of one or two addresses have no broadcast address.
    const bool is_small = length + 1 >= A::bits;
    if (!is_small && address == network)
        return "it is the network's own address";
    if constexpr (A::bits == 32) {
        const std::uint32_t hosts = length == 0 ? ~0U : (1U << (32 - length)) - 1;
        if (!is_small && (address.value & hosts) == hosts)
            return "it is the broadcast address of its network";
        const unsigned first = address.value >> 24;
        if (first == 0 || first == 127 || first >= 224)
            return "a host cannot have this address";
    } else {
        if (address.value <= 1 || address.value >> 120 == 0xff)
            return "a host cannot have this address";
    }
    return "";
}

template <class A>
expected<port_address, std::string> port_address_of(A address, unsigned length) {
    if (length == 0 || length > A::bits)
        return unexpected{fmt::format("its length must be 1 to {}", A::bits)};
    if (std::string fault = fault_of_host(address, length); !fault.empty())
        return unexpected{std::move(fault)};
    return port_address{address, static_cast<std::uint8_t>(length), 0};
}

} // namespace

std::string check_interface_name(const std::string& text) {
    if (text.empty() || text.size() > longest_interface)
        return fmt::format("it has {} characters", text.size());
    if (text == "." || text == ".." ||
        !all_of(text, [](char c) { return is_word(c) || c == '.' || c == '-'; }))
        return "the kernel does not accept this name";
    return {};
}

std::string bare_device(std::string_view device) {
    std::string bare{device.substr(0, device.find(','))};
    std::transform(bare.begin(), bare.end(), bare.begin(),
                   [](char c) { return static_cast<char>(std::tolower(static_cast<unsigned char>(c))); });
    return bare;
}

std::vector<std::pair<std::string, std::string>> arguments_of(std::string_view device) {
    std::vector<std::pair<std::string, std::string>> arguments;
    for (std::size_t comma = device.find(','); comma != std::string_view::npos; comma = device.find(',')) {
        device.remove_prefix(comma + 1);
        const std::string_view argument = device.substr(0, device.find(','));
        const std::size_t sign = std::min(argument.find('='), argument.size());
        arguments.emplace_back(argument.substr(0, sign),
                               argument.substr(std::min(sign + 1, argument.size())));
    }
    return arguments;
}

unsigned number_argument(std::string_view device, std::string_view name, unsigned otherwise) {
    unsigned number = otherwise;
    for (const auto& [key, value] : arguments_of(device))
        if (key == name && !parse_number(value, ~0U, number))
            number = otherwise;
    return number;
}

std::string check_device(const std::string& text) {
    const std::string bare = text.substr(0, text.find(','));
    if (has_form(bare, "xxxx:xx:xx.o"))
        return {};
    if (has_form(bare, "xx:xx.o"))
        return "did you mean 0000:" + bare + "?";
    constexpr std::string_view beginning = "net_";
    if (bare.size() > beginning.size() && bare.starts_with(beginning) && all_of(bare, is_word))
        return {};
    if (check_interface_name(bare).empty() && !bare.starts_with(beginning))
        return fmt::format("for an interface of the kernel write net_af_xdp0,iface={}", bare);
    return "it is neither";
}

expected<std::string, std::string> parse_member(const std::string& text) {
    if (std::string fault = check_device(text); !fault.empty())
        return unexpected{std::move(fault)};
    if (text.starts_with("net_bonding"))
        return unexpected{std::string("a bonding device cannot be a member of another one")};
    return text;
}

expected<std::string_view, std::string> take_vlan(std::string_view text, unsigned& vlan) {
    vlan = 0;
    const std::size_t at = text.find('@');
    if (at == std::string_view::npos)
        return text;
    if (!parse_number(text.substr(at + 1), most_vlan, vlan) || vlan == 0)
        return unexpected{std::string("the VLAN after @ must be 1 to 4094")};
    return text.substr(0, at);
}

expected<port_address, std::string> parse_port_address(const std::string& text) {
    unsigned vlan = 0;
    const auto before = take_vlan(text, vlan);
    if (!before)
        return unexpected{before.error()};
    const std::string_view rest = *before;
    const std::size_t slash = rest.find('/');
    unsigned length = 0;
    if (slash == std::string_view::npos)
        return unexpected{std::string("the length of the network is missing, as in 192.0.2.1/24")};
    if (!parse_number(rest.substr(slash + 1), 128, length))
        return unexpected{std::string("its length must be a number")};
    const auto address = parse_address(rest.substr(0, slash));
    if (!address)
        return unexpected{message(address.error())};
    auto parsed = std::visit([&](auto a) { return port_address_of(a, length); }, *address);
    if (parsed)
        parsed->vlan = vlan;
    return parsed;
}

std::string to_text(const port_address& address) {
    return fmt::format("{}/{}{}", to_string(address.address), address.length,
                       address.vlan == 0 ? "" : fmt::format("@{}", address.vlan));
}

std::string interface_below(const port_config& port) {
    constexpr std::array<std::string_view, 3> takers{"net_af_packet", "net_af_xdp", "net_pcap"};
    const auto takes = [&](std::string_view driver) { return port.device.starts_with(driver); };
    if (std::none_of(takers.begin(), takers.end(), takes))
        return {};
    for (const auto& [name, value] : arguments_of(port.device))
        if (name == "iface" || name == "rx_iface" || name == "rx_iface_in")
            return value;
    return {};
}

endpoint endpoint_of(std::string_view text) {
    endpoint parsed;
    const std::size_t colon = text.rfind(':');
    if (colon == std::string_view::npos || !parse_port(text.substr(colon + 1), parsed.port))
        return {};
    std::string_view address = text.substr(0, colon);
    const bool bracketed = address.starts_with('[') && address.ends_with(']');
    if (bracketed)
        address = address.substr(1, address.size() - 2);
    parsed.address = address;
    const bool valid = bracketed ? parse_address<ipv6_address>(address).has_value()
                                 : parse_address<ipv4_address>(address).has_value();
    return valid ? parsed : endpoint{};
}

std::string check_endpoint(const std::string& text) {
    if (text.empty() || endpoint_of(text).port != 0)
        return {};
    if (check_address(text).empty())
        return "the port is missing";
    return "it is neither";
}

std::string check_namespace(const std::string& text) {
    if (text.starts_with('/') && text.find('\0') == std::string::npos)
        return {};
    if (text.find('/') != std::string::npos)
        return "a path begins with a slash";
    return text.size() > longest_file || text == "." || text == ".." || text.find('\0') != std::string::npos
               ? "this is not a valid file name"
               : "";
}

std::string check_account(const std::string& text) {
    if (text.empty() || (text.size() <= longest_account && !is_digit(text[0]) && text[0] != '-' &&
                         all_of(text, [](char c) { return is_word(c) || c == '-' || c == '.'; })))
        return {};
    return is_digit(text[0]) ? "a number is not a name" : "this is not a valid account name";
}

std::string check_scheme(const std::string& text, std::span<const std::string> schemes) {
    if (text.empty() || std::find(schemes.begin(), schemes.end(), text) != schemes.end())
        return {};
    const std::string near = near_name(text, schemes);
    return near.empty() ? "there is no such scheme" : "did you mean " + near + "?";
}

} // namespace fingerpost::router
