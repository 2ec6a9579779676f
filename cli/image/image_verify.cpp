// `fingerpost image verify`: makes the checks of opening for each file.
#include <fmt/format.h>
#include <memory>
#include <string>
#include <vector>

#include "cli/image/image_commands.hpp"
#include "fingerpost/image/any_image.hpp"
#include "io/format/parts/printable.hpp"
#include "terminal/console.hpp"
#include "terminal/exit_code.hpp"
#include "terminal/failure.hpp"
#include "terminal/options.hpp"

namespace fingerpost::cli {
namespace {

int run(const std::vector<std::string>& paths) {
    output out;
    bool all_good = true;
    for (const std::string& path : paths) {
        const auto opened = open_both_images(path);
        if (opened) {
            std::string counts;
            const auto add = [&](const auto& image, int number) {
                if (image)
                    counts += fmt::format(", {} IPv{} route{}", image->size(), number,
                                          image->size() == 1 ? "" : "s");
            };
            add(opened->ipv4, 4);
            add(opened->ipv6, 6);
            out.write(fmt::format("{}: OK{}\n", io::printable(path), counts));
            continue;
        }
        all_good = false;
        out.flush();
        report(fmt::format("{}: {}", path, to_string(opened.error())));
    }
    out.finish();
    return all_good ? exit_code::ok : exit_code::failed;
}

} // namespace

command image_verify_command() {
    auto paths = std::make_shared<std::vector<std::string>>();
    command result{.name = "image verify", .summary = "check images for damage"};
    add_arguments(result, "IMAGE", *paths,
                  "Image files. Prints a line for each; exits with 1 if one is damaged", {1});
    result.examples = {{"fingerpost image verify table.image", "Verify checksums and structure"}};
    result.run = [paths] { return run(*paths); };
    return result;
}

} // namespace fingerpost::cli
