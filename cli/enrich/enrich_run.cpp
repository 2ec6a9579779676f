// From options to tables, columns and a pipeline of workers; its results to stdout.
#include "cli/enrich/enrich_run.hpp"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <memory>
#include <optional>
#include <thread>
#include <unistd.h>

#include "cli/enrich/detect.hpp"
#include "cli/enrich/enrich_worker.hpp"
#include "cli/enrich/header.hpp"
#include "cli/enrich/input.hpp"
#include "io/format/parts/printable.hpp"
#include "io/source/ordered_pipeline.hpp"
#include "terminal/console.hpp"
#include "terminal/exit_code.hpp"
#include "terminal/failure.hpp"
#include "terminal/table/column_names.hpp"

namespace fingerpost::cli::enrich {
namespace {

// What the columns of routes may take in all threads together.
constexpr std::size_t all_cache_bytes = std::size_t{64} << 20;

// `NAME=FILE`, where the name is a word; anything else is a file, whose name up to the first dot is its name.
std::pair<std::string, std::string> cut_table(const std::string& text) {
    const std::size_t equals = text.find('=');
    const auto is_word = [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
               c == '-';
    };
    if (equals != std::string::npos && equals != 0 && equals + 1 != text.size() &&
        std::all_of(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(equals), is_word))
        return {text.substr(0, equals), text.substr(equals + 1)};
    std::string name = std::filesystem::path(text).filename();
    if (text == "-")
        name = "stdin";
    return {name.substr(0, std::max<std::size_t>(name.find('.'), 1)), text};
}

struct open_tables {
    std::vector<std::unique_ptr<answer_table>> owned;
    std::vector<named_table> named;
};

open_tables load_tables(const enrich_options& options) {
    open_tables made;
    for (const std::string& text : options.tables) {
        const auto [name, path] = cut_table(text);
        for (const named_table& other : made.named)
            if (other.name == name)
                throw usage_error(
                    fmt::format("--table: two tables are called '{}'; name them: NAME={}", name, path));
        table_choice choice = options.table;
        choice.path = path;
        made.owned.push_back(std::make_unique<answer_table>(find_tables(choice), choice, options.scheme));
        made.named.push_back({name, made.owned.back().get()});
    }
    return made;
}

void refuse_two_readers(const enrich_options& options) {
    auto from_stdin = std::count(options.files.begin(), options.files.end(), "-");
    for (const std::string& text : options.tables)
        from_stdin += cut_table(text).second == "-" ? 1 : 0;
    if (from_stdin > 1)
        throw usage_error("enrich: only one of the tables and the inputs can come from stdin");
}

row_kind kind_of(const enrich_options& options, row_input& input) {
    const std::string_view beginning = input.open_first();
    if (options.kind)
        return *options.kind;
    const row_kind kind = detect_kind(
        beginning, {!options.fields.empty(), !options.members.empty(),
                    !options.regex.empty() || options.which.has_value() || options.style.has_value()});
    if (!beginning.empty())
        report(fmt::format("{}: taken as {} (--format chooses)",
                           options.files.front() == "-" ? "stdin" : options.files.front(), name_of(kind)));
    return kind;
}

// Options that would do nothing are mistakes.
void refuse_idle_options(const enrich_options& options, row_kind kind) {
    const auto refuse = [&](bool given, const char* option) {
        if (given)
            throw usage_error(fmt::format("{}: means nothing for {}", option, name_of(kind)));
    };
    const bool is_table = has_header_row(kind);
    refuse(!is_table && !options.fields.empty(), "--field");
    refuse(!is_table && options.no_header, "--no-header");
    refuse(!is_table && options.no_quotes, "--no-quotes");
    refuse(kind != row_kind::ndjson && !options.members.empty(), "--json-field");
    refuse(kind != row_kind::log && !options.regex.empty(), "--regex");
    refuse(kind != row_kind::log && options.which.has_value(), "--which");
    refuse(kind != row_kind::log && options.style.has_value(), "--log-style");
    refuse(is_table && options.on_miss == miss_policy::keep, "--on-miss keep");
    if (kind == row_kind::ndjson && options.members.empty())
        throw usage_error("--json-field: say which member of the objects is an address");
}

scan_choice choose_scan(const enrich_options& options, row_kind kind, row_input& input) {
    scan_choice scan;
    scan.kind = kind;
    scan.dialect = {kind == row_kind::tsv ? '\t' : ',', !options.no_quotes};
    scan.which = options.which.value_or(log_which::first);
    scan.regex = options.regex;
    scan.has_header = has_header_row(kind) && !options.no_header;
    input.begin(has_header_row(kind) ? &scan.dialect : nullptr, scan.has_header);
    if (has_header_row(kind))
        choose_columns(options.fields, input, scan);
    for (const std::string& text : options.members) {
        auto path = parse_json_path(text);
        if (!path)
            throw usage_error(fmt::format("--json-field: '{}' has an empty name", text));
        scan.names.push_back(text);
        scan.members.push_back(std::move(*path));
    }
    if (scan.members.size() > max_json_paths)
        throw usage_error(fmt::format("--json-field: at most {} can be named", max_json_paths));
    // A regular expression that is none is told before anything is written.
    (void)make_scanner(scan);
    return scan;
}

// Where the output has names, of which none may come twice.
bool writes_names(const enrich_options& options, const scan_choice& scan) {
    if (has_header_row(scan.kind))
        return scan.has_header;
    return scan.kind == row_kind::ndjson || options.style == log_style::pairs;
}

column_plan choose_columns_added(const enrich_options& options, const scan_choice& scan,
                                 std::span<const named_table> tables) {
    plan_choice choice{style_of(scan.kind, scan.dialect.quotes, options.style.value_or(log_style::tab)),
                       scan.names,
                       options.add,
                       scan.kind == row_kind::log,
                       options.table.renamings,
                       writes_names(options, scan)};
    if (!choice.writes_names && !choice.renamings.empty())
        throw usage_error("--rename: means nothing for these rows, which are written without names");
    for (std::size_t i = 0; i < scan.members.size(); ++i) {
        choice.fields[i] = fmt::format("{}", fmt::join(scan.members[i], "_"));
        std::replace(choice.fields[i].begin(), choice.fields[i].end(), '.', '_');
    }
    if (choice.fields.empty())
        choice.fields.emplace_back();
    return make_plan(tables, choice);
}

// What has been done so far, on a terminal and in the sum.
class tally {
  public:
    void add(const enriched_block& block) {
        counts_.rows += block.counts.rows;
        counts_.matched += block.counts.matched;
        counts_.missed += block.counts.missed;
        counts_.no_address += block.counts.no_address;
        counts_.bad += block.counts.bad;
        counts_.readable += block.counts.readable;
        counts_.found |= block.counts.found;
        bytes_ += block.bytes;
    }
    void show() {
        // Where rows go to the terminal they are what shows progress.
        const auto now = clock::now();
        if (is_terminal_out_ || now - shown_ < std::chrono::milliseconds(250))
            return;
        shown_ = now;
        progress_.show(
            fmt::format("{} rows, {} MB, {:.0f} rows/s", counts_.rows, bytes_ / 1'000'000, rate()));
    }
    void wipe() { progress_.wipe(); }
    const row_counts& counts() const noexcept { return counts_; }
    void report_sum() const {
        report(fmt::format(
            "{} rows: {} matched, {} missed, {} without an address, {} bad; {:.2f} s, {:.0f} rows/s",
            counts_.rows, counts_.matched, counts_.missed, counts_.no_address, counts_.bad, seconds(),
            rate()));
    }

