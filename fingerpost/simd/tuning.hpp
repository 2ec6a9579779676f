// Which form of a kernel is fastest on this CPU, where one instruction set allows several.
//
// An instruction set says what a CPU can run, not what it runs fast: a gather of 16 words costs less than 16
// loads on Intel's servers and more on AMD's Zen 4. So this is chosen by vendor, family and model, from the
// one table in tuning.cpp. Answers do not depend on it.
#pragma once

#include <cstdint>
#include <iosfwd> // std::string, declared only
#include <string_view>

#include "fingerpost/base/cxx20.hpp"

namespace fingerpost::simd {

// Kernels read what concerns them; each instruction set may ignore what it has no two forms of.
struct tuning {
    bool gathers = false;  // steps through an index that stays in L1 or L2: by gather, else load by load
    unsigned block = 64;   // addresses that pass through a stage together: 32 or 64
    bool prefetch = false; // lines of leaves are asked for a stage before they are read
    bool direct_gathers = false; // tables of 2^24 entries, one or two loads a lookup: by gather

    friend bool operator==(const tuning&, const tuning&) = default;
};

enum class cpu_vendor : std::uint8_t { other, amd, hygon, intel };

// Family and model as CPUID counts them, extended parts added; 0 where the CPU is no x86.
struct cpu {
    cpu_vendor vendor = cpu_vendor::other;
    unsigned family = 0;
    unsigned model = 0;

    friend bool operator==(const cpu&, const cpu&) = default;
};

// From what CPUID answers: the 12 letters of leaf 0, EAX of leaf 1.
cpu cpu_from_cpuid(std::string_view vendor, std::uint32_t signature) noexcept;
cpu this_cpu() noexcept;
// Such as "AMD family 25 model 17".
std::string text_of(const cpu& which);

// The first row of the table that fits. There is one for every CPU.
tuning tuning_of(const cpu& which) noexcept;

// As FINGERPOST_TUNE takes it, such as "gathers=0,block=64,prefetch=0,direct_gathers=1".
std::string text_of(const tuning& which);

// Changes `to` by settings in this form, any of them, in any order; of two with one name the last counts.
// Returns the first word that is no setting or has another value than the setting can have, and then leaves
// `to` as it is; empty when all is well.
std::string_view change_tuning(tuning& to, std::string_view settings) noexcept;
// Names and values of all settings, for a message: "gathers=0|1, block=32|64, ...".
std::string tuning_choices();

// That of this CPU, changed by the environment variable FINGERPOST_TUNE. An unusable value is ignored as a
// whole; programs that want to refuse it ask unusable_tuning_override().
tuning preferred_tuning() noexcept;

// The word of FINGERPOST_TUNE that change_tuning() does not take, empty when there is none.
std::string_view unusable_tuning_override() noexcept;

} // namespace fingerpost::simd
