// MRT files read by one thread and by several: the same parts in the same order, errors and exceptions.
#include <atomic>
#include <gtest/gtest.h>
#include <stdexcept>
#include <string>
#include <thread>

#include "io/source/mrt/mrt_file.hpp"
#include "tests/support/images.hpp"
#include "tests/support/mrt_listing.hpp"
#include "tests/support/mrt_writer.hpp"

namespace fingerpost::testing {
namespace {

struct lines final : io::mrt_part {
    std::string text;
    void take(std::span<const io::mrt::entry> entries) override {
        for (const io::mrt::entry& e : entries)
            text += text_of(e);
    }
    void skip(const io::mrt::damage& gap) override { text += text_of(gap); }
};

struct all_of_it {
    std::string text;
    io::mrt::counts counted;
    std::string error;
    std::size_t parts = 0; // delivered
};

all_of_it read(const fs::path& path, std::optional<unsigned> threads) {
    all_of_it all;
    const auto deliver = [&all](io::mrt_part& part) {
        std::string& made = static_cast<lines&>(part).text;
        all.text += made;
        made.clear();
        ++all.parts;
    };
    const auto made =
        io::read_mrt(path.string(), {[] { return std::make_unique<lines>(); }, deliver, threads});
    all.counted = made.counted;
    if (made.error)
        all.error = message(*made.error);
    return all;
}

void write(const fs::path& path, const octets& bytes) {
    write_file(path, bytes.view());
}

// Tables whose peers change, and some damage now and then; a few megabytes, which are several batches.
octets many_records(unsigned tables) {
    octets all;
    for (unsigned i = 0; i < tables; ++i) {
        all.add(record(i, 13, 1, peer_index({{"192.0.2.1", i}, {"2001:db8::1", i + 1}})));
        for (unsigned j = 0; j < 200; ++j) {
            const std::string prefix = "10." + std::to_string(i % 256) + "." + std::to_string(j) + ".0/24";
            const octets attributes = as_path(4, {j, i}) + attribute(8, octets().zeros(i * j % 500));
            all.add(record(i, 13, 2, rib(prefix, {rib_entry(j % 2, attributes), rib_entry(1, attributes)})));
        }
        if (i % 3 == 0)
            all.u32(0xffff'ffff).u32(0xffff'ffff).u32(0xffff'ffff);
        if (i % 5 == 0)
            all.add(record(i, 13, 2, rib("10.0.0.0/8", {rib_entry(7, {})})));
    }
    return all;
}

TEST(mrt_file, OneThreadAndSeveralReadTheSame) {
    const scratch_folder folder;
    const octets stream = many_records(60);
    const fs::path path = folder / "many";
    write(path, stream);
    const auto alone = read(path, 0);
    const auto truth = list_mrt(stream.view());
    EXPECT_EQ(alone.text, truth.text);
    EXPECT_EQ(alone.counted, truth.decoder.counted());
    EXPECT_EQ(alone.counted.entries, 60u * 400);
    EXPECT_EQ(alone.counted.damaged, 60u / 3 + 60 / 5);
    for (const unsigned threads : {1u, 2u, 3u, 8u}) {
        const auto several = read(path, threads);
        EXPECT_TRUE(several.text == alone.text) << threads;
        EXPECT_EQ(several.counted, alone.counted) << threads;
        EXPECT_EQ(several.error, "");
        EXPECT_GT(several.parts, 5u);
    }
    EXPECT_TRUE(read(path, std::nullopt).text == alone.text);
}

TEST(mrt_file, EmptyFilesAndFilesThatAreNotThere) {
    const scratch_folder folder;
    write(folder / "empty", {});
    for (const unsigned threads : {0u, 2u}) {
        const auto empty = read(folder / "empty", threads);
        EXPECT_EQ(empty.text, "");
        EXPECT_EQ(empty.error, "");
        EXPECT_EQ(empty.counted, io::mrt::counts{});
        const auto missing = read(folder / "missing", threads);
        EXPECT_NE(missing.error.find("No such file"), std::string::npos) << missing.error;
        EXPECT_NE(read(folder.path(), threads).error, "");
    }
}

// The records before a damaged member of a compressed file are delivered.
TEST(mrt_file, AnErrorWithinComesAfterWhatWasRead) {
#if FINGERPOST_HAVE_ZLIB
    const scratch_folder folder;
    const octets stream = many_records(20);
    // Stored, not compressed: a member of blocks of 65,535 bytes at most, the last of which is cut off.
    octets stored;
    stored.u32(0x1f8b'0800).zeros(6);
    for (std::size_t at = 0; at + 60'000 < stream.size(); at += 60'000) {
        stored.u8(0).u16(0x60ea).u16(0x9f15);
        octets part;
        for (const std::byte b : stream.view().subspan(at, 60'000))
            part.u8(static_cast<unsigned>(b));
        stored.add(part);
    }
    write(folder / "cut.gz", stored);
    const auto alone = read(folder / "cut.gz", 0);
    EXPECT_NE(alone.error, "");
    EXPECT_GT(alone.counted.entries, 20u * 400 / 2);
    for (const unsigned threads : {1u, 4u}) {
        const auto several = read(folder / "cut.gz", threads);
        EXPECT_EQ(several.error, alone.error);
        EXPECT_EQ(several.counted, alone.counted);
        EXPECT_TRUE(several.text == alone.text);
    }
#else
    GTEST_SKIP() << "built without zlib";
#endif
}

struct interrupted : std::runtime_error {
    using std::runtime_error::runtime_error;
};

// A part that throws at its hundredth entry.
struct throwing final : io::mrt_part {
    std::size_t left = 100;
    void take(std::span<const io::mrt::entry> entries) override {
        if (left < entries.size())
            throw interrupted("take");
        left -= entries.size();
    }
    void skip(const io::mrt::damage&) override {}
};

TEST(mrt_file, WhateverIsThrownEndsTheReading) {
    const scratch_folder folder;
    write(folder / "many", many_records(30));
    const std::string path = (folder / "many").string();
    const auto usual = [] { return std::make_unique<lines>(); };
    for (const unsigned threads : {0u, 1u, 4u}) {
        const auto reason = [&](io::mrt_options options) -> std::string {
            options.threads = threads;
            try {
                (void)io::read_mrt(path, options);
            } catch (const interrupted& thrown) {
                return thrown.what();
            }
            return "nothing thrown";
        };
        EXPECT_EQ(reason({usual, [](io::mrt_part&) { throw interrupted("deliver"); }, {}}), "deliver")
            << threads;
        EXPECT_EQ(reason({[] { return std::make_unique<throwing>(); }, [](io::mrt_part&) {}, {}}), "take");
        EXPECT_EQ(reason({[]() -> std::unique_ptr<io::mrt_part> { throw interrupted("make"); },
                          [](io::mrt_part&) {},
                          {}}),
                  "make");
        // The third part: others are decoded or being decoded then.
        std::atomic<unsigned> made = 0;
        const auto third = [&]() -> std::unique_ptr<io::mrt_part> {
            if (++made == 3)
                throw interrupted("third");
            return std::make_unique<lines>();
        };
        EXPECT_EQ(reason({third, [](io::mrt_part&) {}, {}}), threads == 0 ? "nothing thrown" : "third");
    }
}

// The reader waits for the receiver of the parts, so that a large file does not fill the memory.
TEST(mrt_file, SlowReceiversHoldTheReaderBack) {
    const scratch_folder folder;
    write(folder / "many", many_records(150));
    std::atomic<unsigned> made = 0;
    unsigned delivered = 0, most = 0;
    const auto make = [&] {
        ++made;
        return std::make_unique<lines>();
    };
    const auto deliver = [&](io::mrt_part&) {
        std::this_thread::sleep_for(std::chrono::milliseconds(2));
        most = std::max(most, made - delivered);
        ++delivered;
    };
    const auto read = io::read_mrt((folder / "many").string(), {make, deliver, 2});
    EXPECT_EQ(read.counted.entries, 150u * 400);
    EXPECT_EQ(made, delivered);
    EXPECT_GT(delivered, 20u);
    EXPECT_LE(most, 2u * 2 + 2 + 1);
}

} // namespace
} // namespace fingerpost::testing