  private:
    using clock = std::chrono::steady_clock;
    double seconds() const { return std::chrono::duration<double>(clock::now() - begun_).count(); }
    double rate() const { return static_cast<double>(counts_.rows) / std::max(seconds(), 1e-9); }

    row_counts counts_;
    std::uint64_t bytes_ = 0;
    clock::time_point begun_ = clock::now();
    clock::time_point shown_ = begun_;
    bool is_terminal_out_ = is_terminal(STDOUT_FILENO);
    progress progress_;
};

// Tells of members and expressions that are in no row at all, as a misspelt one is; true when there are none.
// Rows may lack a member, but not all of them.
bool report_unfound(const scan_choice& scan, const row_counts& counts) {
    const std::size_t sought = scan.regex.empty() ? scan.members.size() : 1;
    bool all_found = true;
    for (std::size_t i = 0; i < sought && counts.readable != 0; ++i) {
        if ((counts.found >> i & 1) != 0)
            continue;
        all_found = false;
        if (scan.regex.empty())
            report(fmt::format("--json-field: none of the {} rows has a member {}", counts.readable,
                               io::quoted(scan.names[i])));
        else
            report(fmt::format("--regex: it matches none of the {} rows", counts.readable));
    }
    return all_found;
}

// Writes results in order.
class delivery {
  public:
    explicit delivery(std::string begin) : ended_line_(begin.empty() || begin.back() == '\n') {
        out_.text() = std::move(begin);
    }

