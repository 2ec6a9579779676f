// Feeds bytes to the parts of `serve` that read addresses: parameters, JSON and lines. Each address must have
// exactly one answer, the answers must be valid JSON or lines, and requests must be refused as the protocol
// defines. The covers of an address must end with its match.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "cli/serve/http/request_addresses.hpp"
#include "cli/serve/sessions.hpp"
#include "fuzz/require.hpp"
#include "io/format/text/table_text.hpp"

namespace {

using namespace fingerpost;

constexpr std::size_t most = 50;

cli::served_pointer small_table() {
    io::table_reader reader("fuzz", {.both = true});
    require(reader.feed("10.0.0.0/8 a\n10.1.0.0/16\n2001:db8::/32 \"b\"\n::/0 d\n"));
    auto tables = std::move(reader).finish_both();
    require(tables.has_value());
    return std::make_shared<const cli::served_table>(std::move(*tables), cli::table_choice{}, "", 1);
}

// Checks that there are as many objects as addresses, each with a route, without one, or with an error.
void check_json(const std::string& out, std::size_t count) {
    const auto rows = nlohmann::json::parse(out);
    require(rows.is_array() && rows.size() == count);
    for (const auto& row : rows) {
        require(row.at("address").is_string());
        const bool has_error = row.contains("error");
        require(!has_error || (row.at("prefix").is_null() && row.at("next_hop").is_null()));
        require(row.at("next_hop").is_null() || row.at("prefix").is_string());
    }
}

// `matches` are the answers for the same addresses.
void check_covers(const std::string& out, const std::string& matches) {
    const auto rows = nlohmann::json::parse(out);
    const auto wanted = nlohmann::json::parse(matches);
    require(rows.is_array() && rows.size() == wanted.size());
    for (std::size_t i = 0; i < rows.size(); ++i) {
        const auto& covers = rows[i].at("covers");
        require(rows[i].at("address") == wanted[i].at("address"));
        require(rows[i].contains("error") == wanted[i].contains("error"));
        const auto last = covers.empty() ? nlohmann::json() : covers.back().at("prefix");
        require(last == wanted[i].at("prefix"));
    }
}

void check_lines(std::string_view out, std::size_t count) {
    require(static_cast<std::size_t>(std::count(out.begin(), out.end(), '\n')) == count);
    for (; !out.empty(); out.remove_prefix(out.find('\n') + 1)) {
        const std::string_view line = out.substr(0, out.find('\n'));
        require(line == "-" || line.substr(0, 2) == "! " || line.find('\t') != std::string_view::npos);
    }
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    static const cli::served_pointer table = small_table();
    static cli::session asked(table);
    if (size < 1)
        return 0;
    const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
    const bool as_lines = (data[0] & 1) != 0;
    const bool as_query = (data[0] & 2) != 0;
    const bool with_covers = (data[0] & 4) != 0;
    std::string out;
    asked.begin(table, as_lines ? cli::row_format::lines : cli::row_format::json, out);
    const cli::refusal why = as_query ? cli::ask_query(text, most, asked) : cli::ask_body(text, most, asked);
    require(why.code == 0 || why.code == 413 || (why.code == 400 && !as_query));
    require((why.code == 0) == why.words.empty() && asked.count() <= most);
    if (why.code != 0)
        return 0;
    asked.end();
    if (as_lines)
        check_lines(out, asked.count());
    else
        check_json(out, asked.count());
    if (!as_lines && with_covers) {
        std::string covers;
        asked.begin_covers(table, covers);
        require((as_query ? cli::ask_query(text, most, asked) : cli::ask_body(text, most, asked)).code == 0);
        asked.end();
        check_covers(covers, out);
    }
    return 0;
}
