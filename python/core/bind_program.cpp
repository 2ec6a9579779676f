// Passes the words of a command line to the program.
#include "python/core/bind_program.hpp"

#include <nanobind/stl/string.h>
#include <string>
#include <vector>

#ifdef FINGERPOST_HAVE_PROGRAM
#include "cli/program.hpp"
#endif

namespace fingerpost::python {
namespace nb = nanobind;

#ifdef FINGERPOST_HAVE_PROGRAM
namespace {

int run_program(const nb::list& words) {
    std::vector<std::string> texts{"fingerpost"};
    for (const nb::handle word : words) {
        const auto bytes = nb::cast<nb::bytes>(word);
        texts.emplace_back(static_cast<const char*>(bytes.data()), bytes.size());
    }
    std::vector<char*> arguments;
    for (std::string& text : texts)
        arguments.push_back(text.data());
    const nb::gil_scoped_release released;
    return cli::run_command_line(static_cast<int>(arguments.size()), arguments.data());
}

} // namespace

void bind_program(nb::module_& to) {
    to.def("run_program", &run_program, nb::arg("words"));
}
#else
void bind_program(nb::module_& to) {
    to.attr("run_program") = nb::none();
}
#endif

} // namespace fingerpost::python