    void take(enriched_block&& block) {
        // The last row of a file may have no end; another file's does not go on in its line.
        if (!ended_line_ && !block.out.empty() && block.file != file_)
            out_.text() += '\n';
        if (!block.out.empty()) {
            ended_line_ = block.out.back() == '\n';
            file_ = block.file;
        }
        tally_.add(block);
        if (out_.text().empty())
            out_.text() = std::move(block.out);
        else
            out_.text() += block.out;
        out_.flush();
        if (block.has_failed)
            throw failure(io::message(block.faults.told().front().second));
        if (!block.faults.is_empty())
            tally_.wipe();
        faults_.add(block.faults);
        tally_.show();
    }

    void wipe() { tally_.wipe(); }

    int finish(bool with_sum, const scan_choice& scan) {
        out_.finish();
        tally_.wipe();
        faults_.report_rest();
        const bool all_found = report_unfound(scan, tally_.counts());
        if (with_sum)
            tally_.report_sum();
        return faults_.count() == 0 && all_found ? exit_code::ok : exit_code::bad_rows;
    }

  private:
    output out_;
    tally tally_;
    fault_report faults_;
    std::string file_;
    bool ended_line_;
};

// For tests: blocks so small that rows are cut everywhere.
std::size_t most_block_bytes() {
    const char* const given = std::getenv("FINGERPOST_ENRICH_BLOCK");
    const unsigned long bytes = given != nullptr ? std::strtoul(given, nullptr, 10) : 0;
    return bytes != 0 ? bytes : max_row_bytes;
}

void run_pipeline(row_input& input, const work_choice& work, unsigned threads, delivery& to) {
    io::ordered_pipeline<row_block, enriched_block> pipeline(
        threads,
        [&](const auto& put) {
            while (input.next(put)) {
            }
        },
        [&]() -> std::function<enriched_block(row_block&&)> {
            auto mine = std::make_shared<worker>(work);
            return [mine](row_block&& block) { return mine->work(block); };
        });
    // The thread that reads may wait for a pipe into which nobody writes. To wait for it in turn would keep a
    // program alive whose output nobody reads; nothing that it holds has to be saved.
    try {
        while (auto block = pipeline.next())
            to.take(std::move(*block));
    } catch (const closed_pipe&) {
        to.wipe();
        std::_Exit(exit_code::ok);
    } catch (const failure& error) {
        to.wipe();
        report(error.what());
        std::_Exit(exit_code::failed);
    }
}

} // namespace

int run(const enrich_options& given) {
    enrich_options options = given;
    if (options.files.empty())
        options.files.emplace_back("-");
    refuse_two_readers(options);
    const open_tables tables = load_tables(options);
    if (options.files.front() == "-" && is_terminal(STDIN_FILENO))
        report("reading rows from this terminal; Ctrl-D ends them");
    row_input input(options.files, most_block_bytes());
    const row_kind kind = kind_of(options, input);
    refuse_idle_options(options, kind);
    scan_choice scan = choose_scan(options, kind, input);
    const column_plan plan = choose_columns_added(options, scan, tables.named);
    const bool has_header = input.header().has_value();
    if (!has_header && !plan.unmet.empty() && scan.width + scan.members.size() != 0)
        throw usage_error(no_such_name(plan.unmet.front().from, plan.names()));
    if (!has_header && writes_names(options, scan))
        scan.added = plan.names();
    const unsigned threads =
        options.threads != 0 ? options.threads : std::max(1U, std::thread::hardware_concurrency());
    const work_choice work{
        &scan, &plan, tables.named, options.on_miss, options.on_error, all_cache_bytes / threads};

    std::string begin = input.has_mark() ? "\xef\xbb\xbf" : "";
    if (input.header())
        put_header(*input.header(), scan, plan, begin);
    delivery to(std::move(begin));
    run_pipeline(input, work, threads, to);
    const int code = to.finish(options.stats, scan);
    if (input.error())
        throw failure(*input.error());
    return code;
}

} // namespace fingerpost::cli::enrich
