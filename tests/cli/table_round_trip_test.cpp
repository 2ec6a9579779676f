// Every table that a command writes is read back as an equal table, with the format detected from its
// content, or it is refused with a reason before anything is written. The updates that diff writes turn the
// first table into the second.
//
// Each round has its own seed, which is printed when the round fails. FINGERPOST_SEED=<seed> runs that round
// alone, and FINGERPOST_ROUNDS=<n> sets the number of rounds.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unistd.h>
#include <vector>

#include "cli/convert/convert_formats.hpp"
#include "cli/diff/difference_writer.hpp"
#include "cli/replay/replayer.hpp"
#include "cli/writers/table_rows.hpp"
#include "io/format/any_reader.hpp"
#include "io/format/table_format.hpp"
#include "io/format/updates/updates.hpp"
#include "terminal/failure.hpp"
#include "tests/support/effort.hpp"
#include "tests/support/tables/odd_tables.hpp"

namespace fingerpost::cli {
namespace {

using namespace fingerpost::testing;

std::uint64_t wanted(const char* variable, std::uint64_t otherwise) {
    const char* text = std::getenv(variable);
    return text != nullptr ? std::strtoull(text, nullptr, 0) : otherwise;
}

template <class F>
void odd_rounds(std::uint64_t first, std::size_t usual, F round) {
    const std::uint64_t only = wanted("FINGERPOST_SEED", 0);
    const std::uint64_t count = only != 0 ? 1 : wanted("FINGERPOST_ROUNDS", scaled(usual));
    for (std::uint64_t i = 0; i < count; ++i) {
        const std::uint64_t seed = only != 0 ? only : first + i;
        SCOPED_TRACE("FINGERPOST_SEED=" + std::to_string(seed));
        random_numbers random(seed);
        round(random);
        if (::testing::Test::HasFailure())
            return;
    }
}

// In half of the rounds, only text with several columns may refuse the table.
struct odd_round {
    explicit odd_round(random_numbers& dice)
        : random(dice), is_tame(random.below(2) == 0), texts(random, is_tame),
          names(texts.names(1 + random.below(2) * random.below(4))),
          table(odd_table(random, texts, names, 5)) {}

    random_numbers& random;
    bool is_tame;
    odd_texts texts;
    std::vector<std::string> names;
    io::both_tables table;
};

// Counts of written and refused tables. A test in which one of them is 0 shows little.
struct outcomes {
    std::size_t written = 0;
    std::size_t refused = 0;

    void expect_both() const {
        if (written + refused < 100)
            return;
        EXPECT_GT(written, (written + refused) / 10);
        EXPECT_GT(refused, (written + refused) / 100);
    }
};

template <class A>
std::string refusal_of(const table_rows& rows, const io::loaded_table<A>& table) {
    for (const route<A>& r : table.routes)
        for (std::string reason :
             {rows.refusal(table.values, r.hop), rows.refusal(to_string(r.where), table.values, r.hop)})
            if (!reason.empty())
                return reason;
    return {};
}

template <class A>
void append_rows(table_rows& rows, const io::loaded_table<A>& table, std::string& out) {
    for (const route<A>& r : table.routes)
        rows.add(to_string(r.where), table.values, r.hop, out);
}

// Empty when the table is refused.
std::optional<std::string> written(row_kind kind, const io::both_tables& table) {
    try {
        table_rows rows(kind, table.ipv4.values);
        if (!refusal_of(rows, table.ipv4).empty() || !refusal_of(rows, table.ipv6).empty())
            return std::nullopt;
        std::string out;
        rows.begin(out);
        append_rows(rows, table.ipv4, out);
        append_rows(rows, table.ipv6, out);
        return out;
    } catch (const failure& why) {
        EXPECT_NE(std::string_view(why.what()).find("choose"), std::string_view::npos) << why.what();
        return std::nullopt;
    }
}

expected<io::both_tables, io::input_error> read_in_chunks(io::table_format format, std::string_view text,
                                                          std::size_t chunk) {
    io::any_reader reader(format, "t", {.both = true});
    for (std::size_t at = 0; at < text.size() && reader.feed(text.substr(at, chunk)); at += chunk) {
    }
    return std::move(reader).finish_both();
}

void expect_same(const io::both_tables& got, const io::both_tables& wanted_table, bool has_columns,
                 std::string_view how) {
    ASSERT_EQ(exact_routes(got), exact_routes(wanted_table)) << how;
    if (has_columns) {
        ASSERT_EQ(exact_columns(got.ipv4.values), exact_columns(wanted_table.ipv4.values)) << how;
    }
}

void expect_round_trip(row_kind kind, const odd_round& made, std::size_t chunk, outcomes& counts) {
    const auto text = written(kind, made.table);
    if (!text) {
        ++counts.refused;
        ASSERT_TRUE(!made.is_tame || (kind == row_kind::text && made.names.size() > 1));
        return;
    }
    ++counts.written;
    const io::detection found = io::detect_format(*text, true, {});
    ASSERT_TRUE(found.format) << found.reason << "\n" << *text;
    const bool is_bare = text->empty();
    constexpr std::array formats{io::table_format::text, io::table_format::csv, io::table_format::json};
    ASSERT_EQ(*found.format, is_bare ? io::table_format::text : formats[static_cast<std::size_t>(kind)])
        << *text;
    const auto back = read_in_chunks(*found.format, *text, chunk);
    ASSERT_TRUE(back) << io::message(back.error()) << "\n" << *text;
    // NDJSON cannot store the columns of an empty table.
    expect_same(*back, made.table, !is_bare, *text);
}

TEST(table_round_trip, text_csv_and_ndjson_are_read_back) {
    std::array<outcomes, 3> counts;
    odd_rounds(1, 20'000, [&](random_numbers& random) {
        const odd_round made(random);
        const std::size_t chunk = random.below(4) == 0 ? 1 + random.below(20) : std::size_t{1} << 16;
        for (const row_kind kind : {row_kind::text, row_kind::csv, row_kind::ndjson})
            expect_round_trip(kind, made, chunk, counts[static_cast<std::size_t>(kind)]);
    });
    for (const outcomes& one : counts)
        one.expect_both();
}

class scratch_folder {
  public:
    scratch_folder()
        : path_(std::filesystem::path(::testing::TempDir()) / ("round_trip_" + std::to_string(::getpid()))) {
        std::filesystem::create_directories(path_);
    }
    ~scratch_folder() { std::filesystem::remove_all(path_); }
    scratch_folder(const scratch_folder&) = delete;
    scratch_folder& operator=(const scratch_folder&) = delete;
    std::string file(const std::string& name) const { return (path_ / name).string(); }

