// Samples of every table format (tests/samples): the routes, the messages and the detected format, for chunks
// of any size. FINGERPOST_SAMPLES=write rewrites the expected outputs. tests/e2e/tables/samples_test.py
// converts the same samples with the program.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "io/format/any_reader.hpp"
#include "tests/support/cases.hpp"

namespace fingerpost::io {
namespace {

using namespace fingerpost::testing;

// The options as `fingerpost convert` has them.
table_options options_of(const std::string& text) {
    table_options options{.both = true, .advice = no_advice};
    const std::vector<std::string> words = split(text, ' ');
    for (std::size_t i = 0; i < words.size(); ++i) {
        const std::string value = i + 1 < words.size() ? words[i + 1] : "";
        if (words[i] == "--strict")
            options.policy = host_bits::refuse;
        else if (words[i] == "--family")
            options.only = value == "4" ? family::ipv4 : family::ipv6;
        else if (words[i] == "--skip-bad")
            options.skip_bad = std::stoull(value);
        else if (words[i] == "--columns")
            options.values = split(value, ',');
        else if (words[i] == "--network")
            options.network = split(value, ',');
        else if (words[i] == "--routing-table")
            options.routing_table = value;
    }
    return options;
}

void append_cell(std::string_view text, std::string& out) {
    const bool is_quoted = text.find_first_of(",\"\r\n") != std::string_view::npos;
    out += is_quoted ? ",\"" : ",";
    for (const char c : text)
        out.append(c == '"' ? 2 : 1, c);
    out += is_quoted ? "\"" : "";
}

template <class A>
void append_rows(const loaded_table<A>& table, std::string& out) {
    for (const route<A>& r : table.routes) {
        out += to_string(r.where);
        for (std::size_t i = 0; i < table.values.columns(); ++i)
            append_cell(table.values.cell(r.hop, i), out);
        out += '\n';
    }
}

// The message without the JSON library's text about a syntax error.
std::string line_of(const input_error& error) {
    const std::string text = message(error);
    return "! " + text.substr(0, text.find(" while parsing")) + "\n";
}

// The table as CSV, or why there is none.
std::string listed(const expected<both_tables, input_error>& tables) {
    if (!tables)
        return line_of(tables.error());
    std::string out = "prefix";
    for (std::size_t i = 0; i < tables->ipv4.values.columns(); ++i)
        append_cell(tables->ipv4.values.name(i), out);
    out += '\n';
    append_rows(tables->ipv4, out);
    append_rows(tables->ipv6, out);
    return out;
}

std::string listed(const table_counts& ipv4, const table_counts& ipv6) {
    std::string out;
    const auto add = [&](const char* words, std::uint64_t number) {
        if (number != 0)
            out += "# " + std::to_string(number) + " " + words + "\n";
    };
    add("duplicates", ipv4.duplicates + ipv6.duplicates);
    add("masked", ipv4.masked + ipv6.masked);
    add("of the other family", ipv4.other_family);
    add("bad", ipv4.bad);
    add("not best", ipv4.not_best);
    add("left out", ipv4.left_out);
    add("without a network", ipv4.without_network);
    return ipv4.unused_lengths.empty() ? out : out + "# lengths not used: " + ipv4.unused_lengths + "\n";
}

class samples : public ::testing::TestWithParam<table_format> {
  protected:
    // The table, the messages, the counts.
    std::string read(const std::string& input, table_options options, std::size_t chunk) {
        std::string messages;
        options.on_skip = [&](const input_error& e) { messages += line_of(e); };
        options.on_left_out = [&](const std::string& words) { messages += "! left out " + words + "\n"; };
        any_reader reader(GetParam(), "stdin", options);
        for (std::size_t at = 0; at < input.size() && reader.feed(std::string_view(input).substr(at, chunk));)
            at += std::min(chunk, input.size());
        const auto tables = std::move(reader).finish_both();
        const std::string counts = tables ? listed(tables->ipv4.counts, tables->ipv6.counts) : "";
        return tables ? listed(tables) + messages + counts : messages + listed(tables);
    }

    // Formats other than that of the folder, detected from the whole input and from its starts.
    std::string detected(const std::string& input, const table_options& options) {
        const detection whole = detect_format(input, true, options);
        std::string out;
        if (whole.format != GetParam())
            out = "# detected: " + (whole.format ? std::string(name_of(*whole.format)) : whole.reason) + "\n";
        for (std::size_t size = 0; size < std::min<std::size_t>(input.size(), 2000); ++size) {
            const detection part = detect_format(std::string_view(input).substr(0, size), false, options);
            if (!part.needs_more && part.format != whole.format)
                return out + "# detected after " + std::to_string(size) + " bytes: another format\n";
        }
        return out;
    }

    // All that is expected of a reading.
    std::string output(const std::string& input, const std::string& words) {
        const table_options options = options_of(words);
        std::string out = read(input, options, std::string::npos);
        for (std::size_t chunk = 1; chunk <= std::min<std::size_t>(input.size(), 200); ++chunk)
            EXPECT_EQ(read(input, options, chunk), out) << "chunks of " << chunk;
        // Without leave to skip anything the first fault is the error.
        if (options.skip_bad != 0 && out.find("\n! stdin") != std::string::npos) {
            table_options none = options;
            none.skip_bad = 0;
            const std::string first = read(input, none, std::string::npos);
            EXPECT_NE(("\n" + out).find("\n" + first), std::string::npos) << first;
        }
        return out + detected(input, options);
    }
};

TEST_P(samples, AreReadAsExpected) {
#if !FINGERPOST_HAVE_MAXMINDDB
    if (GetParam() == table_format::mmdb)
        GTEST_SKIP() << "built without libmaxminddb";
#endif
    const auto folder = std::filesystem::path(__FILE__).parent_path() / "../../samples" / name_of(GetParam());
    std::size_t tried = 0;
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
        std::filesystem::path path = entry.path();
        if (path.extension() == ".cases") {
            tried +=
                expect_page(path, [&](const auto& input, const auto& words) { return output(input, words); });
        } else if (path.extension() == ".in") {
            const std::string actual = output(testing::read_file(path), "");
            path.replace_extension("out");
            if (writes_pages())
                std::ofstream(path, std::ios::binary) << actual;
            EXPECT_EQ(actual, testing::read_file(path)) << path;
            ++tried;
        }
    }
    EXPECT_GT(tried, 0U) << folder;
}

// MRT files and images have readers and tests of their own.
std::vector<table_format> text_formats() {
    std::vector<table_format> formats;
    std::copy_if(table_formats().begin(), table_formats().end(), std::back_inserter(formats),
                 [](table_format one) { return entry_of(one).open != nullptr; });
    return formats;
}

INSTANTIATE_TEST_SUITE_P(formats, samples, ::testing::ValuesIn(text_formats()), [](const auto& format) {
    std::string name(name_of(format.param));
    std::replace(name.begin(), name.end(), '-', '_');
    return name;
});

} // namespace
} // namespace fingerpost::io
