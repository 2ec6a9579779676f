// Reads one core after the other. For each resource, a file lists the cores that share it; the lowest number
// in the list identifies the resource.
#include "system/topology.hpp"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sched.h>
#include <utility>

namespace fingerpost::system {
namespace {

namespace fs = std::filesystem;

// Far above the kernel's limits; limits the effect of a damaged list.
constexpr unsigned max_cores = 65'536;

// Returns nothing if the file does not exist. The kernel's text ends in a line feed.
std::optional<std::string> read_line(const fs::path& file) {
    std::ifstream in(file);
    if (!in)
        return std::nullopt;
    std::string line;
    std::getline(in, line);
    return line;
}

std::optional<unsigned> parse_number(std::string_view text) {
    unsigned number = 0;
    const auto [stop, fault] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (fault != std::errc{} || stop != text.data() + text.size())
        return std::nullopt;
    return number;
}

// A file that cannot be parsed. Caught within this source.
struct unreadable {
    fs::path file;
};

std::optional<std::vector<unsigned>> read_list(const fs::path& file) {
    const auto line = read_line(file);
    if (!line)
        return std::nullopt;
    auto list = parse_core_list(*line);
    if (!list)
        throw unreadable{file};
    return list;
}

std::optional<unsigned> read_number(const fs::path& file) {
    const auto line = read_line(file);
    if (!line)
        return std::nullopt;
    const auto number = parse_number(*line);
    if (!number)
        throw unreadable{file};
    return number;
}

// Returns the lowest of the cores that share something with this core.
unsigned first_of(const std::optional<std::vector<unsigned>>& sharers, unsigned core) {
    return sharers && !sharers->empty() ? std::min(sharers->front(), core) : core;
}

// Returns the cores that share the cache of the highest level. The kernel numbers caches from index0 on.
std::optional<std::vector<unsigned>> last_level_sharers(const fs::path& core) {
    std::optional<std::vector<unsigned>> sharers;
    unsigned highest = 0;
    for (unsigned index = 0;; ++index) {
        const fs::path cache = core / "cache" / ("index" + std::to_string(index));
        const auto level = read_number(cache / "level");
        if (!level)
            return sharers;
        const auto type = read_line(cache / "type");
        if (*level <= highest || (type && *type == "Instruction"))
            continue;
        if (auto list = read_list(cache / "shared_cpu_list")) {
            highest = *level;
            sharers = std::move(list);
        }
    }
}

// The node is a link in the core's folder: node0, node1.
unsigned node_of(const fs::path& core) {
    std::error_code ignored;
    for (const fs::directory_entry& entry : fs::directory_iterator(core, ignored)) {
        const std::string name = entry.path().filename().string();
        constexpr std::string_view beginning = "node";
        if (name.starts_with(beginning))
            if (const auto number = parse_number(std::string_view(name).substr(beginning.size())))
                return *number;
    }
    return 0;
}

core_facts read_core(const fs::path& root, unsigned number) {
    const fs::path folder = root / ("cpu" + std::to_string(number));
    core_facts facts{.number = number};
    auto siblings = read_list(folder / "topology" / "thread_siblings_list");
    facts.physical = first_of(siblings, number);
    auto sharers = last_level_sharers(folder);
    if (!sharers)
        sharers = read_list(folder / "topology" / "core_siblings_list");
    facts.cache = first_of(sharers, number);
    facts.node = node_of(folder);
    return facts;
}

} // namespace

const core_facts* topology::find(unsigned number) const noexcept {
    const auto match =
        std::find_if(cores.begin(), cores.end(), [=](const core_facts& c) { return c.number == number; });
    return match == cores.end() ? nullptr : &*match;
}

std::optional<std::vector<unsigned>> parse_core_list(std::string_view text) {
    std::vector<unsigned> cores;
    while (!text.empty()) {
        const std::size_t comma = std::min(text.find(','), text.size());
        const std::string_view part = text.substr(0, comma);
        text.remove_prefix(std::min(comma + 1, text.size()));
        const std::size_t dash = std::min(part.find('-'), part.size());
        const auto first = parse_number(part.substr(0, dash));
        const auto last = dash == part.size() ? first : parse_number(part.substr(dash + 1));
        if (!first || !last || *last < *first || *last >= max_cores)
            return std::nullopt;
        for (unsigned core = *first; core <= *last; ++core)
            cores.push_back(core);
    }
    std::sort(cores.begin(), cores.end());
    cores.erase(std::unique(cores.begin(), cores.end()), cores.end());
    return cores;
}

std::string to_core_list(const std::vector<unsigned>& cores) {
    std::string text;
    for (std::size_t i = 0; i < cores.size();) {
        std::size_t end = i + 1;
        while (end < cores.size() && cores[end] == cores[end - 1] + 1)
            ++end;
        text += (text.empty() ? "" : ",") + std::to_string(cores[i]);
        if (end - i > 1)
            text += '-' + std::to_string(cores[end - 1]);
        i = end;
    }
    return text;
}

std::optional<unsigned> node_of_device(const std::string& root, const std::string& address) {
    // The kernel writes -1 if there is only one node, or if the firmware does not report it.
    const auto line = read_line(fs::path(root) / address / "numa_node");
    return line ? parse_number(*line) : std::nullopt;
}

std::vector<unsigned> allowed_cores() {
    // The kernel refuses a mask shorter than its own; then a longer one is tried.
    for (std::size_t count = CPU_SETSIZE; count <= max_cores; count *= 2) {
        std::vector<cpu_set_t> mask(count / CPU_SETSIZE);
        const std::size_t bytes = mask.size() * sizeof(cpu_set_t);
        if (sched_getaffinity(0, bytes, mask.data()) != 0)
            continue;
        std::vector<unsigned> cores;
        for (unsigned core = 0; core < count; ++core)
            if (CPU_ISSET_S(core, bytes, mask.data()))
                cores.push_back(core);
        return cores;
    }
    return {};
}

expected<topology, std::string> read_topology(const std::string& root, const std::vector<unsigned>& allowed) {
    try {
        const auto online = read_list(fs::path(root) / "online");
        if (!online)
            return unexpected{(fs::path(root) / "online").string() + " cannot be read"};
        topology machine;
        for (const unsigned core : *online)
            if (std::find(allowed.begin(), allowed.end(), core) != allowed.end())
                machine.cores.push_back(read_core(root, core));
        if (machine.cores.empty())
            return unexpected{"none of the online cores (" + to_core_list(*online) +
                              ") may be used by this process (" + to_core_list(allowed) + ")"};
        return machine;
    } catch (const unreadable& fault) {
        return unexpected{fault.file.string() + " cannot be parsed"};
    }
}

} // namespace fingerpost::system
