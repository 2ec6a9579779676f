// Files and pipes, plain and compressed: whole, concatenated, cut off anywhere, and damaged.
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <gtest/gtest.h>
#include <string>
#include <string_view>
#include <unistd.h>
#include <vector>

#include "io/format/image/image_start.hpp"
#include "io/source/any_table.hpp"
#include "io/source/compression/encoder.hpp"
#include "io/source/file.hpp"

#ifdef FINGERPOST_HAVE_ZLIB
#include <zlib.h>
#endif
#ifdef FINGERPOST_HAVE_BZ2
#include <bzlib.h>
#endif
#ifdef FINGERPOST_HAVE_LZMA
#include <lzma.h>
#endif
#ifdef FINGERPOST_HAVE_ZSTD
#include <zstd.h>
#endif

namespace fingerpost::io {
namespace {

namespace fs = std::filesystem;

class scratch_folder : public ::testing::Test {
  protected:
    void SetUp() override {
        std::string name = (fs::temp_directory_path() / "fingerpost-XXXXXX").string();
        ASSERT_NE(mkdtemp(name.data()), nullptr);
        folder_ = name;
    }
    void TearDown() override { fs::remove_all(folder_); }

    std::string file(std::string_view bytes) {
        const fs::path path = folder_ / std::to_string(count_++);
        std::ofstream(path, std::ios::binary) << bytes;
        return path.string();
    }

