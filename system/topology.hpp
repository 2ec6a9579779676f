// The cores of the machine and what they share: caches, physical cores, memory nodes. Read from the kernel's
// files, so that a test can use a tree of its own.
//
// A core here is what the kernel calls a CPU: with hyper-threads there are several on one physical core.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "fingerpost/base/expected.hpp"

namespace fingerpost::system {

struct core_facts {
    unsigned number = 0;   // the kernel's
    unsigned physical = 0; // of the physical core: the lowest number among its hyper-threads
    unsigned cache = 0;    // of the last-level cache: the lowest number among the cores that share it
    unsigned node = 0;     // of the memory near it

    friend bool operator==(const core_facts&, const core_facts&) = default;
};

// The cores that are online and that this process may use, by number.
struct topology {
    std::vector<core_facts> cores;

    const core_facts* find(unsigned number) const noexcept;
};

// Parses a list in the kernel's form, such as `0-3,8`; nothing if it is invalid. Empty text is an empty list.
std::optional<std::vector<unsigned>> parse_core_list(std::string_view text);

// The reverse, from numbers in order.
std::string to_core_list(const std::vector<unsigned>& cores);

// The cores that the affinity mask of the calling thread allows.
std::vector<unsigned> allowed_cores();

// `root` is /sys/devices/system/cpu or a tree like it. If the files say nothing about hyper-threads, there
// are none; if they say nothing about caches, the cores of one package count as sharing theirs. A file that
// exists and cannot be understood is an error with its path, and so is a machine without an allowed core.
expected<topology, std::string> read_topology(const std::string& root, const std::vector<unsigned>& allowed);

// The memory node of a PCI device; nothing if the kernel does not know it. `root` is /sys/bus/pci/devices or
// a tree like it.
std::optional<unsigned> node_of_device(const std::string& root, const std::string& address);

inline constexpr const char* kernel_devices = "/sys/bus/pci/devices";
inline constexpr const char* kernel_cores = "/sys/devices/system/cpu";

} // namespace fingerpost::system
