// Every scheme that can be saved: an opened FIB answers like the saved one, and damaged arrays are refused or
// answer without reading out of bounds. One case per scheme and width, on all its ISAs.
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <cstring>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "tests/support/suite.hpp"

namespace fingerpost::testing {
namespace {

// The arrays of a FIB as a file stores them: each section contiguous and aligned to 64 bytes.
class file_of {
  public:
    explicit file_of(saved_arrays from) : arrays_(std::move(from)) {
        for (saved_section& one : arrays_.sections) {
            std::vector<std::byte> joined(one.bytes.begin(), one.bytes.end());
            for (const auto piece : one.rest)
                joined.insert(joined.end(), piece.begin(), piece.end());
            bytes_.push_back(*aligned_array<std::byte>::make(joined.size()));
            if (!joined.empty())
                std::memcpy(bytes_.back().data(), joined.data(), joined.size());
            one = {one.kind, one.detail, bytes_.back().span()};
        }
    }
    const saved_arrays& arrays() const noexcept { return arrays_; }
    std::size_t size() const noexcept {
        std::size_t sum = 0;
        for (const auto& one : bytes_)
            sum += one.size();
        return sum;
    }
    // Changes one to four bytes, or shortens a section.
    void damage(random_numbers& random) {
        which_ = random.below(bytes_.size());
        at_ = 0;
        saved_section& one = arrays_.sections[which_];
        old_.clear();
        if (one.bytes.empty())
            return;
        if (random.below(8) == 0) {
            one.bytes = one.bytes.first(random.below(one.bytes.size()));
            return;
        }
        at_ = random.below(one.bytes.size());
        const std::size_t count = std::min<std::size_t>(one.bytes.size() - at_, 1 + random.below(4));
        for (std::size_t i = at_; i < at_ + count; ++i) {
            std::byte& one_of_it = bytes_[which_][i];
            old_.push_back(one_of_it);
            if (random.below(2) == 0)
                one_of_it = static_cast<std::byte>(random.below(256));
            else
                one_of_it ^= static_cast<std::byte>(1u << random.below(8));
        }
    }
    // Undoes the last damage.
    void mend() noexcept {
        arrays_.sections[which_].bytes = bytes_[which_].span();
        std::copy(old_.begin(), old_.end(), bytes_[which_].data() + at_);
    }