    fs::path folder_;
    int count_ = 0;
};

using source = scratch_folder;

// Everything that a source gives, or its error in words.
std::string contents(const std::string& path) {
    auto opened = file_source::open(path);
    if (!opened)
        return "error: " + message(opened.error());
    std::string all;
    for (;;) {
        const auto bytes = opened->read();
        if (!bytes)
            return "error: " + message(bytes.error());
        if (bytes->empty())
            return all;
        all += *bytes;
    }
}

bool is_error(const std::string& contents, std::string_view words) {
    return contents.starts_with("error: ") && contents.find(words) != std::string::npos;
}

struct compressor {
    std::string name;
    std::function<std::string(std::string_view)> compress;
};

std::vector<compressor> compressors() {
    std::vector<compressor> all;
#ifdef FINGERPOST_HAVE_ZLIB
    all.push_back({"gzip", [](std::string_view text) {
                       z_stream stream{};
                       deflateInit2(&stream, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY);
                       std::string out(deflateBound(&stream, text.size()) + 64, '\0');
                       stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
                       stream.avail_in = static_cast<unsigned>(text.size());
                       stream.next_out = reinterpret_cast<Bytef*>(out.data());
                       stream.avail_out = static_cast<unsigned>(out.size());
                       EXPECT_EQ(deflate(&stream, Z_FINISH), Z_STREAM_END);
                       out.resize(stream.total_out);
                       deflateEnd(&stream);
                       return out;
                   }});
#endif
#ifdef FINGERPOST_HAVE_BZ2
    all.push_back({"bzip2", [](std::string_view text) {
                       std::string out(text.size() + text.size() / 50 + 1000, '\0');
                       auto size = static_cast<unsigned>(out.size());
                       EXPECT_EQ(BZ2_bzBuffToBuffCompress(out.data(), &size, const_cast<char*>(text.data()),
                                                          static_cast<unsigned>(text.size()), 1, 0, 0),
                                 BZ_OK);
                       out.resize(size);
                       return out;
                   }});
#endif
#ifdef FINGERPOST_HAVE_LZMA
    all.push_back({"xz", [](std::string_view text) {
                       std::string out(lzma_stream_buffer_bound(text.size()), '\0');
                       std::size_t size = 0;
                       EXPECT_EQ(lzma_easy_buffer_encode(
                                     1, LZMA_CHECK_CRC64, nullptr,
                                     reinterpret_cast<const std::uint8_t*>(text.data()), text.size(),
                                     reinterpret_cast<std::uint8_t*>(out.data()), &size, out.size()),
                                 LZMA_OK);
                       out.resize(size);
                       return out;
                   }});
#endif
#ifdef FINGERPOST_HAVE_ZSTD
    all.push_back({"zstd", [](std::string_view text) {
                       ZSTD_CCtx* const context = ZSTD_createCCtx();
                       ZSTD_CCtx_setParameter(context, ZSTD_c_checksumFlag, 1);
                       std::string out(ZSTD_compressBound(text.size()), '\0');
                       const std::size_t size =
                           ZSTD_compress2(context, out.data(), out.size(), text.data(), text.size());
                       EXPECT_EQ(ZSTD_isError(size), 0U);
                       ZSTD_freeCCtx(context);
                       out.resize(size);
                       return out;
                   }});
#endif
    return all;
}

// A text that is not trivial to compress and does not fit one block of output.
std::string long_text() {
    std::string text;
    for (unsigned i = 0, x = 1; i < 60'000; ++i, x = x * 1'664'525 + 1'013'904'223)
        text += std::to_string(x >> 8) + "\n";
    return text;
}

TEST_F(source, PlainFilesComeAsTheyAre) {
    EXPECT_EQ(contents(file("")), "");
    EXPECT_EQ(contents(file("B")), "B");
    EXPECT_EQ(contents(file("BZ")), "BZ");
    EXPECT_EQ(contents(file("a\nb")), "a\nb");
    const std::string text = long_text();
    EXPECT_EQ(contents(file(text)), text);
}

TEST_F(source, WhatCannotBeOpenedHasTheSystemsWords) {
    EXPECT_EQ(contents("/no/such/file"), "error: /no/such/file: No such file or directory");
    EXPECT_EQ(contents(folder_.string()), "error: " + folder_.string() + ": is a directory");
    if (geteuid() != 0) {
        const std::string path = file("x");
        fs::permissions(path, fs::perms::none);
        EXPECT_EQ(contents(path), "error: " + path + ": Permission denied");
    }
}

TEST_F(source, CompressedFilesAreRecognisedByTheirBytes) {
    if (compressors().empty())
        GTEST_SKIP() << "this build has no compression library, as the one for another machine";
    const std::string text = long_text();
    for (const compressor& c : compressors()) {
        EXPECT_EQ(contents(file(c.compress(text))), text) << c.name;
        EXPECT_EQ(contents(file(c.compress(""))), "") << c.name;
    }
}

TEST_F(source, MembersFollowEachOther) {
    const std::string text = long_text();
    for (const compressor& c : compressors()) {
        const std::string bytes =
            c.compress("one\n") + c.compress("") + c.compress(text) + c.compress("two\n");
        EXPECT_EQ(contents(file(bytes)), "one\n" + text + "two\n") << c.name;
        EXPECT_EQ(contents(file(c.compress("one\n") + std::string(8, '\0'))), "one\n") << c.name;
        EXPECT_TRUE(is_error(contents(file(c.compress("one\n") + "what is this")), "corrupt " + c.name))
            << c.name;
    }
}

TEST_F(source, ATruncatedFileIsAnErrorWhereverItEnds) {
    const std::string text = long_text().substr(0, 3000);
    for (const compressor& c : compressors()) {
        const std::string bytes = c.compress(text);
        // Shorter starts than the longest magic, six bytes, are text.
        for (std::size_t size = 6; size < bytes.size(); ++size)
            ASSERT_TRUE(is_error(contents(file(bytes.substr(0, size))), "truncated: the " + c.name +
                                                                            " data ends too early, at byte " +
                                                                            std::to_string(size)))
                << c.name << " cut to " << size;
    }
}

TEST_F(source, ADamagedFileIsAnError) {
    const std::string text = long_text().substr(0, 20'000);
    for (const compressor& c : compressors()) {
        const std::string bytes = c.compress(text);
        for (std::size_t at = bytes.size() / 4; at < bytes.size() - 12; at += bytes.size() / 16) {
            std::string damaged = bytes;
            damaged[at] = static_cast<char>(damaged[at] ^ 0x55);
            const std::string got = contents(file(damaged));
            EXPECT_TRUE(is_error(got, c.name)) << c.name << " damaged at " << at;
        }
    }
}

TEST_F(source, PipesGiveWhatHasComeIn) {
    int ends[2];
    ASSERT_EQ(pipe(ends), 0);
    auto opened = file_source::open("/dev/fd/" + std::to_string(ends[0]));
    ASSERT_TRUE(opened);
    // Each would wait for ever if the source asked for more bytes than there are.
    for (const std::string_view text : {"::1\n", "B", "BZ", "a longer line\n"}) {
        ASSERT_EQ(write(ends[1], text.data(), text.size()), static_cast<ssize_t>(text.size()));
        const auto got = opened->read();
        ASSERT_TRUE(got);
        EXPECT_EQ(*got, text);
    }
    close(ends[1]);
    EXPECT_EQ(*opened->read(), "");
    EXPECT_EQ(*opened->read(), "");
    close(ends[0]);
}

TEST_F(source, TablesAreNeverHalfRead) {
    std::string text;
    for (unsigned i = 0; i < 5000; ++i)
        text += to_string(ipv4_prefix::make({i * 4096}, 20)) + " " + std::to_string(i % 9) + "\n";
    for (const compressor& c : compressors()) {
        const std::string bytes = c.compress(text);
        const auto whole = load_table(file(bytes));
        ASSERT_TRUE(whole) << c.name;
        EXPECT_EQ(std::get<loaded_table<ipv4_address>>(*whole).routes.size(), 5000U);
        EXPECT_FALSE(load_table(file(bytes.substr(0, bytes.size() - 1)))) << c.name;
        EXPECT_FALSE(load_table(file(bytes.substr(0, bytes.size() / 2)))) << c.name;
    }
    EXPECT_FALSE(load_table(file("10.0.0.0/8\n10.0.0.0/99\n")));
    EXPECT_FALSE(load_table("/no/such/file"));
}

TEST_F(source, PeekingTakesNothingAway) {
    const std::string text = "10.0.0.0/8 a\n" + std::string(400'000, '#') + "\n::/0 b\n";
    for (const compressor& c : compressors())
        for (const std::size_t least :
             {std::size_t{0}, std::size_t{1}, std::size_t{300'000}, text.size() + 1}) {
            auto opened = file_source::open(file(c.compress(text)));
            ASSERT_TRUE(opened) << c.name;
            const auto start = opened->peek(least);
            ASSERT_TRUE(start) << c.name;
            EXPECT_GE(start->size(), std::min(least, text.size()));
            EXPECT_TRUE(text.starts_with(*start));
            // A moved source still has it.
            file_source moved(std::move(*opened));
            std::string all;
            for (auto bytes = moved.read(); bytes && !bytes->empty(); bytes = moved.read())
                all += *bytes;
            EXPECT_EQ(all, text) << c.name << ", peeked at " << least;
        }
}

TEST_F(source, TheFormatIsToldByTheContentUnlessItIsGiven) {
    const std::string path = file("network,asn\n10.0.0.0/8,64500\n::/0,64501\n");
    const auto found = table_input::open(path);
    ASSERT_TRUE(found);
    EXPECT_EQ(found->format(), table_format::csv);
    const auto tables = load_both(path);
    ASSERT_TRUE(tables);
    EXPECT_EQ(tables->ipv4.values.name(0), "asn");
    EXPECT_EQ(tables->ipv6.values[tables->ipv6.routes.at(0).hop], "64501");
    auto given = table_input::open(path, {.format = table_format::text});
    ASSERT_TRUE(given);
    EXPECT_FALSE(std::move(*given).read());
    const auto none = load_table(file("hello\n"));
    ASSERT_FALSE(none);
    EXPECT_NE(none.error().reason.find("no known format begins with"), std::string::npos);
    // MRT files and images have readers of their own.
    auto image = table_input::open(file(std::string(image_start) + "0123456789"));
    ASSERT_TRUE(image);
    EXPECT_EQ(image->format(), table_format::image);
    EXPECT_FALSE(std::move(*image).read());
}

TEST(codecs, AreTheFourThatUsersHave) {
    ASSERT_EQ(all_codecs().size(), 4U);
    for (const codec* const format : all_codecs())
        EXPECT_EQ(format->open == nullptr, format->decode == nullptr);
}

// By the end of the file's name, in parts of any size, as one member that is read back.
TEST_F(source, WhatIsCompressedIsReadBack) {
    const std::string text = long_text();
    for (const codec* const format : all_codecs()) {
        auto made = encoder::for_name("x" + std::string(format->write.suffix));
        ASSERT_EQ(made.has_value(), format->write.open != nullptr) << format->name;
        for (const std::size_t part : {std::size_t{1} << 20, std::size_t{7777}, std::size_t{100}}) {
            if (!made)
                break;
            auto writer = encoder::for_name(format->write.suffix);
            std::string packed;
            for (std::size_t at = 0; at < text.size(); at += part)
                (**writer).put(std::string_view(text).substr(at, part), packed);
            (**writer).put("", packed);
            (**writer).finish(packed);
            EXPECT_LT(packed.size(), text.size()) << format->name;
            EXPECT_TRUE(packed.starts_with(format->magic));
            EXPECT_EQ(contents(file(packed)), text) << format->name << ", parts of " << part;
            EXPECT_EQ(contents(file(packed + packed)), text + text) << format->name;
        }
        auto empty = encoder::for_name(format->write.suffix);
        std::string packed;
        if (empty) {
            (**empty).finish(packed);
            EXPECT_EQ(contents(file(packed)), "") << format->name;
        }
    }
    for (const char* const name : {"x", "x.gz.csv", "gz", "-", ""})
        EXPECT_FALSE((*encoder::for_name(name)).has_value()) << name;
}

} // namespace
} // namespace fingerpost::io
