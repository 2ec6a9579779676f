// The parts of a replay: batches, real time, durations by size, and the stream of updates.
#include <algorithm>
#include <gtest/gtest.h>
#include <random>
#include <string>
#include <vector>

#include "cli/replay/latency_histogram.hpp"
#include "cli/replay/replay_batch.hpp"
#include "io/source/update_stream.hpp"
#include "tests/support/images.hpp"
#include "tests/support/mrt_listing.hpp"
#include "tests/support/mrt_writer.hpp"

namespace fingerpost::testing::of_replay {
namespace {

using cli::batch_rule;
using cli::latency_histogram;
using cli::pacer;
using cli::update_time;

// Returns the sizes of the batches that a replay of these updates commits, following replayer::take().
std::vector<unsigned> batches(batch_rule rule, const std::vector<std::pair<update_time, bool>>& updates) {
    std::vector<unsigned> sizes;
    unsigned now = 0;
    const auto commit = [&] {
        if (!rule.is_empty())
            sizes.push_back(std::exchange(now, 0));
        rule.clear();
    };
    for (const auto& [time, changes] : updates) {
        if (rule.ends_before(time))
            commit();
        now += changes ? 1 : 0;
        rule.note(time, changes);
        if (rule.is_full())
            commit();
    }
    commit();
    return sizes;
}

TEST(replay_batches, BySizeCountsChangesOnly) {
    std::vector<std::pair<update_time, bool>> updates;
    for (unsigned i = 0; i < 10; ++i) {
        updates.emplace_back(i, true);
        updates.emplace_back(i, false);
    }
    EXPECT_EQ(batches(batch_rule::by_size(4), updates), (std::vector<unsigned>{4, 4, 2}));
    EXPECT_EQ(batches(batch_rule::by_size(1), updates), std::vector<unsigned>(10, 1));
    EXPECT_EQ(batches(batch_rule::by_size(10), updates), std::vector<unsigned>{10});
    EXPECT_EQ(batches(batch_rule::by_size(11), updates), std::vector<unsigned>{10});
    EXPECT_EQ(batches(batch_rule::by_size(0), updates), std::vector<unsigned>(10, 1));
    EXPECT_EQ(batches(batch_rule::by_size(4), {}), std::vector<unsigned>{});
}

TEST(replay_batches, ByTimeEndsBeforeAnotherTime) {
    const auto rule = batch_rule::by_time();
    EXPECT_EQ(batches(rule, {{5, true}, {5, true}, {6, true}, {5, true}}), (std::vector<unsigned>{2, 1, 1}));
    // Updates without a time belong to the preceding update.
    EXPECT_EQ(batches(rule, {{5, true}, {{}, true}, {5, true}, {7, true}, {{}, true}}),
              (std::vector<unsigned>{3, 2}));
    // Updates that change nothing neither split a batch nor start one.
    EXPECT_EQ(batches(rule, {{5, false}, {6, false}, {7, true}, {8, false}, {9, true}}),
              (std::vector<unsigned>{1, 1}));
    EXPECT_EQ(batches(rule, {{{}, true}, {{}, true}}), std::vector<unsigned>{2});
    // A file without times is not replayed as one batch.
    const std::vector<std::pair<update_time, bool>> many(batch_rule::most + 3, {update_time{}, true});
    EXPECT_EQ(batches(rule, many), (std::vector<unsigned>{batch_rule::most, 3}));
}

constexpr std::uint64_t second = 1'000'000;

TEST(replay_pacer, UpdatesAreDueAsFarApartAsRecorded) {
    pacer real(1);
    EXPECT_EQ(real.wait(1'000 * second, 50), 0);
    EXPECT_DOUBLE_EQ(real.wait(1'000 * second, 50), 0);
    EXPECT_DOUBLE_EQ(real.wait(1'010 * second, 52), 8);
    EXPECT_DOUBLE_EQ(real.wait(1'010 * second, 57), 3);
    EXPECT_DOUBLE_EQ(real.wait(1'010 * second, 61), 0);
    EXPECT_DOUBLE_EQ(real.wait(1'011 * second + second / 2, 61), 0.5);
    EXPECT_EQ(real.wait({}, 61), 0);
    pacer fast(10);
    EXPECT_EQ(fast.wait(0, 0), 0);
    EXPECT_DOUBLE_EQ(fast.wait(100 * second, 1), 9);
}

TEST(replay_pacer, ClocksThatJumpAreNotWaitedFor) {
    pacer real(1);
    EXPECT_EQ(real.wait(1'000'000 * second, 0), 0);
    // Jumps ahead by more than a day, and back.
    EXPECT_EQ(real.wait(4'000'000'000 * second, 1), 0);
    EXPECT_DOUBLE_EQ(real.wait(4'000'000'001 * second, 1), 1);
    EXPECT_EQ(real.wait(1'000'000 * second, 2), 0);
    EXPECT_DOUBLE_EQ(real.wait(1'000'005 * second, 2), 5);
    // Records of one collector may be slightly out of order.
    EXPECT_DOUBLE_EQ(real.wait(1'000'004 * second + second / 2, 2), 4.5);
    EXPECT_DOUBLE_EQ(real.wait(1'000'006 * second, 2), 6);
}

TEST(latency_histogram, QuantilesAreASixteenthHighAtMost) {
    std::mt19937_64 random(3);
    for (const unsigned bits : {3u, 6u, 20u, 40u, 63u}) {
        std::vector<std::uint64_t> all(5'000);
        latency_histogram made;
        for (std::uint64_t& value : all)
            made.add(value = random() >> (64 - bits));
        std::sort(all.begin(), all.end());
        EXPECT_EQ(made.count(), all.size());
        EXPECT_EQ(made.largest(), all.back());
        for (const double share : {0.0002, 0.25, 0.5, 0.99, 1.0}) {
            const auto exact = all[static_cast<std::size_t>(share * 5'000 + 0.5) - 1];
            EXPECT_GE(made.quantile(share), exact) << bits << " " << share;
            EXPECT_LE(made.quantile(share), exact + exact / 16) << bits << " " << share;
        }
    }
    EXPECT_EQ(latency_histogram().quantile(0.5), 0u);
}

// Formats all output of a stream of updates as text.
struct listing final : io::update_receiver {
    std::string text;
    unsigned pauses = 0;

    void begin(std::span<const std::string_view> columns) override {
        for (const std::string_view one : columns)
            text += std::string(one) + " ";
        text += "\n";
    }
    void take(const io::update& one) override {
        text += one.announced ? "A " : "W ";
        text += one.microseconds ? std::to_string(*one.microseconds) : "-";
        text += " " + text_of_any(one.where);
        if (one.announced)
            for (const std::string_view cell : one.cells)
                text += " " + std::string(cell);
        text += "\n";
    }
    void skip(const io::mrt::damage& where) override { text += text_of(where); }
    void refuse(const io::input_error& line) override {
        text += "? " + std::to_string(line.line) + " " + line.text + ": " + line.reason + "\n";
    }
    void pause() override { ++pauses; }
};

std::string listed(std::span<const std::byte> bytes, const io::update_options& options,
                   io::update_result* result = nullptr) {
    const scratch_folder folder;
    write_file(folder / "updates", bytes);
    listing all;
    const auto read = io::read_updates((folder / "updates").string(), options, all);
    EXPECT_FALSE(read.error);
    EXPECT_EQ(all.pauses, 0u) << "a file is not waited for";
    if (result != nullptr)
        *result = read;
    return all.text;
}
std::string listed(std::string_view text, const io::update_options& options = {},
                   io::update_result* result = nullptr) {
    return listed(std::as_bytes(std::span(text)), options, result);
}

TEST(update_stream, Text) {
    io::update_result result;
    EXPECT_EQ(listed("# recorded\n"
                     "1418774413 a 10.0.0.0/8 192.0.2.1\r\n"
                     "W 2001:db8::/32\n"
                     "\n"
                     "A,10.0.0.1/8,eth0\n"
                     "99999999999999999999 W 10.0.0.0/8 0.0.0.0\n"
                     "A 10.0.0.0/8\n"
                     "X 10.0.0.0/8 a\n"
                     "A 10.0.0.0/33 a\n"
                     "W default",
                     {}, &result),
              "next_hop \n"
              "A 1418774413000000 10.0.0.0/8 192.0.2.1\n"
              "W - 2001:db8::/32\n"
              "A - 10.0.0.0/8 eth0\n"
              "W - 10.0.0.0/8\n"
              "A - 10.0.0.0/8 \n"
              "? 8 X 10.0.0.0/8 a: not an update (`A prefix next_hop` or `W prefix`)\n"
              "? 9 10.0.0.0/33: prefix length 33 is longer than 32\n"
              "? 10 default: unexpected 'u' at column 5\n");
    EXPECT_EQ(result.format, io::update_format::text);
    EXPECT_EQ(result.updates, 5u);
    EXPECT_EQ(result.lines, 10u);
    EXPECT_EQ(result.masked, 1u);
    EXPECT_EQ(listed("\xef\xbb\xbfW ::/0\n"), "next_hop \nW - ::/0\n");
    EXPECT_NE(listed("W 10.0.0.1/8\n", {.policy = host_bits::refuse}).find("? 1 10.0.0.1/8"),
              std::string::npos);
    EXPECT_EQ(listed(""), "");
    // One line is too long; the next one is read.
    const std::string longest(70'000, 'x');
    EXPECT_EQ(listed(longest + "\nW ::/0\n"),
              "? 1 : the line has more than 65536 bytes\nnext_hop \nW - ::/0\n");
}

octets bgp4mp(unsigned subtype, std::string_view peer, unsigned as, const octets& body) {
    return record(10, 16, subtype, session(2, as, peer) + body);
}

TEST(update_stream, MrtOfOnePeerOrAll) {
    const octets announced =
        update(prefixes({"10.2.0.0/16"}), as_path(2, {7, 8}) + next_hop_attribute("10.9.9.1"),
               prefixes({"10.0.0.0/8", "10.1.0.0/16"}));
    const octets withdrawn = update(prefixes({"10.0.0.0/8"}), {}, {});
    const octets multicast =
        update({}, as_path(2, {7}) + mp_reach(2, 2, "2001:db8::1", prefixes({"2001:db8::/32"})), {});
    const octets six =
        update(prefixes({"10.3.0.0/16"}),
               as_path(2, {7}) + mp_reach(2, 1, "2001:db8::1", prefixes({"2001:db8::/32"})), {});
    const octets all = bgp4mp(1, "192.0.2.1", 1, announced) + bgp4mp(1, "192.0.2.2", 2, withdrawn) +
                       bgp4mp(6, "192.0.2.1", 1, withdrawn) + bgp4mp(1, "192.0.2.1", 1, multicast) +
                       bgp4mp(1, "192.0.2.1", 1, octets().zeros(30)) + bgp4mp(1, "2001:db8::5", 2, six);
    io::update_result result;
    const std::string first = "W 10000000 10.2.0.0/16\n"
                              "A 10000000 10.0.0.0/8 10.9.9.1\n"
                              "A 10000000 10.1.0.0/16 10.9.9.1\n";
    const octets before = bgp4mp(1, "192.0.2.1", 1, announced) + bgp4mp(1, "192.0.2.2", 2, withdrawn) +
                          bgp4mp(6, "192.0.2.1", 1, withdrawn) + bgp4mp(1, "192.0.2.1", 1, multicast);
    const std::string damaged = "! " + std::to_string(before.size()) + "+58 the BGP message has no marker\n";
    EXPECT_EQ(listed(all.view(), {}, &result), "next_hop \n" + first + "W 10000000 10.0.0.0/8\n" + damaged +
                                                   "W 10000000 10.3.0.0/16\n"
                                                   "A 10000000 2001:db8::/32 2001:db8::1\n");
    EXPECT_EQ(result.format, io::update_format::mrt);
    EXPECT_EQ(result.updates, 6u);
    EXPECT_EQ(result.sent, 1u);
    EXPECT_EQ(result.multicast, 1u);
    EXPECT_EQ(result.peers, 2u);
    EXPECT_EQ(result.counted.damaged, 1u);
    io::update_options one;
    one.choice = {*io::parse_peer("192.0.2.1"), io::mrt_values::all};
    EXPECT_EQ(listed(all.view(), one, &result), "next_hop peer_address peer_as origin_as \n"
                                                "W 10000000 10.2.0.0/16\n"
                                                "A 10000000 10.0.0.0/8 10.9.9.1 192.0.2.1 1 8\n"
                                                "A 10000000 10.1.0.0/16 10.9.9.1 192.0.2.1 1 8\n" +
                                                    damaged);
    EXPECT_EQ(result.peers, 1u);
    EXPECT_EQ(result.other_peers, 3u);
    one.choice = {*io::parse_peer("AS2"), io::mrt_values::origin_as};
    EXPECT_EQ(listed(all.view(), one), "origin_as \nW 10000000 10.0.0.0/8\n" + damaged +
                                           "W 10000000 10.3.0.0/16\nA 10000000 2001:db8::/32 7\n");
}

TEST(update_stream, TheFormatMayBeForced) {
    io::update_result result;
    io::update_options as_mrt;
    as_mrt.format = io::update_format::mrt;
    EXPECT_EQ(listed("W 10.0.0.0/8\n", as_mrt, &result), "next_hop \n! 0+13 no record begins here\n");
    EXPECT_EQ(result.counted.records, 0u);
    io::update_options as_text;
    as_text.format = io::update_format::text;
    const octets table = record(10, 13, 1, peer_index({{"192.0.2.3", 64'503}}));
    EXPECT_EQ(listed(table.view(), as_text).substr(0, 4), "? 1 ");
    EXPECT_EQ(listed(table.view(), {}, &result), "next_hop \n");
    listing none;
    EXPECT_TRUE(io::read_updates("/nonexistent/updates", {}, none).error);
}

} // namespace
} // namespace fingerpost::testing::of_replay
