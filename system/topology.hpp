// The cores of the machine and the resources that they share: caches, physical cores, memory nodes. They are
// read from the kernel's files; tests can use another tree.
//
// A core here is a CPU of the kernel. With hyper-threading, a physical core has several.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "fingerpost/base/expected.hpp"

namespace fingerpost::system {

struct core_facts {
    unsigned number = 0;   // number in the kernel
    unsigned physical = 0; // lowest number among the hyper-threads of the physical core
    unsigned cache = 0;    // lowest number among the cores that share the last-level cache
    unsigned node = 0;     // memory node of the core

    friend bool operator==(const core_facts&, const core_facts&) = default;
};

// The online cores that this process may use, by number.
struct topology {
    std::vector<core_facts> cores;

    const core_facts* find(unsigned number) const noexcept;
};

// Parses a list in the kernel's form, such as `0-3,8`. Returns nothing if it is invalid. An empty text is an
// empty list.
std::optional<std::vector<unsigned>> parse_core_list(std::string_view text);

// Writes such a list. The cores must be sorted.
std::string to_core_list(const std::vector<unsigned>& cores);

// Returns the cores in the affinity mask of the calling thread.
std::vector<unsigned> allowed_cores();

// `root` is /sys/devices/system/cpu or a tree like it. Without files about hyper-threads, there are none;
// without files about caches, the cores of a package are assumed to share one. A file that cannot be parsed
// is an error with its path. So is a machine without an allowed core.
expected<topology, std::string> read_topology(const std::string& root, const std::vector<unsigned>& allowed);

// Returns the memory node of a PCI device, or nothing if the kernel does not report one. `root` is
// /sys/bus/pci/devices or a tree like it.
std::optional<unsigned> node_of_device(const std::string& root, const std::string& address);

inline constexpr const char* kernel_devices = "/sys/bus/pci/devices";
inline constexpr const char* kernel_cores = "/sys/devices/system/cpu";

} // namespace fingerpost::system
