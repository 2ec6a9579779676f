// `fingerpost lab`: the commands that measure, verify and draw schemes.
#include "cli/commands.hpp"
#include "terminal/command_line.hpp"

namespace fingerpost::cli {

#define FINGERPOST_DECLARE_COMMAND(name) command name##_command();
FINGERPOST_FOR_EACH_LAB_COMMAND(FINGERPOST_DECLARE_COMMAND)
#undef FINGERPOST_DECLARE_COMMAND

command lab_command() {
    command result{.name = "lab", .summary = "measure, verify and draw schemes"};
#define FINGERPOST_ADD_COMMAND(name) result.commands.push_back(name##_command());
    FINGERPOST_FOR_EACH_LAB_COMMAND(FINGERPOST_ADD_COMMAND)
#undef FINGERPOST_ADD_COMMAND
    result.examples = {
        {"fingerpost lab bench lookup -t table.txt", "Measure the standard schemes on a table"},
        {"fingerpost lab check -t table.txt", "Verify every scheme on a table"}};
    return result;
}

} // namespace fingerpost::cli