  private:
    std::filesystem::path path_;
};

// Converts with the functions of `convert`, and through files, including images and MRT.
TEST(table_round_trip, every_format_of_convert_is_read_back_from_a_file) {
    const scratch_folder folder;
    std::map<std::string_view, outcomes> counts;
    odd_rounds(500'000'001, 300, [&](random_numbers& random) {
        odd_round made(random);
        for (const conversion& one : conversions()) {
            // Formats that only other programs read.
            if (one.to == "nft" || one.to == "nginx-geo" || one.to == "haproxy-map" || one.to == "ipset")
                continue;
            const bool is_mrt = one.to.starts_with("mrt");
            table_choice choice;
            choice.path = folder.file("table");
            try {
                output out(choice.path);
                one.write(made.table, {choice}, out);
                out.finish();
            } catch (const failure&) {
                ++counts[one.to].refused;
                ASSERT_NE(one.to, "image");
                continue;
            }
            ++counts[one.to].written;
            if (is_mrt)
                continue;
            const bool is_bare = std::filesystem::file_size(choice.path) == 0;
            expect_same(load_both(choice), made.table, !is_bare, one.to);
        }
    });
    EXPECT_EQ(counts["image"].refused, 0U);
    for (const std::string_view form : {"csv", "text", "ndjson"})
        counts[form].expect_both();
}

// Derives the second table of a pair: some routes stay, some disappear, some change values, and some are new.
io::both_tables altered(const io::both_tables& from, odd_round& made) {
    const std::vector<std::string_view> columns(made.names.begin(), made.names.end());
    io::both_tables fresh = odd_table(made.random, made.texts, made.names, 4);
    io::table_builder to({.both = true}, columns);
    to.keep_empty_texts();
    std::vector<std::string_view> cells(columns.size());
    const auto add = [&]<class A>(const io::loaded_table<A>& table, std::uint64_t keep) {
        for (const route<A>& r : table.routes) {
            if (made.random.below(8) >= keep)
                continue;
            for (std::size_t i = 0; i < cells.size(); ++i)
                cells[i] = table.values.cell(r.hop, i);
            const std::string other = made.texts.value();
            if (made.random.below(4) == 0)
                cells[made.random.below(cells.size())] = other;
            to.add(r.where, cells);
        }
    };
    add(from.ipv4, 6);
    add(from.ipv6, 6);
    add(fresh.ipv4, 8);
    add(fresh.ipv6, 8);
    return std::move(to).finish_both(0);
}

// Empty when the updates are refused.
std::optional<std::string> updates_of(const io::both_tables& before, const io::both_tables& after) {
    const auto columns = columns_of_both(before, after);
    EXPECT_TRUE(columns) << columns.error();
    try {
        std::string out;
        difference_writer writer(diff_format::text, columns->names, columns->types);
        writer.begin(out);
        const auto add = [&](const auto& d) { writer.add(d, out); };
        (void)for_each_difference(before.ipv4, after.ipv4, *columns, add);
        (void)for_each_difference(before.ipv6, after.ipv6, *columns, add);
        return out;
    } catch (const failure& why) {
        EXPECT_NE(std::string_view(why.what()).find("choose --format csv"), std::string_view::npos)
            << why.what();
        return std::nullopt;
    }
}

template <class A>
using rows_by_prefix = std::map<prefix<A>, std::vector<std::string>>;

template <class A>
std::vector<std::string> row_of(const value_rows& values, next_hop hop) {
    std::vector<std::string> row;
    for (std::size_t i = 0; i < values.columns(); ++i)
        row.emplace_back(values.cell(hop, i));
    return row;
}

template <class A>
rows_by_prefix<A> as_map(const io::loaded_table<A>& table) {
    rows_by_prefix<A> all;
    for (const route<A>& r : table.routes)
        all[r.where] = row_of<A>(table.values, r.hop);
    return all;
}

template <class A>
void expect_updated(const io::loaded_table<A>& before, const io::loaded_table<A>& after,
                    std::string_view text, std::size_t chunk) {
    io::update_reader<A> reader("t", host_bits::refuse);
    for (std::size_t at = 0; at < text.size() && reader.feed(text.substr(at, chunk)); at += chunk) {
    }
    const auto read = std::move(reader).finish();
    ASSERT_TRUE(read) << io::message(read.error()) << "\n" << text;
    rows_by_prefix<A> table = as_map(before);
    for (const route<A>& one : read->updates) {
        if (one.hop == next_hop::none) {
            ASSERT_EQ(table.erase(one.where), 1U) << text;
        } else {
            auto row = row_of<A>(read->values, one.hop);
            ASSERT_NE(table[one.where], row) << text;
            table[one.where] = std::move(row);
        }
    }
    ASSERT_EQ(table, as_map(after)) << text;
}

TEST(table_round_trip, updates_of_diff_make_the_first_table_the_second) {
    outcomes counts;
    odd_rounds(1'000'000'001, 20'000, [&](random_numbers& random) {
        odd_round made(random);
        if (std::set(made.names.begin(), made.names.end()).size() < made.names.size())
            return;
        const io::both_tables after = altered(made.table, made);
        const auto text = updates_of(made.table, after);
        ++(text ? counts.written : counts.refused);
        ASSERT_TRUE(text || !made.is_tame);
        if (!text)
            return;
        const std::size_t chunk = random.below(4) == 0 ? 1 + random.below(20) : std::size_t{1} << 16;
        expect_updated(made.table.ipv4, after.ipv4, *text, chunk);
        expect_updated(made.table.ipv6, after.ipv6, *text, chunk);
    });
    counts.expect_both();
}

template <class A>
io::loaded_table<A> copy_of(const changed_table<A>& of) {
    return {of.live().copy_routes(), of.values(), {}};
}

// Applies a file of updates with the replayer and a live table.
TEST(table_round_trip, replay_reads_what_diff_writes) {
    const scratch_folder folder;
    std::size_t replayed = 0;
    odd_rounds(1'500'000'001, 200, [&](random_numbers& random) {
        odd_round made(random);
        if (std::set(made.names.begin(), made.names.end()).size() < made.names.size())
            return;
        const bool from_nothing = random.below(3) == 0;
        const io::both_tables before = from_nothing ? io::both_tables{} : made.table;
        const io::both_tables after = altered(made.table, made);
        const auto text = updates_of(before, after);
        if (!text)
            return;
        const std::string path = folder.file("updates");
        {
            output out(path);
            out.write(*text);
            out.finish();
        }
        replayer all(before, {.scheme = "patricia"});
        all.set_file("updates");
        const auto read = io::read_updates(path, {.format = io::update_format::text}, all);
        ASSERT_FALSE(read.error);
        const auto done = all.finish(0);
        ASSERT_EQ(done.bad_lines, 0U) << *text;
        const io::both_tables got{copy_of(all.ipv4()), copy_of(all.ipv6())};
        // Text updates have no types, and their missing cells are empty texts.
        ASSERT_EQ(as_map(got.ipv4), as_map(after.ipv4)) << *text;
        ASSERT_EQ(as_map(got.ipv6), as_map(after.ipv6)) << *text;
        if (has_routes(after) && !text->empty()) {
            ASSERT_EQ(io::names_of(got.ipv4.values), io::names_of(after.ipv4.values)) << *text;
        }
        ++replayed;
    });
    EXPECT_GT(replayed, 0U);
}

TEST(table_round_trip, formats_name_what_convert_writes) {
    for (const io::table_format format : io::table_formats()) {
        const std::string_view written = io::entry_of(format).written_as;
        const auto same = [&](const conversion& one) { return one.to == written; };
        EXPECT_TRUE(written.empty() || std::any_of(conversions().begin(), conversions().end(), same))
            << written;
    }
}

} // namespace
} // namespace fingerpost::cli
