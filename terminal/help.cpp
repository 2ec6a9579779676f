// Two columns if there is room for them, otherwise terms with their words below.
#include "terminal/help.hpp"

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <fmt/format.h>
#include <memory>
#include <sys/ioctl.h>
#include <unistd.h>

#include "terminal/console.hpp"
#include "terminal/exit_code.hpp"
#include "terminal/options.hpp"

namespace fingerpost::cli {
namespace {

constexpr number_range sensible_width{40, 1000};
// Wider lines are hard to read.
constexpr std::size_t widest_text = 120;
constexpr std::size_t widest_term = 26;
constexpr std::size_t column = widest_term + 4;

std::string entry(const std::string& term, std::string_view words, std::size_t width) {
    const std::size_t indent = width >= 2 * column ? column : 6;
    std::string line = "  " + term;
    if (term.size() + 4 <= indent)
        line.resize(indent, ' ');
    else
        line += '\n' + std::string(indent, ' ');
    return line + wrapped(words, indent, width) + '\n';
}

std::string term_of(const option& one) {
    const std::string letter = one.letter != '\0' ? std::string{'-', one.letter, ',', ' '} : "";
    return letter + one.name + (one.value.empty() ? "" : " " + one.value);
}

std::string words_of(const option& one) {
    std::string words = one.help;
    if (one.is_required)
        words += one.otherwise ? " (required unless a default is set)" : " (required)";
    else if (!one.preset.empty() && !one.value.empty())
        words += fmt::format(" (default: {})", one.preset);
    return words;
}

// What help calls words that are values of an option: TABLE for --table.
std::string word_of(const option& one) {
    std::string word = one.name.substr(2);
    std::transform(word.begin(), word.end(), word.begin(),
                   [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
    return word;
}

std::string usage(const command& one, std::size_t width) {
    std::string line = std::string("Usage: ") + program_name + (one.name.empty() ? "" : " " + one.name);
    const option* const words = one.option_of_words();
    for (const option& o : one.options)
        if (o.is_required && &o != words)
            line += fmt::format(" {} {}", o.name, o.value);
    line += one.commands.empty() ? " [OPTION ...]" : " COMMAND ...";
    if (one.rest.most != 0)
        line += (one.rest.least == 0 ? " [" : " ") + one.rest.name + (one.rest.most > 1 ? " ..." : "") +
                (one.rest.least == 0 ? "]" : "");
    if (words != nullptr)
        line += (words->is_required ? " " : " [") + word_of(*words) + (words->may_repeat ? " ..." : "") +
                (words->is_required ? "" : "]");
    return wrapped(line, 7, width) + '\n';
}

// Lines of `  name  words` are entries; all others stay as they are.
std::string further(const std::string& text, std::size_t width) {
    std::string out;
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t end = std::min(text.find('\n', at), text.size());
        const std::string line = text.substr(at, end - at);
        const std::size_t gap = line.find("  ", 2);
        if (line.starts_with("  ") && gap != std::string::npos)
            out += entry(line.substr(2, gap - 2),
                         std::string_view(line).substr(line.find_first_not_of(' ', gap)), width);
        else
            out += wrapped(line, 0, width) + '\n';
        at = end + 1;
    }
    return out;
}

} // namespace

std::string help_text(const command& one, std::size_t width) {
    width = std::min(width, widest_text);
    std::string out = wrapped(one.summary, 0, width) + '\n' + usage(one, width);
    if (one.rest.most != 0)
        out += "\nArguments:\n" + entry(one.rest.name, one.rest.help, width);
    if (const option* const words = one.option_of_words())
        out += "\nArguments:\n" +
               entry(word_of(*words), fmt::format("as {} {}", words->name, words->value), width);
    out += "\nOptions:\n" + entry("-h, --help", "print this help", width);
    for (const option& o : one.options)
        out += entry(term_of(o), words_of(o), width);
    if (!one.commands.empty())
        out += "\nCommands:\n";
    for (const command& inner : one.commands)
        out += entry(inner.own_name(), inner.summary, width);
    if (!one.more.empty())
        out += '\n' + further(one.more, width);
    if (!one.examples.empty())
        out += "\nExamples:\n";
    for (const example& e : one.examples)
        out += fmt::format("  {}\n      {}\n", e.line, wrapped(e.words, 6, width));
    return out;
}

std::string wrapped(std::string_view words, std::size_t indent, std::size_t width) {
    std::string out;
    std::size_t used = indent;
    while (!words.empty()) {
        const std::size_t size = std::min(words.find(' '), words.size());
        const bool first = out.empty();
        if (!first && used + 1 + size > width) {
            out += '\n' + std::string(indent, ' ');
            used = indent;
        } else if (!first) {
            out += ' ';
            ++used;
        }
        out += words.substr(0, size);
        used += size;
        words.remove_prefix(std::min(size + 1, words.size()));
    }
    return out;
}

std::size_t shown_width() {
    winsize size{};
    if (::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col != 0)
        return std::max<std::size_t>(size.ws_col, sensible_width.least);
    const char* const said = std::getenv("COLUMNS");
    std::uint64_t columns = 0;
    if (said != nullptr)
        (void)read_number(said, sensible_width, columns);
    return columns;
}

std::size_t help_width() {
    const std::size_t shown = shown_width();
    return shown == 0 ? 80 : shown;
}

command help_command(const command& program) {
    auto name = std::make_shared<std::vector<std::string>>();
    command made{.name = "help", .summary = "print the help of a command"};
    made.rest = {.name = "COMMAND",
                 .help = "which one; without any, the program's own help",
                 .most = 2,
                 .take = [name](const std::string& word) {
                     name->push_back(word);
                     return std::string();
                 }};
    for (const command& one : program.commands)
        made.rest.choices.push_back(one.name);
    made.examples = {{"fingerpost help lookup", "as fingerpost lookup --help"},
                     {"fingerpost help bench update", "of a command below another"}};
    made.run = [name, &program] {
        output out;
        out.write(help_text(find_command(program, *name), help_width()));
        out.finish();
        return exit_code::ok;
    };
    return made;
}

} // namespace fingerpost::cli