  private:
    saved_arrays arrays_;
    std::vector<aligned_array<std::byte>> bytes_;
    std::size_t which_ = 0, at_ = 0; // index of the damaged section, and offset of the damage
    std::vector<std::byte> old_;     // the original bytes
};

struct counts {
    std::size_t tables = 0;
    std::size_t answers = 0;
    std::size_t refused = 0;
    std::size_t opened = 0; // opened in spite of the damage
};

template <class A>
std::vector<table<A>> tables_to_save(random_numbers& random) {
    // Large tables first, because schemes with large arrays try only a few.
    std::vector<table<A>> all;
    for (const std::size_t size : {300U, 20U, 3U})
        for (const std::uint32_t hops : {300U, 3U})
            all.push_back(clustered_table<A>(random, size, hops));
    // These ids are so large that FIBs must number the next hops.
    all.push_back(clustered_table<A>(random, 100, 20));
    for (route<A>& one : all.back())
        one.hop.id = 0xfffffff0U - one.hop.id * 1'000'003U;
    all.push_back({});
    all.push_back({{prefix<A>{}, {7}}});
    return all;
}

template <class A>
void expect_equal(const any_fib<A>& opened, const any_fib<A>& built, std::span<const A> at, counts& done) {
    std::vector<next_hop> by_built(at.size()), by_opened(at.size());
    built.lookup(at, by_built);
    opened.lookup(at, by_opened);
    ASSERT_EQ(by_opened, by_built);
    for (std::size_t i = 0; i < at.size(); ++i) {
        ASSERT_EQ(opened.lookup(at[i]), by_built[i]);
        std::vector<std::string> steps, same;
        const auto note = [](std::vector<std::string>& to) {
            return [&to](const trace_step& step) {
                to.push_back(std::string(step.part) + ' ' + std::to_string(step.offset) + ' ' +
                             std::to_string(step.bytes));
            };
        };
        ASSERT_EQ(opened.trace(at[i], note(steps)), by_built[i]);
        (void)built.trace(at[i], note(same));
        ASSERT_EQ(steps, same);
        ++done.answers;
    }
    std::size_t nodes = 0, others = 0;
    opened.visit([&](const structure_node<A>&) { ++nodes; });
    built.visit([&](const structure_node<A>&) { ++others; });
    EXPECT_EQ(nodes, others);
    // Memory does not include the file, only small copied arrays and tables that all FIBs share.
    EXPECT_LT(opened.memory_bytes(), 65536 + 16 * at.size());
}

// trace() checks every step: it throws at a read outside of the arrays.
template <class A>
void expect_inside(const scheme_entry<A>& scheme, const saved_arrays& arrays, std::span<const A> at,
                   const build_options& options, counts& done) {
    const auto opened = scheme.open(arrays, options);
    if (!opened) {
        ++done.refused;
        EXPECT_EQ(opened.error().shortage, errc::ok);
        EXPECT_STRNE(opened.error().reason, "");
        return;
    }
    ++done.opened;
    // Answers are not compared, because kernels may read a copy of a code where trace() reads the original.
    std::vector<next_hop> answers(at.size());
    (*opened)->lookup(at, answers);
    for (const A one : at) {
        (void)(*opened)->lookup(one);
        EXPECT_NO_THROW((void)(*opened)->trace(one, [](const trace_step&) {}));
    }
}

template <class A>
void save_all(std::string_view name, counts& done) {
    random_numbers random(23);
    for (const table<A>& routes_of_it : tables_to_save<A>(random)) {
        const routes<A> from(routes_of_it);
        std::vector<A> at = addresses_to_try<A>(std::span<const route<A>>(routes_of_it));
        if (at.size() > 400)
            at.resize(400);
        for (const candidate<A>& one : candidates<A>()) {
            if (one.scheme->facts.name != name)
                continue;
            SCOPED_TRACE(one.name + ", " + std::to_string(routes_of_it.size()) + " routes");
            const auto built = one.build(from);
            ASSERT_TRUE(built) << message(built.error());
            file_of file((*built)->save());
            constexpr std::size_t large = std::size_t{16} << 20;
            if (file.size() > large && done.tables >= 4)
                continue;
            const auto opened = one.scheme->open(file.arrays(), one.options);
            ASSERT_TRUE(opened) << opened.error().reason;
            expect_equal<A>(**opened, **built, at, done);
            ++done.tables;
            std::vector<A> few = at;
            few.resize(std::min<std::size_t>(few.size(), 24));
            const std::size_t times = std::min<std::size_t>(scaled(1500), 20 * large / (file.size() + 1000));
            for (std::size_t i = 0; i < times && !::testing::Test::HasFailure(); ++i) {
                file.damage(random);
                expect_inside<A>(*one.scheme, file.arrays(), few, one.options, done);
                file.mend();
            }
            if (::testing::Test::HasFailure())
                return;
        }
    }
}

struct saved {
    std::string_view name;
    unsigned width;
    void (*run)(std::string_view, counts&);
};
void PrintTo(const saved& one, std::ostream* out) {
    *out << one.name << " of " << one.width << " bits";
}

template <class A>
void collect(std::vector<saved>& list) {
    for (const scheme_entry<A>& entry : schemes<A>())
        if (entry.saveable)
            list.push_back({entry.facts.name, A::bits, save_all<A>});
}
std::vector<saved> all_saved() {
    std::vector<saved> list;
    collect<address<12>>(list);
    collect<ipv4_address>(list);
    collect<ipv6_address>(list);
    return list;
}

class SavedSchemes : public ::testing::TestWithParam<saved> {};

TEST_P(SavedSchemes, AreOpenedAndRefused) {
    counts done;
    GetParam().run(GetParam().name, done);
    RecordProperty("tables", std::to_string(done.tables));
    RecordProperty("answers", std::to_string(done.answers));
    RecordProperty("refused", std::to_string(done.refused));
    RecordProperty("opened", std::to_string(done.opened));
    // Try fewer damages when arrays are large.
    EXPECT_GE(done.tables, 4U);
    EXPECT_GE(done.answers, 100U);
    EXPECT_GE(done.refused, std::min<std::size_t>(50, (done.refused + done.opened) / 20));
}
INSTANTIATE_TEST_SUITE_P(schemes, SavedSchemes, ::testing::ValuesIn(all_saved()), [](const auto& one) {
    std::string name(one.param.name);
    std::replace_if(
        name.begin(), name.end(), [](char c) { return std::isalnum(static_cast<unsigned char>(c)) == 0; },
        '_');
    return name + "_" + std::to_string(one.param.width);
});

} // namespace
} // namespace fingerpost::testing
