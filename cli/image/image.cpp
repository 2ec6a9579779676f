// `fingerpost image`: tables as files that programs map.
#include "cli/image/image_commands.hpp"
#include "terminal/exit_code.hpp"

namespace fingerpost::cli {

command image_command() {
    command made{.name = "image", .summary = "save a table in a form that opens instantly"};
    made.commands = {image_save_command(), image_show_command(), image_verify_command()};
    made.examples = {{"fingerpost image save -t table.txt table.image", "Save a table"},
                     {"fingerpost image show table.image", "Show what an image contains"},
                     {"fingerpost image verify *.image", "Check images"}};
    return made;
}

} // namespace fingerpost::cli
