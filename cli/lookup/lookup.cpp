// `fingerpost lookup`: finds the matches of addresses and prefixes from the arguments or standard input.
#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fmt/format.h>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <unistd.h>
#include <utility>
#include <variant>
#include <vector>

#include "cli/answers/address_field.hpp"
#include "cli/answers/answer_rows.hpp"
#include "cli/answers/answers.hpp"
#include "cli/lookup/prefix_queries.hpp"
#include "io/format/parts/printable.hpp"
#include "io/format/parts/words.hpp"
#include "io/source/file.hpp"
#include "terminal/console.hpp"
#include "terminal/exit_code.hpp"
#include "terminal/failure.hpp"
#include "terminal/options.hpp"
#include "terminal/table/bad_rows.hpp"
#include "terminal/table/choices.hpp"
#include "terminal/table/table_choice.hpp"

namespace fingerpost::cli {
namespace {

struct lookup_options {
    table_choice table;
    std::string scheme;
    row_format format = row_format::text;
    match_kind match = match_kind::longest;
    bool keep_invalid = false;
    bool quiet = false;
    std::vector<std::string> addresses; // `-` is standard input
};

// Removes blanks around an address, and a comment. A comment starts with a `#` at the start of a word and
// ends with the line.
std::string_view without_comment(std::string_view line) {
    constexpr std::string_view blanks = " \t";
    // A lone carriage return starts another line, which is not part of the comment.
    if (line.find('\r') != std::string_view::npos)
        return line;
    std::size_t end = line.find('#');
    while (end != std::string_view::npos && end != 0 && blanks.find(line[end - 1]) == std::string_view::npos)
        end = line.find('#', end + 1);
    line = line.substr(0, end);
    line.remove_prefix(std::min(line.find_first_not_of(blanks), line.size()));
    return line.substr(0, line.find_last_not_of(blanks) + 1);
}

// If the argument is not an address but the name of a file, suggests -t; otherwise returns an empty text.
std::string table_advice(const std::string& argument) {
    std::error_code error;
    const bool is_table = !parse_prefix(argument) && std::filesystem::is_regular_file(argument, error);
    return is_table ? fmt::format("; did you mean -t {}?", io::printable(argument)) : "";
}

// Collects queries and answers them in batches.
class answering {
  public:
    answering(io::found_tables tables, const lookup_options& options)
        : keep_invalid_(options.keep_invalid), quiet_(options.quiet), match_(options.match),
          table_(std::move(tables), options.table, options.scheme), asked_(table_),
          prefixes_(table_, options.match), writer_(options.format, options.keep_invalid, names_of(options)) {
        writer_.keep_texts();
        writer_.begin(out_.text());
        if (quiet_)
            out_.text().clear();
    }

    void add(std::string_view text, const std::string& where, std::uint64_t line) {
        if (const auto error = ask(text)) {
            const io::input_error invalid{where, line, std::string(text),
                                          message(*error) + advice(text, line == 0)};
            bad_.add(error->reason, invalid);
            if (keep_invalid_)
                keep(text, message(*error));
        }
        answer_if_full();
    }
    void add_too_long(std::string_view beginning, const std::string& where, std::uint64_t line) {
        const io::input_error invalid{
            where, line, {}, fmt::format("the line has more than {} bytes", io::max_line_bytes)};
        bad_.add_too_long(invalid);
        if (keep_invalid_)
            keep(std::string(beginning.substr(0, shown_of_too_long)) + "...", invalid.reason);
        answer_if_full();
    }

    // Answers the waiting queries and writes the answers.
    void flush() {
        write();
        out_.flush();
    }

    const bad_rows& bad() const noexcept { return bad_; }
    bool has_match() const noexcept { return writer_.matched() != 0; }
    // Whether further queries cannot change the outcome.
    bool is_done() const noexcept { return quiet_ && has_match(); }

  private:
    static constexpr std::size_t shown_of_too_long = 64;

    // A line with more than an address often comes from a log. A file name is often meant as a table.
    static std::string advice(std::string_view text, bool is_argument) {
        if (text.find(' ') != text.npos)
            return "; to look up addresses in log lines, use `fingerpost enrich`";
        return is_argument ? table_advice(std::string(text)) : "";
    }

    // Text output has no names, so names cannot clash.
    answer_names names_of(const lookup_options& options) const {
        if (options.format == row_format::text)
            return {.columns = table_.columns()};
        return name_answers(table_.columns(), options.table.renamings, options.keep_invalid);
    }

    // Addresses wait for a batch. Other queries are answered immediately, after the waiting addresses.
    std::optional<text_error> ask(std::string_view text) {
        if (match_ == match_kind::longest && text.find('/') == std::string_view::npos) {
            write_prefixes();
            return asked_.ask(text);
        }
        asked_.write(writer_, out_.text());
        auto error = prefixes_.ask(text, text);
        if (const auto host = error ? socket_host(text) : std::nullopt)
            error = prefixes_.ask(*host, text);
        return error;
    }
    void keep(std::string_view text, std::string reason) {
        write_prefixes();
        asked_.keep(text, std::move(reason));
    }

