// Cutting a stream into MRT records: in pieces of any size, cut off anywhere, and after damage.
#include <algorithm>
#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "io/format/mrt/batch.hpp"
#include "tests/support/mrt_listing.hpp"
#include "tests/support/mrt_writer.hpp"

namespace fingerpost::testing {
namespace {

using io::mrt::skipped;

octets update_record(std::uint32_t seconds, std::string_view prefix, unsigned type = 16) {
    const octets body = session(4, 65'001, "192.0.2.1") + update(prefixes({prefix}), {}, {});
    return record(seconds, type, 4, type == 17 ? octets().u32(7).add(body) : body);
}
octets peers() {
    return record(1, 13, 1, peer_index({{"192.0.2.1", 65'001}}));
}
octets rib_record(std::string_view prefix, std::size_t filler = 0) {
    const octets attributes = as_path(4, {65'001}) + attribute(8, octets().zeros(filler));
    return record(10, 13, 2, rib(prefix, {rib_entry(0, attributes)}));
}
octets table_dump_record(std::string_view base) {
    return record(10, 12, 1,
                  table_dump(table_dump_entry(base, 16, "192.0.2.1", 65'001, as_path(2, {65'001}))));
}

// Every type of record, one after the other.
octets all_types() {
    return update_record(10, "10.0.0.0/8") + update_record(10, "10.0.0.0/8", 17) + peers() +
           rib_record("10.0.0.0/8") + rib_record("11.0.0.0/8", 300) + table_dump_record("10.1.0.0") +
           table_dump_record("10.2.0.0") +
           record(10, 5, 1,
                  octets()
                      .u16(1)
                      .address("192.0.2.1")
                      .u16(2)
                      .address("192.0.2.2")
                      .add(update_body(prefixes({"10.0.0.0/8"}), {}, {})));
}

void expect_same_in_pieces(const octets& stream) {
    const auto whole = list_mrt(stream.view());
    EXPECT_TRUE(whole.is_complete);
    for (const std::size_t piece : {1, 2, 3, 7, 11, 12, 13, 64, 100, 1000}) {
        const auto pieces = list_mrt(stream.view(), piece);
        EXPECT_EQ(pieces.text, whole.text) << "in pieces of " << piece;
        EXPECT_EQ(pieces.decoder.counted(), whole.decoder.counted()) << "in pieces of " << piece;
        EXPECT_TRUE(pieces.is_complete) << "in pieces of " << piece;
    }
}

std::string entry_of(std::string_view prefix) {
    return "W 10 192.0.2.1 65001 " + std::string(prefix) + " - -\n";
}
std::string rib_entry_of(std::string_view prefix) {
    return "B 10 192.0.2.1 65001 " + std::string(prefix) + " - 65001\n";
}
std::string gap(std::size_t at, std::size_t size, std::string_view why) {
    return "! " + std::to_string(at) + "+" + std::to_string(size) + " " + std::string(why) + "\n";
}

TEST(mrt_records, AnEmptyStreamHasNone) {
    const auto none = list_mrt({});
    EXPECT_EQ(none.text, "");
    EXPECT_EQ(none.decoder.counted(), io::mrt::counts{});
}

TEST(mrt_records, PiecesOfAnySize) {
    expect_same_in_pieces(all_types());
    EXPECT_EQ(list_mrt(all_types().view()).records, 8u);
    EXPECT_EQ(list_mrt(all_types().view()).decoder.counted().entries, 7u);
}

// Cut at each byte: all that was whole is delivered, the rest is damage, reported once.
TEST(mrt_records, CutOffAnywhere) {
    const octets records[] = {peers(), rib_record("10.0.0.0/8"), update_record(10, "11.0.0.0/8"),
                              table_dump_record("10.1.0.0"), update_record(10, "12.0.0.0/8", 17)};
    octets all;
    std::vector<std::size_t> starts;
    for (const octets& one : records) {
        starts.push_back(all.size());
        all.add(one);
    }
    for (std::size_t size = 1; size < all.size(); ++size) {
        const auto last = std::prev(std::upper_bound(starts.begin(), starts.end(), size - 1));
        const auto before = static_cast<std::uint64_t>(last - starts.begin());
        for (const std::size_t piece : {std::size_t{0}, std::size_t{1}}) {
            const auto got = list_mrt(all.first(size).view(), piece);
            EXPECT_TRUE(got.is_complete) << size;
            const bool is_whole = std::find(starts.begin(), starts.end(), size) != starts.end();
            ASSERT_EQ(got.decoder.counted().records, before + (is_whole ? 1 : 0)) << size << got.text;
            ASSERT_EQ(got.decoder.counted().damaged, is_whole ? 0u : 1u) << size << got.text;
            if (is_whole)
                continue;
            const std::size_t left = size - *last;
            const std::string_view why =
                left < 12 ? "the input ends within a record header" : "the input ends within the record";
            EXPECT_TRUE(got.text.ends_with(gap(*last, left, why))) << got.text;
        }
    }
}

TEST(mrt_records, NoiseBetweenRecordsIsSkipped) {
    octets noise;
    for (unsigned i = 0; i < 100; ++i)
        noise.u8(0x80 + i);
    const octets before = update_record(10, "10.0.0.0/8"), after = update_record(10, "11.0.0.0/8");
    for (const std::size_t size : {1, 5, 11, 12, 13, 100}) {
        const octets stream = before + noise.first(size) + after + after;
        EXPECT_EQ(list_mrt(stream.view()).text, entry_of("10.0.0.0/8") +
                                                    gap(before.size(), size, "no record begins here") +
                                                    entry_of("11.0.0.0/8") + entry_of("11.0.0.0/8"));
        expect_same_in_pieces(stream);
    }
    const octets at_end = before + noise;
    EXPECT_EQ(list_mrt(at_end.view()).text,
              entry_of("10.0.0.0/8") + gap(before.size(), noise.size(), "no record begins here"));
    expect_same_in_pieces(at_end);
    const octets alone = noise + noise;
    EXPECT_EQ(list_mrt(alone.view()).text, gap(0, 200, "no record begins here"));
    expect_same_in_pieces(alone);
}

// A length in a header is wrong: the later records are found again, except for those that it swallows.
TEST(mrt_records, WrongLengthsOfTables) {
    const octets one = rib_record("10.0.0.0/8"), two = rib_record("11.0.0.0/8"),
                 three = rib_record("12.0.0.0/8");
    const std::size_t length = one.size() - 12, at = peers().size();
    for (const std::size_t wrong : {length + 1, length + 5, length + 100, length - 1, std::size_t{7}}) {
        octets damaged = one;
        damaged[10] = static_cast<std::byte>(wrong >> 8);
        damaged[11] = static_cast<std::byte>(wrong);
        const octets stream = peers() + damaged + two + three + three + three + three;
        const auto got = list_mrt(stream.view());
        EXPECT_TRUE(got.text.starts_with("! " + std::to_string(at) + "+")) << wrong << "\n" << got.text;
        const std::string rest = rib_entry_of("12.0.0.0/8");
        EXPECT_TRUE(got.text.ends_with(rib_entry_of("11.0.0.0/8") + rest + rest + rest + rest))
            << wrong << "\n"
            << got.text;
        EXPECT_TRUE(got.is_complete);
        EXPECT_EQ(got.decoder.counted().entries, 5u);
        expect_same_in_pieces(stream);
    }
}

TEST(mrt_records, WrongLengthsOfMessages) {
    const octets one = update_record(10, "10.0.0.0/8"), two = update_record(10, "11.0.0.0/8");
    const std::size_t length = one.size() - 12;
    for (const std::size_t wrong : {length - 1, length + 1, length + 4, length - 9}) {
        octets damaged = one;
        damaged[11] = static_cast<std::byte>(wrong);
        const octets stream = two + damaged + two + two + two;
        const auto got = list_mrt(stream.view());
        EXPECT_TRUE(got.text.starts_with(entry_of("11.0.0.0/8") + "! " + std::to_string(two.size()) + "+"))
            << wrong << "\n"
            << got.text;
        EXPECT_TRUE(got.text.ends_with(entry_of("11.0.0.0/8") + entry_of("11.0.0.0/8"))) << wrong << "\n"
                                                                                         << got.text;
        EXPECT_TRUE(got.is_complete);
        expect_same_in_pieces(stream);
    }
    // More than any message has: the reader does not wait for the record.
    octets huge = one;
    huge[8] = std::byte{0x7f};
    const octets stream = huge + two + two;
    EXPECT_EQ(list_mrt(stream.view()).text,
              gap(0, one.size(), "no record begins here") + entry_of("11.0.0.0/8") + entry_of("11.0.0.0/8"));
    expect_same_in_pieces(stream);
}

// Every byte of a stream in turn has a wrong value: everything is accounted for, the same in pieces, and
// records far after it are read again.
TEST(mrt_records, AnyByteDamaged) {
    const octets good = all_types();
    const octets stream = good + good + good;
    const auto whole = list_mrt(stream.view());
    std::size_t lost = 0;
    for (std::size_t at = 0; at < good.size(); ++at)
        for (const std::byte flip : {std::byte{0x01}, std::byte{0x80}, std::byte{0xff}}) {
            octets damaged = stream;
            damaged[at] ^= flip;
            const auto got = list_mrt(damaged.view());
            ASSERT_TRUE(got.is_complete) << at;
            ASSERT_EQ(list_mrt(damaged.view(), 13).text, got.text) << at;
            // The last of three parts has entries of its own peers again.
            EXPECT_GE(got.decoder.counted().entries, whole.decoder.counted().entries / 3) << at << got.text;
            lost += got.decoder.counted().damaged != 0;
        }
    EXPECT_GT(lost, good.size() / 2);
}

TEST(mrt_records, OtherTypesAreTakenWhenARecordFollows) {
    const octets foreign = record(10, 32, 0, octets().zeros(50)); // IS-IS
    const auto got = list_mrt((foreign + update_record(10, "10.0.0.0/8") + foreign).view());
    EXPECT_EQ(got.text, entry_of("10.0.0.0/8"));
    EXPECT_EQ(got.decoder.counted()[skipped::other_record], 2u);
    EXPECT_TRUE(got.is_complete);
    octets wrong = foreign;
    wrong[11] = std::byte{49};
    const octets stream = wrong + update_record(10, "10.0.0.0/8") + update_record(10, "11.0.0.0/8");
    EXPECT_EQ(list_mrt(stream.view()).text, gap(0, foreign.size(), "no record begins here") +
                                                entry_of("10.0.0.0/8") + entry_of("11.0.0.0/8"));
    expect_same_in_pieces(stream);
}

// The longest body that is accepted, and one byte more.
TEST(mrt_records, LongRecords) {
    const auto huge = [](std::size_t body) {
        const std::size_t count = (body - 8) / 65'543;
        octets entries;
        for (std::size_t i = 0; i < count; ++i)
            entries.add(rib_entry(0, octets().u8(0x50).u8(8).u16(65'531).zeros(65'531)));
        const std::size_t left = body - 8 - entries.size();
        entries.add(rib_entry(0, octets().u8(0x50).u8(8).u16(left - 12).zeros(left - 12)));
        return record(10, 13, 2, octets().u32(0).prefix("10.0.0.0/8").u16(count + 1).add(entries));
    };
    const octets most = huge(io::mrt::max_body_bytes), more = huge(io::mrt::max_body_bytes + 1);
    const auto taken = list_mrt((peers() + most + rib_record("11.0.0.0/8")).view(), 100'000);
    EXPECT_EQ(taken.decoder.counted().damaged, 0u);
    EXPECT_EQ(taken.decoder.counted().entries, io::mrt::max_body_bytes / 65'543 + 2);
    const auto skipped =
        list_mrt((peers() + more + rib_record("11.0.0.0/8") + rib_record("12.0.0.0/8")).view(), 100'000);
    EXPECT_EQ(skipped.text, gap(peers().size(), more.size(), "no record begins here") +
                                rib_entry_of("11.0.0.0/8") + rib_entry_of("12.0.0.0/8"));
}

// Cuts a stream into batches and decodes these last to first.
TEST(mrt_records, BatchesDecodeInAnyOrder) {
    struct cutter {
        io::mrt::shared_peers peers;
        std::vector<io::mrt::batch> all{io::mrt::batch(nullptr, 200)};

        void take(const io::mrt::record& whole) {
            if (all.back().is_full_for(whole.body.size()))
                all.emplace_back(peers, 200);
            all.back().add(whole);
            io::mrt::follow_peers(whole, peers);
        }
        void skip(const io::mrt::damage& gap) { all.back().add(gap); }
    };
    struct lines {
        std::string text;
        void take(std::span<const io::mrt::entry> entries) {
            for (const io::mrt::entry& e : entries)
                text += text_of(e);
        }
        void skip(const io::mrt::damage& gap) { text += text_of(gap); }
    };
    const octets other = record(1, 13, 1, peer_index({{"192.0.2.7", 7}}));
    const octets stream = all_types() + octets().zeros(20).u8(1) + all_types() + other +
                          rib_record("10.0.0.0/8", 600) + rib_record("11.0.0.0/8") + all_types();
    cutter cut;
    io::mrt::record_reader reader;
    reader.feed(stream.view(), cut);
    reader.finish(cut);
    EXPECT_GT(cut.all.size(), 4u);
    std::string text;
    io::mrt::counts counted;
    for (auto one = cut.all.rbegin(); one != cut.all.rend(); ++one) {
        lines part;
        counted += one->decode(part);
        text = part.text + text;
    }
    const auto whole = list_mrt(stream.view());
    EXPECT_EQ(text, whole.text);
    EXPECT_EQ(counted, whole.decoder.counted());
    EXPECT_NE(text.find("B 10 192.0.2.7 7 11.0.0.0/8"), std::string::npos);
}

} // namespace
} // namespace fingerpost::testing
