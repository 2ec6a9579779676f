// The masks and their table, the three kinds of chunks at the limits between them, next hops that do not fit
// a codeword, and the memory, computed from the table instead of the structure.
#include <gtest/gtest.h>

#include <bit>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "fingerpost/schemes/lulea/lulea.hpp"
#include "tests/support/limits.hpp"
#include "tests/support/widths.hpp"

namespace fingerpost::testing::of_lulea {
namespace {

using lulea::kind;

// Whether `width` bits are the heads of a full tree, computed independently of the product's enumeration.
bool is_legal(std::uint32_t mask, unsigned width) {
    if (mask == 1)
        return true;
    if (width == 1)
        return false;
    const unsigned half = width / 2;
    return is_legal(mask & ((1u << half) - 1), half) && is_legal(mask >> half, half);
}

TEST(LuleaMasks, AreAsManyAsThePaperCounts) {
    std::size_t legal = 0;
    std::set<std::uint32_t> rows;
    for (std::uint32_t mask = 1; mask < 1u << 16; ++mask) {
        if (!is_legal(mask, 16))
            continue;
        ++legal;
        if (mask > 1)
            rows.insert(lulea::row_of(mask));
    }
    EXPECT_EQ(legal, 677U);
    EXPECT_EQ(legal + 1, 678U) << "and the mask without heads";
    EXPECT_EQ(lulea::count_masks(4), 677U);
    EXPECT_EQ(rows.size(), 676U);
    EXPECT_EQ(*rows.rbegin(), 675U);
    EXPECT_EQ(lulea::direct_codes, 22'208U) << "64 fewer than in the paper, for the row of large codes";
}

TEST(LuleaMasks, ATableCountsTheHeadsBeforeEachPosition) {
    for (std::uint32_t mask = 2; mask < 1u << 16; ++mask) {
        if (!is_legal(mask, 16))
            continue;
        for (unsigned i = 0; i < 16; ++i) {
            const auto heads = static_cast<unsigned>(std::popcount(mask & ((2u << i) - 1)));
            ASSERT_EQ(lulea::masks_view::heads_before(lulea::row_of(mask), i), heads - 1) << mask;
        }
    }
    EXPECT_EQ(lulea::maptable[lulea::single_row], 0U);
}

// Routes that divide `where` into this many leaves. Neighbours have different next hops.
template <class A>
void cut(const prefix<A>& where, unsigned leaves, std::uint32_t& hop, table<A>& into) {
    if (leaves == 1) {
        into.push_back({where, {hop++}});
        return;
    }
    const unsigned half = leaves / 2;
    const auto upper = prefix<A>::make(where.last(), where.length + 1u);
    cut(prefix<A>::make(where.base, where.length + 1u), leaves - half, hop, into);
    cut(upper, half, hop, into);
}

template <class A, class Fib>
std::map<std::string, std::vector<std::size_t>> nodes_of(const Fib& fib) {
    std::map<std::string, std::vector<std::size_t>> found;
    fib.visit([&](const structure_node<A>& node) {
        found[std::string(node.kind)].push_back(static_cast<std::size_t>(node.bytes));
    });
    return found;
}

TEST(LuleaChunks, AreOfThreeKindsByTheirHeads) {
    using A = ipv4_address;
    struct row {
        unsigned heads;
        std::string kind;
        std::size_t bytes;
    };
    // Pointers of masks with one head lie in the codeword; these leaves are short of such masks from 17 on.
    const row rows[] = {{2, "sparse chunk", 40},
                        {8, "sparse chunk", 40},
                        {9, "dense chunk", 32},
                        {64, "dense chunk", 32 + 64 * 4},
                        {65, "very dense chunk", 40 + 65 * 4},
                        {256, "very dense chunk", 40 + 256 * 4}};
    for (const auto& [heads, kind, bytes] : rows)
        for (const unsigned length : {16U, 24U})
            for (const std::uint32_t first_hop : {0U, 30'000U}) {
                SCOPED_TRACE(std::to_string(heads) + " heads below /" + std::to_string(length));
                table<A> all;
                std::uint32_t hop = first_hop;
                cut(leading<A>(length == 16 ? 0x0a01 : 0x0a0102, length), heads, hop, all);
                const auto fib = lulea::fib<A>::build(routes<A>(all));
                ASSERT_TRUE(fib);
                expect_right<A>(*fib, all);
                const auto nodes = nodes_of<A>(*fib);
                ASSERT_EQ(nodes.count(kind), 1U);
                // The chunk above a chunk below /24 has at least two heads of its own.
                const std::size_t smallest = nodes.at(kind).back();
                if (first_hop == 0 || kind == "sparse chunk") {
                    EXPECT_EQ(smallest, bytes);
                } else {
                    EXPECT_GE(smallest, bytes);
                }
            }
}

TEST(LuleaChunks, MayHaveOneHead) {
    EXPECT_EQ(lulea::kind_for(1), kind::sparse);
    lulea::chunk_lists chunks;
    const lulea::head only{0, 5};
    EXPECT_EQ(lulea::kind_of(chunks.add({&only, 1}, {16})), kind::sparse);
    for (unsigned position = 0; position < 256; ++position)
        ASSERT_EQ(chunks.sparse[0].pointers[chunks.sparse[0].place(position)], 5U);
    // A sub-trie of one leaf is stored as a leaf and not as a chunk.
    using A = ipv4_address;
    const table<A> same = sorted<A>({{leading<A>(10, 8), {1}}, {leading<A>(0x0a010203, 32), {1}}});
    const auto fib = lulea::fib<A>::build(routes<A>(same));
    ASSERT_TRUE(fib);
    EXPECT_EQ(nodes_of<A>(*fib).size(), 4U) << "the arrays of the first level";
}

TEST(LuleaChunks, ASparseOneFindsTheLastHeadAtOrBeforeEachPosition) {
    random_numbers random(3);
    for (unsigned round = 0; round < 300; ++round) {
        std::set<std::uint32_t> places{0};
        for (std::uint64_t more = random.below(8); places.size() <= more;)
            places.insert(
                static_cast<std::uint32_t>(random.below(2) == 0 ? random.below(256) : 250 + random.below(6)));
        std::vector<lulea::head> heads;
        for (const std::uint32_t at : places)
            heads.push_back({at, at + 1000});
        lulea::chunk_lists chunks;
        ASSERT_EQ(lulea::kind_of(chunks.add(heads, {16})), kind::sparse);
        for (std::uint32_t position = 0; position < 256; ++position) {
            const std::uint32_t right = *std::prev(places.upper_bound(position));
            ASSERT_EQ(chunks.sparse[0].pointers[chunks.sparse[0].place(position)], right + 1000);
        }
    }
}

// Handmade, because the table of the paper's figure is not known.
TEST(Lulea, ShowsTheNodesOfASmallTable) {
    using A = ipv4_address;
    const table<A> all = sorted<A>({{leading<A>(10, 8), {1}},
                                    {leading<A>(0x0a0180, 24), {2}},
                                    {leading<A>(0x0a0180ff, 32), {3}},
                                    {leading<A>(0x0a02, 16), {4}}});
    const auto fib = lulea::fib<A>::build(routes<A>(all));
    ASSERT_TRUE(fib);
    std::vector<std::string> nodes;
    fib->visit([&](const structure_node<A>& node) {
        nodes.push_back(std::to_string(node.level) + " " + std::string(node.kind) + " " +
                        text_of(node.first) + " " + std::to_string(node.children));
    });
    // The /24 divides the chunk of 10.1 into nine leaves: 1/2, 1/4, ... to 1/256 of it, and itself.
    const std::vector<std::string> right{"0 codewords 0.0.0.0 0",    "0 bases 0.0.0.0 0",
                                         "0 maptable 0.0.0.0 0",     "0 pointers 0.0.0.0 1",
                                         "1 dense chunk 10.1.0.0 1", "2 dense chunk 10.1.128.0 0"};
    EXPECT_EQ(nodes, right);
}

// Codes around the largest one that a codeword holds; one leaf that spans masks and groups of masks.
TEST(Lulea, NextHopsThatDoNotFitACodewordTakeAPointer) {
    using A = ipv4_address;
    random_numbers random(8);
    for (unsigned round = 0; round < 20; ++round) {
        table<A> all = clustered_table<A>(random, 400, 12);
        for (route<A>& r : all)
            r.hop.id += lulea::direct_codes - 6;
        const auto fib = lulea::fib<A>::build(routes<A>(all));
        ASSERT_TRUE(fib);
        expect_right<A>(*fib, all);
    }
}

// The page's formula, with heads counted from the answers of all addresses, must be exact.
class counted {
    using A = address<20>;

  public:
    explicit counted(const table<A>& all) : answers_(1u << A::bits) {
        const oracle::by_length<A> truth{std::span<const route<A>>(all)};
        for (std::uint32_t i = 0; i < answers_.size(); ++i)
            answers_[i] = truth.lookup(A{i});
        const heads first = count(0, 0, 4);
        bytes_ = 2 + 2 + 4 * first.with_pointer; // one mask of 16 positions
    }
    std::size_t bytes() const { return bytes_ + chunk_bytes_; }
    std::size_t dense() const { return dense_; }

  private:
    struct heads {
        std::size_t all = 0, with_pointer = 0;
    };
    heads count(std::uint32_t first, unsigned length, unsigned border) {
        const std::uint32_t size = 1u << (A::bits - length);
        bool same = true;
        for (std::uint32_t i = first + 1; i < first + size; ++i)
            same = same && answers_[i] == answers_[first];
        if (same)
            return {1, length + 4 > border ? 1U : 0U};
        if (length == border) {
            const heads in =
                add(count(first, length + 1, border + 8), count(first + size / 2, length + 1, border + 8));
            chunk_bytes_ += in.all <= 8    ? 40
                            : in.all <= 64 ? 32 + 4 * in.with_pointer
                                           : 40 + 4 * in.with_pointer;
            dense_ += in.all > 8 ? 1 : 0;
            return {1, 1};
        }
        return add(count(first, length + 1, border), count(first + size / 2, length + 1, border));
    }
    static heads add(heads a, heads b) { return {a.all + b.all, a.with_pointer + b.with_pointer}; }

    std::vector<next_hop> answers_;
    std::size_t bytes_ = 0;
    std::size_t chunk_bytes_ = 0;
    std::size_t dense_ = 0;
};

TEST(Lulea, MemoryIsThatOfTheFormula) {
    using A = address<20>;
    random_numbers random(5);
    std::size_t dense = 0;
    for (const std::size_t size : {1U, 20U, 400U, 4000U}) {
        const table<A> all = clustered_table<A>(random, size, 50);
        const auto fib = lulea::fib<A, 8>::build(routes<A>(all));
        ASSERT_TRUE(fib);
        const counted right(all);
        const std::size_t fixed = sizeof(lulea::maptable) + lulea::padding_words * 4 + sizeof *fib;
        EXPECT_EQ(fib->memory_bytes(), right.bytes() + fixed) << size;
        dense += right.dense();
    }
    EXPECT_GE(dense, 20U);
}

} // namespace
} // namespace fingerpost::testing::of_lulea
