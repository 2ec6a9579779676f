// `fingerpost bench`: the commands that measure.
#include "cli/bench_commands.hpp"

#include <algorithm>
#include <fstream>
#include <iterator>

#include "cli/commands.hpp"

namespace fingerpost::cli {

std::string own_command_line() {
    std::ifstream file("/proc/self/cmdline", std::ios::binary);
    std::string words{std::istreambuf_iterator<char>(file), {}};
    while (!words.empty() && words.back() == '\0')
        words.pop_back();
    std::replace(words.begin(), words.end(), '\0', ' ');
    return words;
}

void add_bench(CLI::App& app, int& status) {
    CLI::App* const command = app.add_subcommand("bench", "measure the schemes on this machine");
    command->require_subcommand(1);
    add_bench_lookup(*command, status);
    add_bench_update(*command, status);
}

} // namespace fingerpost::cli
