// What texts of the configuration file may be: names of devices, interfaces, addresses. Each function returns
// what is wrong, or nothing.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace fingerpost::router {

// What an interface of the kernel may be called: 1 to 15 letters, digits and `._-`.
std::string check_interface_name(const std::string& text);

// A PCI address with its domain, or a virtual device of DPDK; arguments may follow after a comma.
std::string check_device(const std::string& text);

// What is left of a device without its arguments, so that two ports with one device are found.
std::string bare_device(std::string_view device);

std::string check_address(const std::string& text);
// `ADDRESS:PORT`, `[ADDRESS]:PORT` for IPv6, or nothing.
std::string check_endpoint(const std::string& text);
bool is_loopback(std::string_view address);

// A name that stands for a file in /run/netns.
std::string check_namespace(const std::string& text);
// What useradd accepts.
std::string check_account(const std::string& text);
std::string check_scheme(const std::string& text, std::span<const std::string> schemes);
std::string check_routes(const std::string& text);

} // namespace fingerpost::router