    void write_prefixes() {
        if (!prefixes_.is_empty())
            prefixes_.write(writer_, out_.text());
    }
    // Only one of the two has queries.
    void write() {
        write_prefixes();
        asked_.write(writer_, out_.text());
        if (quiet_)
            out_.text().clear();
    }
    void answer_if_full() {
        if (!asked_.is_full() && !prefixes_.is_full())
            return;
        write();
        out_.spill();
    }

    bool keep_invalid_;
    bool quiet_;
    match_kind match_;
    answer_table table_;
    answers asked_;
    prefix_queries prefixes_;
    row_writer writer_;
    output out_;
    bad_rows bad_;
};

// Answers standard input as it arrives. Everything read so far is answered before the next read, so that no
// answer waits for an idle writer of a pipe.
void answer_stdin(answering& rows) {
    auto source = io::file_source::open("-");
    if (!source)
        throw failure(io::message(source.error()));
    if (is_terminal(STDIN_FILENO))
        report("reading addresses from the terminal, one per line; end with Ctrl-D");
    io::line_cutter lines;
    const auto take = [&](std::string_view line, std::uint64_t number) {
        const std::string_view text = without_comment(number == 1 ? io::without_byte_order_mark(line) : line);
        if (!text.empty())
            rows.add(text, source->name(), number);
        return !rows.is_done();
    };
    const auto refuse = [&](std::string_view beginning, std::uint64_t number) {
        rows.add_too_long(beginning, source->name(), number);
        return true;
    };
    while (!rows.is_done()) {
        const auto bytes = source->read();
        if (!bytes) {
            rows.flush();
            throw failure(io::message(bytes.error()));
        }
        if (bytes->empty())
            break;
        lines.feed(*bytes, take, refuse);
        rows.flush();
    }
    lines.finish(take);
    rows.flush();
}

int run(lookup_options options) {
    if (options.addresses.empty())
        options.addresses.emplace_back("-");
    const auto& addresses = options.addresses;
    if (options.table.reads_stdin() && std::find(addresses.begin(), addresses.end(), "-") != addresses.end())
        throw usage_error("lookup: the table and the addresses cannot both come from stdin");
    if (options.format == row_format::text && !options.table.renamings.empty())
        throw usage_error("--rename has no effect with --format text");
    answering rows(find_tables(options.table), options);
    for (std::size_t i = 0; i < addresses.size() && !rows.is_done(); ++i) {
        if (addresses[i] == "-")
            answer_stdin(rows);
        else
            rows.add(addresses[i], fmt::format("argument {}", i + 1), 0);
    }
    rows.flush();
    rows.bad().report_rest();
    if (rows.is_done())
        return exit_code::ok;
    if (rows.bad().count() != 0)
        return exit_code::bad_rows;
    return rows.has_match() ? exit_code::ok : exit_code::no_match;
}

} // namespace

command lookup_command() {
    auto options = std::make_shared<lookup_options>();
    command result{.name = "lookup", .summary = "print the longest prefix that matches each address"};
    add_table_options(result, options->table);
    const auto table = std::find_if(result.options.begin(), result.options.end(),
                                    [](const option& o) { return o.name == "--table"; });
    table->otherwise = [options, use_default = table->otherwise] {
        if (use_default())
            return true;
        for (const std::string& argument : options->addresses)
            if (const std::string advice = table_advice(argument); !advice.empty())
                throw usage_error("lookup: no table" + advice);
        return false;
    };
    add_scheme(result, options->scheme, "Lookup scheme, see `fingerpost schemes`. All give the same answers");
    add_choice<row_format>(
        result, "--format", options->format,
        {{"text", row_format::text}, {"csv", row_format::csv}, {"ndjson", row_format::ndjson}},
        "Output format: aligned columns, CSV, or a JSON object per line");
    add_choice<match_kind>(
        result, "--match", options->match,
        {{"longest", match_kind::longest},
         {"exact", match_kind::exact},
         {"covering", match_kind::covering},
         {"covered", match_kind::covered}},
        "Longest match, identical prefix (exact), all routes that contain the query (covering), or all "
        "inside it (covered)");
    add_flag(result, "--keep-invalid", options->keep_invalid,
             "Print a row with the reason for input that is not an address, too");
    add_rename(result, options->table);
    add_flag(result, "--quiet", options->quiet,
             "Print nothing; exit with 0 at the first match, with 1 if there is none")
        .letter = 'q';
    add_arguments(
        result, "ADDRESS", options->addresses,
        "Addresses or prefixes; a port or zone is ignored (default: read them from stdin, one per line)", {});
    result.examples = {
        {"fingerpost lookup -t table.txt 10.1.2.3 8.8.8.8", "Look up two addresses"},
        {"fingerpost lookup -t table.txt --format csv < addresses.txt",
         "Look up a file of addresses; write CSV"},
        {"fingerpost lookup -t table.txt --match covered 10.0.0.0/8", "Show every route inside a network"},
        {"fingerpost lookup -t table.txt -q 192.0.2.1:443 && echo known", "Test an address in a script"}};
    result.run = [options] { return run(*options); };
    return result;
}

} // namespace fingerpost::cli
