// `fingerpost lookup`: finds the matches of addresses and prefixes from the arguments or standard input.
#include <algorithm>
#include <cstdlib>
#include <fmt/format.h>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <unistd.h>
#include <utility>
#include <vector>

#include "cli/answers/in_order.hpp"
#include "cli/lookup/lookup_worker.hpp"
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
    lookup_choice choice;
    unsigned threads = 0;               // 0: one per core
    std::vector<std::string> addresses; // `-` is standard input
};

// Text output has no names, so names cannot clash.
answer_names names_of(const lookup_options& options, const answer_table& table) {
    if (options.choice.format == row_format::text)
        return {.columns = table.columns()};
    return name_answers(table.columns(), options.table.renamings, options.choice.keep_invalid);
}

// Reads standard input in blocks of lines.
class line_blocks {
  public:
    using receiver = enrich::row_cutter::receiver;

    // Throws failure.
    line_blocks() : source_(io::file_source::open("-")), cutter_("stdin", nullptr) {
        if (!source_)
            throw failure(io::message(source_.error()));
        if (is_terminal(STDIN_FILENO))
            report("reading addresses from the terminal, one per line; end with Ctrl-D");
    }
    // Passes on the next lines as soon as there are any. Returns false at the end, or when the receiver
    // stops.
    bool next(const receiver& to) {
        const auto bytes = source_->read();
        if (bytes && !bytes->empty())
            return cutter_.feed(*bytes, to);
        if (bytes)
            cutter_.finish(to);
        else
            error_ = io::message(bytes.error());
        return false;
    }
    // The reason why the input ended early, after next() returned false.
    const std::optional<std::string>& error() const noexcept { return error_; }

  private:
    expected<io::file_source, io::input_error> source_;
    enrich::row_cutter cutter_;
    std::optional<std::string> error_;
};

// Answers arguments and standard input, in order.
class lookup_run {
  public:
    lookup_run(io::found_tables tables, const lookup_options& options)
        : choice_(options.choice), threads_(thread_count(options.threads)),
          table_(std::move(tables), options.table, options.scheme), names_(names_of(options, table_)),
          worker_(table_, trees_, choice_, names_, all_cache_bytes / threads_), layout_(worker_.layout()) {
        if (!choice_.quiet)
            row_writer(choice_.format, choice_.keep_invalid, names_).begin(out_.text());
        // One such query may match all routes, so their rows must not wait for those of other threads.
        if (choice_.match == match_kind::covered)
            threads_ = 1;
        worker_.set_sink([this](std::string& text) {
            if (text.size() >= most_waiting_bytes)
                put(text);
        });
    }

    void add_argument(const std::string& text, std::size_t number) {
        worker_.add(text, fmt::format("argument {}", number), 0);
    }
    // Answers each line as soon as it has arrived, because the writer of a pipe may be idle.
    void add_stdin() {
        deliver(worker_.finish());
        line_blocks lines;
        bool has_more = !is_done();
        const auto answer = [this](enrich::row_block&& block) {
            return deliver(worker_.work(std::move(block), copy_layout()));
        };
        // Short input needs no threads. The first rows also decide most of the layout.
        do
            has_more = has_more && lines.next(answer);
        while (has_more && threads_ == 1);
        if (has_more)
            answer_in_threads(lines);
        worker_.begin(layout_);
        if (lines.error())
            throw failure(*lines.error());
    }
    bool is_done() const noexcept { return choice_.quiet && has_match_; }
    // Answers what still waits, and returns the exit code.
    int finish() {
        deliver(worker_.finish());
        out_.flush();
        return end();
    }

  private:
    // Limit for the cached texts of all threads together.
    static constexpr std::size_t all_cache_bytes = value_texts::usual_bytes;
    static constexpr std::size_t most_waiting_bytes = std::size_t{64} << 10;

