// Kernels by CPU: the table, and the settings of FINGERPOST_TUNE.
#include <gtest/gtest.h>

#include <cstdlib>
#include <string>
#include <string_view>

#include "fingerpost/fib/scheme.hpp"
#include "fingerpost/simd/tuning.hpp"

namespace fingerpost::simd {
namespace {

constexpr tuning start{.gathers = true, .block = 32, .prefetch = true, .direct_gathers = false};

// Sets or unsets the variable for the duration of a test.
class forced_settings {
  public:
    explicit forced_settings(const char* settings) {
        if (const char* const now = std::getenv(name))
            before_ = now;
        settings == nullptr ? unsetenv(name) : setenv(name, settings, 1);
    }
    ~forced_settings() { before_.empty() ? unsetenv(name) : setenv(name, before_.c_str(), 1); }
    forced_settings(const forced_settings&) = delete;
    forced_settings& operator=(const forced_settings&) = delete;

  private:
    static constexpr const char* name = "FINGERPOST_TUNE";
    std::string before_;
};

TEST(Tuning, SettingsChangeWhatTheyName) {
    tuning now = start;
    EXPECT_EQ(change_tuning(now, ""), "");
    EXPECT_EQ(now, start);
    EXPECT_EQ(change_tuning(now, "block=64"), "");
    EXPECT_EQ(now, (tuning{.gathers = true, .block = 64, .prefetch = true, .direct_gathers = false}));
    EXPECT_EQ(change_tuning(now, "prefetch=0,direct_gathers=1,gathers=0,block=32"), "");
    EXPECT_EQ(now, (tuning{.gathers = false, .block = 32, .prefetch = false, .direct_gathers = true}));
    EXPECT_EQ(change_tuning(now, "gathers=0,gathers=1"), "") << "the last counts";
    EXPECT_TRUE(now.gathers);
}

TEST(Tuning, AWordThatIsNoSettingChangesNothing) {
    const struct {
        std::string_view settings;
        std::string_view wrong;
    } cases[] = {{"gathers=2", "gathers=2"},
                 {"block=64,gather=1", "gather=1"},
                 {"block=48", "block=48"},
                 {"block=064", "block=064"},
                 {"prefetch", "prefetch"},
                 {"prefetch=", "prefetch="},
                 {"=1", "=1"},
                 {" block=64", " block=64"},
                 {"block=64 ,gathers=0", "block=64 "},
                 {"block=64,", ","},
                 {",block=64", ","},
                 {"block=64,,gathers=0", ","},
                 {",", ","}};
    for (const auto& [settings, wrong] : cases) {
        tuning now = start;
        EXPECT_EQ(change_tuning(now, settings), wrong) << settings;
        EXPECT_EQ(now, start) << settings;
    }
}

TEST(Tuning, TextIsWhatTheVariableTakes) {
    EXPECT_EQ(text_of(start), "gathers=1,block=32,prefetch=1,direct_gathers=0");
    EXPECT_EQ(tuning_choices(), "gathers=0|1, block=32|64, prefetch=0|1, direct_gathers=0|1");
    for (const tuning& wanted : {start, tuning{}}) {
        tuning now = wanted == start ? tuning{} : start;
        EXPECT_EQ(change_tuning(now, text_of(wanted)), "");
        EXPECT_EQ(now, wanted);
    }
}

TEST(Tuning, CpuidIsDecoded) {
    // Signatures of an EPYC 9004, an EPYC 9005, an EPYC 7002, a Xeon of the fourth and one of the third
    // generation, and of a Pentium III, whose family has no extended part.
    EXPECT_EQ(cpu_from_cpuid("AuthenticAMD", 0x00a10f11), (cpu{cpu_vendor::amd, 25, 17}));
    EXPECT_EQ(cpu_from_cpuid("AuthenticAMD", 0x00b00f21), (cpu{cpu_vendor::amd, 26, 2}));
    EXPECT_EQ(cpu_from_cpuid("AuthenticAMD", 0x00830f10), (cpu{cpu_vendor::amd, 23, 49}));
    EXPECT_EQ(cpu_from_cpuid("GenuineIntel", 0x000806f8), (cpu{cpu_vendor::intel, 6, 143}));
    EXPECT_EQ(cpu_from_cpuid("GenuineIntel", 0x000606a6), (cpu{cpu_vendor::intel, 6, 106}));
    EXPECT_EQ(cpu_from_cpuid("GenuineIntel", 0x0000068a), (cpu{cpu_vendor::intel, 6, 8}));
    EXPECT_EQ(cpu_from_cpuid("HygonGenuine", 0x00900f02).vendor, cpu_vendor::hygon);
    EXPECT_EQ(cpu_from_cpuid("CentaurHauls", 0x000006f2).vendor, cpu_vendor::other);
    EXPECT_EQ(text_of(cpu{cpu_vendor::amd, 25, 17}), "AMD family 25 model 17");
}

TEST(Tuning, EveryCpuHasARow) {
    for (const unsigned family : {0U, 5U, 6U, 15U, 23U, 24U, 25U, 26U, 270U})
        for (const unsigned model : {0U, 1U, 17U, 106U, 143U, 255U}) {
            EXPECT_FALSE(tuning_of({cpu_vendor::amd, family, model}).gathers);
            EXPECT_FALSE(tuning_of({cpu_vendor::hygon, family, model}).gathers);
            EXPECT_TRUE(tuning_of({cpu_vendor::intel, family, model}).gathers);
            EXPECT_FALSE(tuning_of({cpu_vendor::other, family, model}).gathers);
        }
}

TEST(Tuning, TheVariableOverridesTheTable) {
    const tuning by_table = tuning_of(this_cpu());
    tuning other = by_table;
    other.gathers = !other.gathers;
    other.block = other.block == 64 ? 32 : 64;
    {
        const forced_settings none(nullptr);
        EXPECT_EQ(preferred_tuning(), by_table);
        EXPECT_EQ(unusable_tuning_override(), "");
    }
    {
        const forced_settings forced(text_of(other).c_str());
        EXPECT_EQ(preferred_tuning(), other);
        EXPECT_EQ(build_options{}.tuning, other);
        EXPECT_EQ(unusable_tuning_override(), "");
    }
    {
        const forced_settings wrong("block=64,gathers=yes,prefetch=1");
        EXPECT_EQ(preferred_tuning(), by_table);
        EXPECT_EQ(unusable_tuning_override(), "gathers=yes");
    }
    {
        const forced_settings empty("");
        EXPECT_EQ(preferred_tuning(), by_table);
        EXPECT_EQ(unusable_tuning_override(), "");
    }
}

} // namespace
} // namespace fingerpost::simd
