// `fingerpost lab bench`: commands for measurements.
#include "bench/command/bench_commands.hpp"

#include <algorithm>
#include <fstream>
#include <iterator>

#include "terminal/exit_code.hpp"

namespace fingerpost::cli {

std::string own_command_line() {
    std::ifstream file("/proc/self/cmdline", std::ios::binary);
    std::string words{std::istreambuf_iterator<char>(file), {}};
    while (!words.empty() && words.back() == '\0')
        words.pop_back();
    std::replace(words.begin(), words.end(), '\0', ' ');
    return words;
}

command bench_command() {
    command group{.name = "lab bench", .summary = "measure schemes on this machine"};
    group.commands = {bench_lookup_command(), bench_update_command()};
    group.examples = {{"fingerpost lab bench lookup -t table.txt", "Measure lookups per second"},
                      {"fingerpost lab bench update -t table.txt", "Measure updates"}};
    return group;
}

} // namespace fingerpost::cli
