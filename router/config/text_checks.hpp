// Checks of texts of the configuration file: names of devices and interfaces, addresses. Each function
// returns what is wrong, or nothing.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "fingerpost/base/expected.hpp"
#include "router/config/config.hpp"

namespace fingerpost::router {

// IFNAMSIZ of the kernel, without the final zero.
inline constexpr std::size_t longest_interface = 15;

// The allowed names of kernel interfaces: 1 to 15 letters, digits and `._-`.
std::string check_interface_name(const std::string& text);

// A PCI address with its domain, or a virtual device of DPDK; arguments may follow after a comma.
std::string check_device(const std::string& text);

// The arguments of a device, `NAME=VALUE` each, in their order; a value may be missing.
std::vector<std::pair<std::string, std::string>> arguments_of(std::string_view device);
// The number that an argument of the device is, or another one if it is missing or is no number.
unsigned number_argument(std::string_view device, std::string_view name, unsigned otherwise);

// The same for a member of a bonding device, which cannot be one itself; the error says what is wrong.
expected<std::string, std::string> parse_member(const std::string& text);

// The device without its arguments, for finding two ports with the same device.
std::string bare_device(std::string_view device);

// `ADDRESS/LENGTH`, followed by `@VLAN` for an address on a VLAN; the error says what is wrong. Accepts only
// addresses that an interface can have.
expected<port_address, std::string> parse_port_address(const std::string& text);

// For `TEXT@VLAN`: returns TEXT and sets the VLAN; without an @ sets it to 0. The error says what is wrong.
expected<std::string_view, std::string> take_vlan(std::string_view text, unsigned& vlan);

// The kernel's interface whose packets a virtual device takes, according to its arguments; empty if there is
// none.
std::string interface_below(const port_config& port);

// `ADDRESS:PORT`, `[ADDRESS]:PORT` for IPv6, or nothing.
std::string check_endpoint(const std::string& text);

// A name of a file in /run/netns.
std::string check_namespace(const std::string& text);
// The names that useradd accepts.
std::string check_account(const std::string& text);
std::string check_scheme(const std::string& text, std::span<const std::string> schemes);

} // namespace fingerpost::router
