// Writes two columns if the terminal is wide enough; otherwise texts are below their terms.
#include "terminal/help.hpp"

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <fmt/format.h>
#include <memory>
#include <sys/ioctl.h>
#include <unistd.h>
#include <utility>

#include "terminal/console.hpp"
#include "terminal/exit_code.hpp"
#include "terminal/options.hpp"

namespace fingerpost::cli {
namespace {

constexpr number_range sensible_width{40, 1000};
// Wider lines are hard to read.
constexpr std::size_t max_text_width = 120;
constexpr std::size_t max_term_width = 24;
constexpr std::size_t column = max_term_width + 4;

std::string entry(const std::string& term, std::string_view text, std::size_t width) {
    const std::size_t indent = width >= 2 * column ? column : 6;
    std::string line = "  " + term;
    if (term.size() + 4 <= indent)
        line.resize(indent, ' ');
    else
        line += '\n' + std::string(indent, ' ');
    return line + wrapped(text, indent, width) + '\n';
}

std::string term_of(const option& target) {
    const std::string letter = target.letter != '\0' ? std::string{'-', target.letter, ',', ' '} : "";
    return letter + target.name + (target.value.empty() ? "" : " " + target.value);
}

std::string text_of(const option& target) {
    std::string text = target.help;
    if (target.is_required)
        text += target.otherwise ? "" : " (required)";
    else if (!target.preset.empty() && !target.value.empty())
        text += fmt::format(" (default: {})", target.preset);
    return text;
}

// Summaries are parts of lists, where they begin with a lower-case letter.
std::string sentence(std::string text) {
    if (!text.empty())
        text[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(text[0])));
    return text.ends_with('.') ? text : text + '.';
}

// Returns the name in help for words that are values of an option: TABLE for --table.
std::string word_of(const option& target) {
    std::string word = target.name.substr(2);
    std::transform(word.begin(), word.end(), word.begin(),
                   [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
    return word;
}

std::string usage(const command& target, std::size_t width) {
    std::string line = std::string("Usage: ") + program_name + (target.name.empty() ? "" : " " + target.name);
    const option* const words = target.option_of_words();
    for (const option& o : target.options)
        if (o.is_required && &o != words)
            line += fmt::format(" {} {}", o.name, o.value);
    line += target.commands.empty() ? " [OPTION ...]" : " COMMAND ...";
    if (target.rest.most != 0)
        line += (target.rest.least == 0 ? " [" : " ") + target.rest.name +
                (target.rest.most > 1 ? " ..." : "") + (target.rest.least == 0 ? "]" : "");
    if (words != nullptr)
        line += (words->is_required ? " " : " [") + word_of(*words) + (words->may_repeat ? " ..." : "") +
                (words->is_required ? "" : "]");
    return wrapped(line, 7, width) + '\n';
}

// Returns the names of options that a topic describes.
std::string options_of_topic(const command& target, std::size_t width) {
    std::string topic, names;
    for (const option& o : target.options)
        if (!o.topic.empty()) {
            topic = o.topic;
            names += (names.empty() ? "" : ", ") + o.name;
        }
    const std::string text = fmt::format("In `fingerpost help {0}`: {1}", topic, names);
    return names.empty() ? "" : '\n' + wrapped(text, 2, width) + '\n';
}

// Writes the commands, with the name of each group next to its first command.
std::string grouped_commands(const command& target, std::size_t width) {
    std::string out = "\n";
    std::string_view group;
    for (const command& inner : target.commands) {
        out += fmt::format("{:<9}{:<12}", group == inner.group ? "" : inner.group, inner.own_name());
        out += wrapped(inner.summary, 21, width) + '\n';
        group = inner.group;
    }
    return out;
}

std::string all_options(const command& target, std::size_t width) {
    std::string out = "\nOptions:\n";
    if (target.run || !target.commands.empty())
        out += entry("-h, --help", "Print this help", width);
    for (const option& o : target.options)
        if (o.topic.empty() || !target.run)
            out += entry(term_of(o), text_of(o), width);
    return target.run ? out + options_of_topic(target, width) : out;
}

// Formats lines of `  name  words` as entries, and keeps all others.
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

std::string help_text(const command& target, std::size_t width) {
    width = std::min(width, max_text_width);
    const bool is_topic = !target.run && target.commands.empty();
    const bool has_groups = !target.commands.empty() && !target.commands.front().group.empty();
    std::string out =
        wrapped(sentence(target.summary), 0, width) + '\n' + (is_topic ? "" : usage(target, width));
    if (target.rest.most != 0)
        out += "\nArguments:\n" + entry(target.rest.name, target.rest.help, width);
    if (const option* const words = is_topic ? nullptr : target.option_of_words())
        out += "\nArguments:\n" +
               entry(word_of(*words), fmt::format("Same as {} {}", words->name, words->value), width);
    if (has_groups)
        out += grouped_commands(target, width);
    else if (!is_topic || !target.options.empty())
        out += all_options(target, width);
    if (!target.commands.empty() && !has_groups)
        out += "\nCommands:\n";
    for (const command& inner : target.commands)
        out += has_groups ? "" : entry(inner.own_name(), inner.summary, width);
    if (!target.more.empty())
        out += '\n' + further(target.more, width);
    if (!target.examples.empty())
        out += "\nExamples:\n";
    for (const example& e : target.examples)
        out += fmt::format("  {}\n      {}\n", e.line, wrapped(e.words, 6, width));
    return out;
}

std::string wrapped(std::string_view text, std::size_t indent, std::size_t width) {
    std::string out;
    std::size_t used = indent;
    while (!text.empty()) {
        const std::size_t size = std::min(text.find(' '), text.size());
        const bool first = out.empty();
        if (!first && used + 1 + size > width) {
            out += '\n' + std::string(indent, ' ');
            used = indent;
        } else if (!first) {
            out += ' ';
            ++used;
        }
        out += text.substr(0, size);
        used += size;
        text.remove_prefix(std::min(size + 1, text.size()));
    }
    return out;
}

std::size_t shown_width() {
    winsize size{};
    if (::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col != 0)
        return std::max<std::size_t>(size.ws_col, sensible_width.least);
    const char* const value = std::getenv("COLUMNS");
    std::uint64_t columns = 0;
    if (value != nullptr)
        (void)read_number(value, sensible_width, columns);
    return columns;
}

std::size_t help_width() {
    const std::size_t shown = shown_width();
    return shown == 0 ? 80 : shown;
}

namespace {

// The command or the topic with this name, or the topic that describes the word. Throws usage_error.
const command& find_page(const command& program, const std::vector<command>& topics,
                         const std::vector<std::string>& name) {
    if (name.size() != 1)
        return find_command(program, name);
    const auto has_name = [&](const command& page) { return page.name == name.front(); };
    auto topic = std::find_if(topics.begin(), topics.end(), has_name);
    if (topic == topics.end() && std::none_of(program.commands.begin(), program.commands.end(), has_name))
        topic = std::find_if(topics.begin(), topics.end(), [&](const command& page) {
            const auto& words = page.rest.choices;
            return std::find(words.begin(), words.end(), name.front()) != words.end();
        });
    return topic != topics.end() ? *topic : find_command(program, name);
}

} // namespace

command help_command(const command& program, std::vector<command> topics) {
    auto name = std::make_shared<std::vector<std::string>>();
    command result{.name = "help", .summary = "describe a command or a topic"};
    result.rest = {.name = "COMMAND|TOPIC",
                   .help = "Command to describe (default: all)",
                   .most = 3,
                   .take = [name](const std::string& word) {
                       name->push_back(word);
                       return std::string();
                   }};
    for (const command& entry : program.commands)
        result.rest.choices.push_back(entry.name);
    result.more = "Topics:\n";
    for (const command& entry : topics) {
        result.rest.choices.push_back(entry.name);
        result.more += fmt::format("  {}  {}\n", entry.name, entry.summary);
    }
    result.examples = {{"fingerpost help lookup", "Print the help of fingerpost lookup"},
                       {"fingerpost help image save", "Describe a subcommand"},
                       {"fingerpost help tables", "Describe a topic"}};
    result.run = [name, &program, topics = std::move(topics)] {
        output out;
        out.write(help_text(find_page(program, topics, *name), help_width()));
        out.finish();
        return exit_code::ok;
    };
    return result;
}

} // namespace fingerpost::cli
