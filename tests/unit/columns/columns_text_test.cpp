// Text columns on every instruction set: every text must be read as parse_address() reads it.
#include <gtest/gtest.h>
#include <random>

#include "fingerpost/columns/column_reader.hpp"
#include "tests/support/columns.hpp"
#include "tests/support/effort.hpp"

namespace fingerpost {
namespace {

using namespace testing_columns;
using columns::row_state;

// Collects texts and compares them block by block. Kernels leave runs of odd texts to parse_address(), so
// each text comes after some ordinary ones. Each block ends at the end of a page.
class comparison {
  public:
    ~comparison() { flush(); }

    void add(std::string text) {
        for (unsigned i = 0; i < ordinary_rows; ++i)
            add_row("2001:db8::1");
        add_row(std::move(text));
        if (rows_.size() + ordinary_rows + 1 > columns::block_rows)
            flush();
    }

    void flush() {
        if (rows_.empty())
            return;
        compare(offset_column<std::int32_t>(rows_));
        for (std::size_t i = ordinary_rows; i < rows_.size(); i += ordinary_rows + 1) {
            ++texts_;
            addresses_ += wanted_[i].state != row_state::bad;
        }
        rows_.clear();
        wanted_.clear();
    }

    // Both counters include only flushed texts.
    std::size_t texts() const { return texts_; }
    std::size_t addresses() const { return addresses_; }

  private:
    static constexpr unsigned ordinary_rows = 8;

    void add_row(std::string text) {
        rows_.emplace_back(std::move(text));
        wanted_.push_back(parse_slowly(rows_.back()));
    }

    void compare(const owned_column& texts) {
        for (const simd::isa isa : simd::available_isas()) {
            columns::block_reader(texts.value, isa).read(0, rows_.size(), block_);
            const std::vector<parsed_row> found = rows_of(block_);
            ASSERT_EQ(found.size(), wanted_.size()) << name_of(isa);
            for (std::size_t i = 0; i < wanted_.size(); ++i)
                ASSERT_EQ(found[i], wanted_[i]) << name_of(isa) << " on '" << *rows_[i] << "'";
        }
    }

