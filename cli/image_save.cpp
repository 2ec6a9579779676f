// `fingerpost image save`: a table, with its values, as an image.
#include <fmt/format.h>
#include <memory>
#include <string>

#include "cli/commands.hpp"
#include "cli/failure.hpp"
#include "cli/image_commands.hpp"
#include "cli/table_choice.hpp"
#include "fingerpost/image/image.hpp"
#include "io/format/printable.hpp"

namespace fingerpost::cli {
namespace {

struct save_options {
    table_choice table;
    std::string path;
};

template <class A>
void save(const io::loaded_table<A>& table, const std::string& path) {
    if (const image_error failed = image<A>::save(path, routes<A>(table.routes), table.values.view());
        failed.failed())
        throw failure(fmt::format("{}: {}", io::printable(path), to_string(failed)));
}

int run(const save_options& options) {
    const io::both_tables tables = load_both(options.table);
    const bool four = !tables.ipv4.routes.empty() || options.table.family == 4;
    if (four && !tables.ipv6.routes.empty())
        throw usage_error(
            "image save: the table has routes of both families, and an image holds one; save two, "
            "with --family 4 and --family 6");
    if (four)
        save(tables.ipv4, options.path);
    else
        save(tables.ipv6, options.path);
    return exit_code::ok;
}

} // namespace

command image_save_command() {
    auto options = std::make_shared<save_options>();
    command made{.name = "image save",
                 .summary = "write a table and what looks up in it to one file, whole or not at all"};
    add_table_options(made, options->table);
    made.rest = {.name = "IMAGE",
                 .help = "the file; one that is there is replaced, and who has it open keeps the old one",
                 .least = 1,
                 .most = 1,
                 .take = [options](const std::string& path) {
                     options->path = path;
                     return std::string();
                 }};
    made.examples = {{"fingerpost image save -t table.txt table.image", "of a table of one family"},
                     {"fingerpost image save -t both.txt --family 6 ipv6.image", "of one family of two"}};
    made.run = [options] { return run(*options); };
    return made;
}

} // namespace fingerpost::cli
