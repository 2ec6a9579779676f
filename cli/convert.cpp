// `fingerpost convert`: a file in one format as a file in another.
#include <algorithm>
#include <array>
#include <memory>
#include <string>

#include "cli/commands.hpp"
#include "cli/console.hpp"
#include "cli/convert_formats.hpp"
#include "cli/failure.hpp"
#include "cli/options.hpp"

namespace fingerpost::cli {
namespace {

struct convert_options {
    std::string path;
    const conversion* what = &conversions().front();
    std::string out = "-";
};

int run(const convert_options& options) {
    output out(options.out);
    return options.what->run(options.path, out);
}

} // namespace

std::span<const conversion> conversions() {
    static constexpr std::array all{
        conversion{"csv", "type,time,peer,peer_as,prefix,next_hop,origin_as, a row for each prefix",
                   mrt_to_csv},
    };
    return all;
}

command convert_command() {
    auto options = std::make_shared<convert_options>();
    command made{.name = "convert", .summary = "write what a recorded MRT file says as rows"};
    std::vector<std::pair<std::string, const conversion*>> formats;
    made.more = "Formats:\n";
    for (const conversion& one : conversions()) {
        formats.emplace_back(one.to, &one);
        made.more += "  " + std::string(one.to) + "  " + std::string(one.words) + "\n";
    }
    add_choice<const conversion*>(made, "--format", options->what, std::move(formats), "of the output");
    add_file(made, "--output", options->out, "where to; - is stdout").letter = 'o';
    made.rest = {.name = "FILE",
                 .help = "an MRT file: a table or updates, also gz, bz2, xz or zst; - is stdin",
                 .least = 1,
                 .most = 1,
                 .take = [options](const std::string& path) {
                     options->path = path;
                     return std::string();
                 }};
    made.examples = {{"fingerpost convert --format csv rib.mrt", "every route of every peer"},
                     {"zcat updates.gz | fingerpost convert - | grep ^W", "what was withdrawn"}};
    made.run = [options] { return run(*options); };
    return made;
}

} // namespace fingerpost::cli
