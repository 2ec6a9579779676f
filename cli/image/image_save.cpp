// `fingerpost image save`: saves a table with its values as an image.
#include <fmt/format.h>
#include <memory>
#include <string>

#include "cli/image/image_commands.hpp"
#include "fingerpost/image/any_image.hpp"
#include "io/format/parts/printable.hpp"
#include "terminal/exit_code.hpp"
#include "terminal/failure.hpp"
#include "terminal/table/choices.hpp"
#include "terminal/table/table_choice.hpp"

namespace fingerpost::cli {
namespace {

struct save_options {
    table_choice table;
    std::string scheme; // empty: the default
    std::string path;
};

template <class A>
void expect_saveable(const std::string& scheme) {
    if (!scheme_named<A>(scheme).saveable)
        throw usage_error(fmt::format("--scheme: {} cannot be saved", scheme));
}

template <class A>
image_error save(const io::loaded_table<A>& table, const save_options& options) {
    expect_saveable<A>(options.scheme);
    return image<A>::save(options.path, routes<A>(table.routes), table.values.view(), options.scheme);
}

image_error save(const io::both_tables& tables, const save_options& options) {
    const auto& ipv4 = tables.ipv4;
    const auto& ipv6 = tables.ipv6;
    if (!ipv4.routes.empty() && !ipv6.routes.empty()) {
        expect_saveable<ipv4_address>(options.scheme);
        expect_saveable<ipv6_address>(options.scheme);
        return save_both_images(options.path, routes(ipv4.routes), ipv4.values.view(), routes(ipv6.routes),
                                ipv6.values.view(), options.scheme);
    }
    if (!ipv4.routes.empty() || options.table.family == 4)
        return save(ipv4, options);
    return save(ipv6, options);
}

int run(const save_options& options) {
    const image_error failed = save(load_both(options.table), options);
    if (failed.failed())
        throw failure(fmt::format("{}: {}", io::printable(options.path), to_string(failed)));
    return exit_code::ok;
}

} // namespace

command image_save_command() {
    auto options = std::make_shared<save_options>();
    command result{.name = "image save", .summary = "write a table and its index to an image, atomically"};
    add_table_options(result, options->table);
    add_scheme(result, options->scheme, "Scheme whose data structure is saved");
    result.rest = {.name = "IMAGE",
                   .help =
                       "Image file to write. An existing one is replaced; programs that have it open keep "
                       "using the old one",
                   .least = 1,
                   .most = 1,
                   .take = [options](const std::string& path) {
                       options->path = path;
                       return std::string();
                   }};
    result.examples = {{"fingerpost image save -t table.txt table.image", "Save a table"},
                       {"fingerpost image save -t table.txt --family 6 ipv6.image", "Save one family"},
                       {"fingerpost image save -t table.txt --scheme poptrie table.image", "Save a Poptrie"}};
    result.run = [options] { return run(*options); };
    return result;
}

} // namespace fingerpost::cli