    std::vector<row> rows_;
    std::vector<parsed_row> wanted_;
    columns::block block_;
    std::size_t texts_ = 0;
    std::size_t addresses_ = 0;
};

// Every text of up to `longest` characters of an alphabet.
std::size_t try_all(std::string_view alphabet, std::size_t longest) {
    comparison all;
    std::vector<std::size_t> digits;
    std::string text;
    for (;;) {
        all.add(text);
        std::size_t at = 0;
        for (; at < digits.size() && ++digits[at] == alphabet.size(); ++at) {
            digits[at] = 0;
            text[at] = alphabet[0];
        }
        if (at < digits.size()) {
            text[at] = alphabet[digits[at]];
            continue;
        }
        if (digits.size() == longest)
            break;
        digits.push_back(0);
        text.push_back(alphabet[0]);
    }
    all.flush();
    EXPECT_GT(all.texts(), all.addresses());
    return all.addresses();
}

TEST(ColumnTexts, EveryShortTextIsAsParseAddressTakesIt) {
    EXPECT_GT(try_all("09aF:./g", 6), 500U);
    EXPECT_GT(try_all("1:", 16), 1'000U);
    EXPECT_GT(try_all("025.", 8), 500U);
    EXPECT_GT(try_all("01:.", 8), 500U);
}

// IPv6 in every shape: groups of each length, no gap or one at every position, dotted quads, sometimes too
// many groups.
std::string random_ipv6(std::mt19937_64& random) {
    constexpr char digits[] = "0123456789abcdefABCDEF";
    const bool quad = random() % 8 == 0;
    const std::size_t full = quad ? 6 : 8;
    const std::size_t gap = random() % 2 == 0 ? random() % (full + 1) : full + 2;
    const std::size_t count = gap <= full ? random() % (full + 1) : full + (random() % 16 == 0);
    std::string text;
    for (std::size_t i = 0; i < count; ++i) {
        if (i == gap)
            text += i == 0 ? "::" : ":";
        const std::size_t length = random() % 3 == 0 ? 1 + random() % 4 : 4 + (random() % 128 == 0);
        for (std::size_t d = 0; d < length; ++d)
            text += digits[random() % 22];
        if (i + 1 < count || quad)
            text += ':';
    }
    if (gap >= count && gap <= full)
        text += text.empty() || text.back() == ':' ? (text.empty() ? "::" : ":") : "::";
    return quad ? text + to_string(ipv4_address{static_cast<std::uint32_t>(random())}) : text;
}

std::string random_ipv4(std::mt19937_64& random) {
    std::string text;
    for (unsigned i = 0; i < 4; ++i)
        text += (i == 0 ? "" : ".") + std::to_string(random() % (random() % 2 == 0 ? 260 : 30));
    return text;
}

TEST(ColumnTexts, RandomTextsAreAsParseAddressTakesThem) {
    std::mt19937_64 random(1);
    comparison all;
    for (std::size_t i = 0; i < testing::scaled(150'000); ++i) {
        all.add(random_ipv6(random));
        all.add(random_ipv4(random));
        all.add(to_string(ipv6_address{u128{random()} << 64 | random()}));
        all.add((random() % 2 == 0 ? "::ffff:" : "::FfFf:") + random_ipv4(random));
    }
    all.flush();
    EXPECT_GT(all.addresses(), all.texts() / 2);
    EXPECT_GT(all.texts() - all.addresses(), testing::scaled(5'000));
}

TEST(ColumnTexts, ChangedTextsAreAsParseAddressTakesThem) {
    constexpr char characters[] = "0123456789abcdefABCDEF::::....gG/%@` \x80\xff";
    std::mt19937_64 random(2);
    comparison all;
    for (std::size_t i = 0; i < testing::scaled(300'000); ++i) {
        std::string text = random() % 3 == 0 ? random_ipv4(random) : random_ipv6(random);
        if (random() % 8 == 0)
            text.insert(0, "::ffff:");
        for (auto changes = 1 + random() % 2; changes > 0 && !text.empty(); --changes) {
            const std::size_t at = random() % text.size();
            const char c = characters[random() % (sizeof characters - 1)];
            if (random() % 3 == 0)
                text.erase(at, 1);
            else if (random() % 2 == 0)
                text.insert(at, 1, c);
            else
                text[at] = c;
        }
        all.add(std::move(text));
    }
    all.flush();
    EXPECT_GT(all.addresses(), testing::scaled(30'000));
    EXPECT_GT(all.texts() - all.addresses(), testing::scaled(100'000));
}

TEST(ColumnTexts, EveryByteAtEveryPlace) {
    comparison all;
    for (const std::string whole :
         {"2001:0db8:85a3:1111:2222:8a2e:0370:7334", "2001:db8:1:2:3:4:5:6", "2001:db8:7f::1", "fe80::1:2:3",
          "::ffff:192.0.2.33", "::FFFF:1.2.3.4", "::ffff:255.255.255.255", "1::", "::", "203.113.255.199",
          "10.0.0.1", "1.22.255.0"})
        for (std::size_t at = 0; at < whole.size(); ++at)
            for (unsigned byte = 0; byte < 256; ++byte) {
                std::string text = whole;
                text[at] = static_cast<char>(byte);
                all.add(text);
                all.add(text.insert(at, 1, whole[at]));
            }
    all.flush();
    EXPECT_GT(all.addresses(), 1'500U);
}

// Longer than any address, and longer than a vector.
TEST(ColumnTexts, LongTexts) {
    comparison all;
    for (std::size_t size = 0; size < 200; ++size) {
        for (const char c : {'1', ':', '.', 'f', '\0'})
            all.add(std::string(size, c));
        all.add("2001:db8::1" + std::string(size, ' '));
        all.add("2001:db8:1:2:3:4:5:6" + std::string(size, '7'));
        all.add("10.11.12.1" + std::string(size, '3'));
        all.add(std::string(size, '0') + "10.11.12.1");
    }
    all.flush();
    EXPECT_GE(all.addresses(), 10U);
}

// The text right after a row belongs to the next row, even when a vector has loaded some of it.
TEST(ColumnTexts, NeighboursDoNotMatter) {
    comparison all;
    std::mt19937_64 random(3);
    for (int i = 0; i < 50'000; ++i) {
        const std::string whole = random() % 2 == 0 ? random_ipv6(random) : random_ipv4(random);
        const std::size_t cut = random() % (whole.size() + 1);
        all.add(whole.substr(0, cut));
        all.add(whole.substr(cut));
    }
    all.flush();
    EXPECT_GT(all.addresses(), 5'000U);
}

} // namespace
} // namespace fingerpost
