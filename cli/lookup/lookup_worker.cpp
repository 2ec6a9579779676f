// Collects queries in batches, and cuts blocks into lines.
#include "cli/lookup/lookup_worker.hpp"

#include <filesystem>
#include <fmt/format.h>
#include <system_error>
#include <utility>

#include "cli/answers/address_field.hpp"
#include "io/format/parts/lines.hpp"
#include "io/format/parts/printable.hpp"
#include "io/format/parts/words.hpp"

namespace fingerpost::cli {
namespace {

// A line with more than an address often comes from a log. A file name is often meant as a table.
std::string advice(std::string_view text, bool is_argument) {
    if (text.find(' ') != text.npos)
        return "; to look up addresses in log lines, use `fingerpost enrich`";
    return is_argument ? table_advice(std::string(text)) : "";
}

} // namespace

std::string table_advice(const std::string& argument) {
    std::error_code error;
    const bool is_table = !parse_prefix(argument) && std::filesystem::is_regular_file(argument, error);
    return is_table ? fmt::format("; did you mean -t {}?", io::printable(argument)) : "";
}

lookup_worker::lookup_worker(const answer_table& table, route_trees& trees, const lookup_choice& choice,
                             const answer_names& names, std::size_t cache_bytes)
    : choice_(choice), asked_(table), prefixes_(table, trees, choice.match),
      writer_(choice.format, choice.keep_invalid, names) {
    writer_.keep_texts(cache_bytes);
    begin(writer_.layout());
}

void lookup_worker::begin(text_layout layout) {
    block_ = {};
    block_.before = layout;
    writer_.continue_with(std::move(layout));
    matched_before_ = writer_.matched();
}

answered_block lookup_worker::finish() {
    write();
    block_.has_match = writer_.matched() != matched_before_;
    block_.first = writer_.first_layout();
    block_.after = writer_.layout();
    return std::move(block_);
}

answered_block lookup_worker::work(enrich::row_block&& lines, text_layout layout) {
    begin(std::move(layout));
    if (lines.is_too_long)
        add_too_long(lines.bytes, lines.file, lines.first_line);
    io::line_cutter cutter;
    const auto take = [&](std::string_view line, std::uint64_t number) {
        number += lines.first_line - 1;
        const std::string_view text = without_comment(number == 1 ? io::without_byte_order_mark(line) : line);
        if (!text.empty())
            add(text, lines.file, number);
        return !is_done();
    };
    const auto refuse = [&](std::string_view beginning, std::uint64_t number) {
        add_too_long(beginning, lines.file, lines.first_line - 1 + number);
        return true;
    };
    if (!lines.is_too_long && cutter.feed(lines.bytes, take, refuse) == io::cut::ok)
        cutter.finish(take);
    answered_block result = finish();
    result.lines = std::move(lines);
    return result;
}

void lookup_worker::add(std::string_view text, const std::string& where, std::uint64_t line) {
    if (const auto error = ask(text)) {
        block_.faults.add(error->reason, [&] {
            return io::input_error{where, line, std::string(text), message(*error) + advice(text, line == 0)};
        });
        if (choice_.keep_invalid)
            keep(text, message(*error));
    }
    write_if_full();
}

void lookup_worker::add_too_long(std::string_view beginning, const std::string& where, std::uint64_t line) {
    std::string reason = fmt::format("the line has more than {} bytes", io::max_line_bytes);
    block_.faults.add(too_long_address, [&] { return io::input_error{where, line, {}, reason}; });
    if (choice_.keep_invalid)
        keep(std::string(beginning.substr(0, enrich::shown_of_too_long)) + "...", std::move(reason));
    write_if_full();
}

// Addresses wait for a batch. Other queries are answered immediately, after the waiting addresses.
std::optional<text_error> lookup_worker::ask(std::string_view text) {
    if (choice_.match == match_kind::longest && text.find('/') == std::string_view::npos) {
        write_prefixes();
        return asked_.ask(text);
    }
    asked_.write(writer_, block_.out);
    auto error = prefixes_.ask(text, text);
    if (const auto host = error ? socket_host(text) : std::nullopt)
        error = prefixes_.ask(*host, text);
    return error;
}

void lookup_worker::keep(std::string_view text, std::string reason) {
    write_prefixes();
    asked_.keep(text, std::move(reason));
}

void lookup_worker::write_prefixes() {
    if (!prefixes_.is_empty())
        prefixes_.write(writer_, block_.out, [this] { spill(); });
}

// Only one of the two has queries.
void lookup_worker::write() {
    write_prefixes();
    asked_.write(writer_, block_.out);
    spill();
}

void lookup_worker::write_if_full() {
    if (asked_.is_full() || prefixes_.is_full())
        write();
}

void lookup_worker::spill() {
    if (choice_.quiet)
        block_.out.clear();
    else if (take_)
        take_(block_.out);
}

} // namespace fingerpost::cli
