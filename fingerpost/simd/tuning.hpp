// Chooses the fastest form of a kernel for this CPU if one instruction set allows several.
//
// An instruction set defines what a CPU can execute, but not how fast: a gather of 16 words costs less than
// 16 loads on Intel's servers and more on AMD's Zen 4. So the choice depends on vendor, family and model, by
// the table in tuning.cpp. Results of lookups do not depend on it.
#pragma once

#include <cstdint>
#include <iosfwd> // declares std::string
#include <string_view>

#include "fingerpost/base/cxx20.hpp"

namespace fingerpost::simd {

// Kernels read the settings that apply to them. Instruction sets with only one form ignore a setting.
struct tuning {
    bool gathers = false;        // steps in an index in L1 or L2: gather instead of single loads
    unsigned block = 64;         // addresses that pass through a stage together: 32 or 64
    bool prefetch = false;       // prefetch lines of leaves one stage before they are read
    bool direct_gathers = false; // tables of 2^24 entries, one or two loads in a lookup: gather

    friend bool operator==(const tuning&, const tuning&) = default;
};

enum class cpu_vendor : std::uint8_t { other, amd, hygon, intel };

// Family and model as in CPUID, with the extended parts added. 0 if the CPU is not x86.
struct cpu {
    cpu_vendor vendor = cpu_vendor::other;
    unsigned family = 0;
    unsigned model = 0;

    friend bool operator==(const cpu&, const cpu&) = default;
};

// Decodes CPUID: the 12 letters of leaf 0, and EAX of leaf 1.
cpu cpu_from_cpuid(std::string_view vendor, std::uint32_t signature) noexcept;
cpu this_cpu() noexcept;
// Returns a text such as "AMD family 25 model 17".
std::string text_of(const cpu& which);

// Returns the first matching row of the table. Every CPU has one.
tuning tuning_of(const cpu& which) noexcept;

// Returns the settings in the format of FINGERPOST_TUNE: "gathers=0,block=64,prefetch=0,direct_gathers=1".
std::string text_of(const tuning& which);

// Changes `to` by settings in this format: any of them, in any order. The last of repeated settings counts.
// Returns an empty text, or the first word that is not a valid setting; `to` is then unchanged.
std::string_view change_tuning(tuning& to, std::string_view settings) noexcept;
// Names and values of all settings, for messages: "gathers=0|1, block=32|64, ...".
std::string tuning_choices();

// The tuning of this CPU, changed by the environment variable FINGERPOST_TUNE. An unusable value is ignored
// as a whole; programs that should refuse it call unusable_tuning_override().
tuning preferred_tuning() noexcept;

// The word of FINGERPOST_TUNE that change_tuning() refuses, or an empty text.
std::string_view unusable_tuning_override() noexcept;

} // namespace fingerpost::simd
