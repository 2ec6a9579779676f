// `fingerpost lab report`: renders evaluation results as one HTML page. Finds the Python package that does
// the work, and executes it.
#include <array>
#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <fmt/format.h>
#include <memory>
#include <string>
#include <system_error>
#include <unistd.h>
#include <vector>

#include "system/system_failure.hpp"
#include "terminal/exit_code.hpp"
#include "terminal/failure.hpp"
#include "terminal/options.hpp"

namespace fingerpost::cli {
namespace {

namespace fs = std::filesystem;

struct report_settings {
    std::string out;
    std::vector<std::string> results;
};

// The package and the Python interpreter that runs it.
struct found_package {
    fs::path folder; // a folder named `evaluation`
    std::string python = "python3";
};

// `-m` would search the current folder first, which may contain another `evaluation`.
constexpr const char* start_code = R"(
import runpy, sys
if sys.version_info < (3, 11):
    sys.exit("fingerpost: report: Python 3.11 or later is needed, and this is %d.%d" % sys.version_info[:2])
sys.path[0] = sys.argv.pop(1)
runpy.run_module("evaluation", run_name="__main__", alter_sys=True)
)";

bool is_package(const fs::path& folder) {
    std::error_code ignored;
    return fs::is_regular_file(folder / "__main__.py", ignored);
}

found_package find_package() {
    if (const char* const path = std::getenv("FINGERPOST_EVALUATION"); path != nullptr && *path != '\0') {
        const fs::path folder = fs::path(path).lexically_normal();
        const fs::path named = folder.has_filename() ? folder : folder.parent_path();
        if (named.filename() != "evaluation" || !is_package(named))
            throw usage_error(
                fmt::format("FINGERPOST_EVALUATION={} is not a folder `evaluation` with the package "
                            "that draws reports",
                            path));
        return {.folder = fs::absolute(named)};
    }
    // The program is in the build folder of a source tree, or in the bin folder of an installation.
    std::error_code ignored;
    for (fs::path at = fs::read_symlink("/proc/self/exe", ignored).parent_path(); at.has_relative_path();
         at = at.parent_path()) {
        if (is_package(at / "lab/evaluation")) {
            found_package package{.folder = at / "lab/evaluation"};
            const fs::path own = at / "build/python-report/bin/python"; // created by tools/python_env
            if (access(own.c_str(), X_OK) == 0)
                package.python = own;
            return package;
        }
        if (is_package(at / "share/fingerpost/evaluation"))
            return {.folder = at / "share/fingerpost/evaluation"};
    }
    throw usage_error("report: the Python package that draws reports was not found: install it in "
                      "share/fingerpost/evaluation, or set FINGERPOST_EVALUATION to its folder");
}

[[noreturn]] void become(const report_settings& settings) {
    const found_package package = find_package();
    std::vector<std::string> words = {package.python, "-B", "-c", start_code, package.folder.parent_path(),
                                      "report"};
    if (!settings.out.empty())
        words.push_back("--output=" + settings.out);
    words.emplace_back("--");
    words.insert(words.end(), settings.results.begin(), settings.results.end());
    std::vector<char*> pointers;
    for (std::string& word : words)
        pointers.push_back(word.data());
    pointers.push_back(nullptr);
    execvp(pointers[0], pointers.data());
    if (errno == ENOENT)
        throw usage_error("report: python3 was not found: install Python 3.11 or later and its package "
                          "vl-convert-python (pip "
                          "install vl-convert-python)");
    throw failure(system::system_failure(package.python, errno).reason);
}

} // namespace

command report_command() {
    auto settings = std::make_shared<report_settings>();
    command result{.name = "lab report", .summary = "turn the results of `make evaluate` into an HTML page"};
    add_output(result, settings->out, "Page to write (default: report.html next to the results)");
    add_arguments(result, "RESULTS", settings->results,
                  "Results folder or results.json; up to three are compared side by side", {1, 3});
    result.more =
        "Needs:\n  python3  3.11 or later, with vl-convert-python (pip install vl-convert-python)\n";
    result.examples = {
        {"fingerpost lab report build/evaluation -o report.html", "Show what was measured"},
        {"fingerpost lab report here.json there.json -o both.html", "Compare two machines or two versions"}};
    result.run = [settings]() -> int { become(*settings); };
    return result;
}

} // namespace fingerpost::cli
