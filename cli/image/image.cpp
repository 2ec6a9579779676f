// `fingerpost image`: tables as files that programs map.
#include "cli/image/image_commands.hpp"
#include "terminal/exit_code.hpp"

namespace fingerpost::cli {

command image_command() {
    command result{.name = "image", .summary = "save a table in a form that opens instantly"};
    result.commands = {image_save_command(), image_show_command(), image_verify_command()};
    result.examples = {{"fingerpost image save -t table.txt table.image", "Save a table"},
                       {"fingerpost image show table.image", "Show what an image contains"},
                       {"fingerpost image verify *.image", "Check images"}};
    return result;
}

} // namespace fingerpost::cli
