// Checks of texts in the configuration file: names of devices and interfaces, addresses. Each function
// returns the reason why a text is invalid, or an empty text.
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

// IFNAMSIZ of the kernel without the final zero.
inline constexpr std::size_t longest_interface = 15;

// Names that the kernel accepts for interfaces: 1 to 15 letters, digits and `._-`.
std::string check_interface_name(const std::string& text);

// A PCI address with its domain, or a virtual DPDK device. Arguments may follow after a comma.
std::string check_device(const std::string& text);

// The arguments of a device, `NAME=VALUE` each, in order. A value may be missing.
std::vector<std::pair<std::string, std::string>> arguments_of(std::string_view device);
// The number in an argument of the device, or `otherwise` if it is missing or not a number.
unsigned number_argument(std::string_view device, std::string_view name, unsigned otherwise);

// Like check_device(), for a member of a bonding device, which cannot itself be one. The error is the reason.
expected<std::string, std::string> parse_member(const std::string& text);

// The device without its arguments, to find two ports with the same device.
std::string bare_device(std::string_view device);

// Parses `ADDRESS/LENGTH`, followed by `@VLAN` for an address on a VLAN. Accepts only addresses that an
// interface can have. The error is the reason.
expected<port_address, std::string> parse_port_address(const std::string& text);

// Splits `TEXT@VLAN`: returns TEXT and sets `vlan`, or sets it to 0 without an @. The error is the reason.
expected<std::string_view, std::string> take_vlan(std::string_view text, unsigned& vlan);

// The kernel interface that a virtual device receives from, according to its arguments; empty if there is
// none.
std::string interface_below(const port_config& port);

// Accepts `ADDRESS:PORT`, `[ADDRESS]:PORT` for IPv6, and the empty text.
std::string check_endpoint(const std::string& text);

// Accepts the name of a file in /run/netns, or a path.
std::string check_namespace(const std::string& text);
// Accepts the names that useradd accepts.
std::string check_account(const std::string& text);
std::string check_scheme(const std::string& text, std::span<const std::string> schemes);

} // namespace fingerpost::router
