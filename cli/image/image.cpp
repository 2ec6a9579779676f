// `fingerpost image`: tables as files that programs map.
#include "cli/image/image_commands.hpp"
#include "terminal/exit_code.hpp"

namespace fingerpost::cli {

command image_command() {
    command made{.name = "image", .summary = "save a table as a file that programs map and look up in"};
    made.commands = {image_save_command(), image_show_command(), image_verify_command()};
    made.examples = {{"fingerpost image save -t table.txt table.image", "in milliseconds it is open again"},
                     {"fingerpost image show table.image", "its family, routes, columns and sections"},
                     {"fingerpost image verify *.image", "all checks that opening makes"}};
    return made;
}

} // namespace fingerpost::cli