    // Reports the faults that were only counted.
    int end() const {
        bad_.report_rest();
        if (is_done())
            return exit_code::ok;
        if (bad_.count() != 0)
            return exit_code::bad_rows;
        return has_match_ ? exit_code::ok : exit_code::no_match;
    }

    void answer_in_threads(line_blocks& lines) {
        const auto produce = [&](const line_blocks::receiver& put) {
            while (lines.next(put)) {
            }
        };
        const auto make_work = [&]() -> std::function<answered_block(enrich::row_block&&)> {
            auto mine =
                std::make_shared<lookup_worker>(table_, trees_, choice_, names_, all_cache_bytes / threads_);
            return [this, mine](enrich::row_block&& block) {
                return mine->work(std::move(block), copy_layout());
            };
        };
        const auto take = [this](answered_block&& block) {
            // Earlier rows may have become wider after the thread had started.
            if (!block.may_follow(layout_))
                block = worker_.work(std::move(block.lines), layout_);
            // The reading thread may wait for an idle pipe.
            if (!deliver(std::move(block)))
                std::_Exit(end());
            return true;
        };
        deliver_in_order<enrich::row_block, answered_block>(threads_, produce, make_work, take, [] {});
    }
    // Returns whether further queries may change the outcome.
    bool deliver(answered_block&& block) {
        has_match_ = has_match_ || block.has_match;
        // A block without rows has the layout that its thread started with, which may be an old one.
        if (block.first) {
            const std::lock_guard lock(layout_mutex_);
            layout_ = std::move(block.after);
        }
        bad_.add(block.faults);
        put(block.out);
        return !is_done();
    }
    void put(std::string& text) {
        if (text.empty())
            return;
        if (out_.text().empty())
            out_.text().swap(text);
        else
            out_.text() += text;
        text.clear();
        out_.flush();
    }
    text_layout copy_layout() {
        const std::lock_guard lock(layout_mutex_);
        return layout_;
    }

    lookup_choice choice_;
    unsigned threads_;
    answer_table table_;
    answer_names names_;
    route_trees trees_;
    lookup_worker worker_;
    output out_;
    bad_rows bad_;
    bool has_match_ = false;
    std::mutex layout_mutex_;
    text_layout layout_; // of the rows delivered so far; only this thread changes it
};

int run(lookup_options options) {
    if (options.addresses.empty())
        options.addresses.emplace_back("-");
    const auto& addresses = options.addresses;
    if (options.table.reads_stdin() && std::find(addresses.begin(), addresses.end(), "-") != addresses.end())
        throw usage_error("lookup: the table and the addresses cannot both come from stdin");
    if (options.choice.format == row_format::text && !options.table.renamings.empty())
        throw usage_error("--rename has no effect with --format text");
    lookup_run rows(find_tables(options.table), options);
    for (std::size_t i = 0; i < addresses.size() && !rows.is_done(); ++i) {
        if (addresses[i] == "-")
            rows.add_stdin();
        else
            rows.add_argument(addresses[i], i + 1);
    }
    return rows.finish();
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
        result, "--format", options->choice.format,
        {{"text", row_format::text}, {"csv", row_format::csv}, {"ndjson", row_format::ndjson}},
        "Output format: aligned columns, CSV, or a JSON object per line");
    add_choice<match_kind>(
        result, "--match", options->choice.match,
        {{"longest", match_kind::longest},
         {"exact", match_kind::exact},
         {"covering", match_kind::covering},
         {"covered", match_kind::covered}},
        "Longest match, identical prefix (exact), all routes that contain the query (covering), or all "
        "inside it (covered)");
    add_flag(result, "--keep-invalid", options->choice.keep_invalid,
             "Print a row with the reason for input that is not an address, too");
    add_rename(result, options->table);
    add_flag(result, "--quiet", options->choice.quiet,
             "Print nothing; exit with 0 at the first match, with 1 if there is none")
        .letter = 'q';
    add_threads(result, options->threads);
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
