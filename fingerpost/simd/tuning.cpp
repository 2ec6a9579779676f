// The table of CPUs, and the environment variable that overrides it.
#include "fingerpost/simd/tuning.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <span>
#include <string>
#if defined(__x86_64__)
#include <cpuid.h>
#endif

namespace fingerpost::simd {
namespace {

struct range {
    unsigned first = 0;
    unsigned last = ~0U;

    constexpr bool has(unsigned value) const noexcept { return first <= value && value <= last; }
};

struct row {
    cpu_vendor vendor;
    range family;
    range model;
    tuning choice;
};

// The first matching row applies. The last row of a vendor matches all of its CPUs.
constexpr std::array rows{
    // Zen 3, Zen 4, Zen 5. Measured on Zen 4 (EPYC, family 25 model 17): a gather of 16 words takes 17.3
    // cycles, 1.08 a lane, and a step of three scalar instructions 0.85. With blocks of 64, a lookup took
    // 15.7 ticks of the time stamp counter, with blocks of 32 it took 17.9 (tier1-v6, match). With uniform
    // addresses 32 was faster by 3 to 10 %. Leaves are not prefetched: in the kernel with gathers, prefetches
    // gained up to 10 % on zipf and lost 4 to 12 % on hot addresses; in the other kernel they were not
    // measured. Direct tables: dir_24_8 with gathers is 1.0 to 1.9 times as fast as its scalar loop on
    // tier1-v4 in batches of 64 and 256, up to 2.5 times with hot addresses (docs/schemes/dir_24_8.md). Zen
    // 3, which has only AVX2, and Zen 5 were not measured.
    row{cpu_vendor::amd,
        {0x19, 0x1a},
        {},
        {.gathers = false, .block = 64, .prefetch = false, .direct_gathers = true}},
    // Older and newer AMD CPUs: not measured, with the values of the row above.
    row{cpu_vendor::amd, {}, {}, {.gathers = false, .block = 64, .prefetch = false, .direct_gathers = true}},
    // Zen 1 under license: not measured, with the values of AMD.
    row{cpu_vendor::hygon,
        {},
        {},
        {.gathers = false, .block = 64, .prefetch = false, .direct_gathers = true}},
    // Servers with AVX-512: Skylake, Cascade Lake and Cooper Lake (85), Ice Lake (106, 108), Sapphire Rapids
    // (143), Emerald Rapids (207), Granite Rapids (173, 174), and all other Intel CPUs. According to llvm-mca
    // for Ice Lake, a gather of 16 words takes 9.5 cycles, 0.6 a lane, and two scalar steps 3.0. Gathers were
    // chosen on such a server, where the kernel also had prefetches
    // (docs/why/decisions/0014-gathered-index.md). `block` and `direct_gathers` were not measured there.
    // Microcode against "gather data sampling" makes gathers of the older ones slower; that was not measured.
    row{cpu_vendor::intel, {}, {}, {.gathers = true, .block = 64, .prefetch = true, .direct_gathers = true}},
    // Not measured. Scalar steps are slightly slower at worst, whereas a gather may be very slow.
    row{cpu_vendor::other,
        {},
        {},
        {.gathers = false, .block = 64, .prefetch = false, .direct_gathers = false}},
};

struct setting {
    std::string_view name;
    std::array<std::string_view, 2> values;
    // Returns which of the two values is set.
    bool (*read)(const tuning&) noexcept;
    void (*write)(tuning&, bool second) noexcept;
};

template <bool tuning::*Field>
constexpr setting flag(std::string_view name) noexcept {
    return {name,
            {"0", "1"},
            [](const tuning& t) noexcept { return t.*Field; },
            [](tuning& t, bool second) noexcept { t.*Field = second; }};
}

constexpr std::array known_settings{
    flag<&tuning::gathers>("gathers"),
    setting{"block",
            {"32", "64"},
            [](const tuning& t) noexcept { return t.block == 64; },
            [](tuning& t, bool second) noexcept { t.block = second ? 64 : 32; }},
    flag<&tuning::prefetch>("prefetch"),
    flag<&tuning::direct_gathers>("direct_gathers"),
};

// Returns false if the word is not a setting with one of its values.
bool change_one(tuning& to, std::string_view word) noexcept {
    const std::size_t equals = std::min(word.find('='), word.size());
    const auto match = std::ranges::find(known_settings, word.substr(0, equals), &setting::name);
    if (match == known_settings.end() || equals == word.size())
        return false;
    const auto value = std::ranges::find(match->values, word.substr(equals + 1));
    if (value == match->values.end())
        return false;
    match->write(to, value != match->values.begin());
    return true;
}

std::string_view requested_tuning() noexcept {
    const char* settings = std::getenv("FINGERPOST_TUNE");
    return settings == nullptr ? std::string_view{} : std::string_view{settings};
}

cpu cpu_here() noexcept {
#if defined(__x86_64__)
    std::array<unsigned, 3> letters{};
    unsigned eax = 0;
    if (__get_cpuid(0, &eax, &letters[0], &letters[2], &letters[1]) == 0)
        return {};
    unsigned signature = 0;
    unsigned unused[3];
    if (__get_cpuid(1, &signature, &unused[0], &unused[1], &unused[2]) == 0)
        return {};
    char vendor[sizeof letters];
    __builtin_memcpy(vendor, letters.data(), sizeof vendor);
    return cpu_from_cpuid({vendor, sizeof vendor}, signature);
#else
    return {};
#endif
}

} // namespace

cpu cpu_from_cpuid(std::string_view vendor, std::uint32_t signature) noexcept {
    cpu result;
    if (vendor == "AuthenticAMD")
        result.vendor = cpu_vendor::amd;
    else if (vendor == "HygonGenuine")
        result.vendor = cpu_vendor::hygon;
    else if (vendor == "GenuineIntel")
        result.vendor = cpu_vendor::intel;
    const auto bits = [&](unsigned shift, unsigned mask) { return signature >> shift & mask; };
    result.family = bits(8, 0xf);
    result.model = bits(4, 0xf);
    if (result.family == 0x6 || result.family == 0xf)
        result.model += bits(16, 0xf) << 4;
    if (result.family == 0xf)
        result.family += bits(20, 0xff);
    return result;
}

cpu this_cpu() noexcept {
    static const cpu result = cpu_here();
    return result;
}

std::string text_of(const cpu& which) {
    constexpr std::array<std::string_view, 4> names{"other", "AMD", "Hygon", "Intel"};
    return std::string(names[static_cast<std::size_t>(which.vendor)]) + " family " +
           std::to_string(which.family) + " model " + std::to_string(which.model);
}

tuning tuning_of(const cpu& which) noexcept {
    const auto fits = [&](const row& r) {
        return r.vendor == which.vendor && r.family.has(which.family) && r.model.has(which.model);
    };
    return std::ranges::find_if(rows, fits)->choice;
}

std::string text_of(const tuning& which) {
    std::string text;
    for (const setting& s : known_settings) {
        text += text.empty() ? "" : ",";
        text += s.name;
        text += '=';
        text += s.values[s.read(which) ? 1 : 0];
    }
    return text;
}

std::string tuning_choices() {
    std::string text;
    for (const setting& s : known_settings) {
        text += text.empty() ? "" : ", ";
        text += s.name;
        text += '=';
        text += s.values[0];
        text += '|';
        text += s.values[1];
    }
    return text;
}

std::string_view change_tuning(tuning& to, std::string_view settings) noexcept {
    tuning changed = to;
    while (!settings.empty()) {
        const std::size_t comma = std::min(settings.find(','), settings.size());
        const std::string_view word = settings.substr(0, comma);
        // An empty word, such as after a trailing comma, is also invalid. It is shown with its comma.
        if (!change_one(changed, word))
            return word.empty() ? settings.substr(0, 1) : word;
        if (comma + 1 == settings.size())
            return settings.substr(comma);
        settings.remove_prefix(std::min(comma + 1, settings.size()));
    }
    to = changed;
    return {};
}

tuning preferred_tuning() noexcept {
    static const tuning chosen = tuning_of(this_cpu());
    tuning result = chosen;
    change_tuning(result, requested_tuning());
    return result;
}

std::string_view unusable_tuning_override() noexcept {
    tuning ignored;
    return change_tuning(ignored, requested_tuning());
}

} // namespace fingerpost::simd
