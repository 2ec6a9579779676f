// The instruction sets of this build, and the choice among them.
#include "fingerpost/simd/isa.hpp"

#include <array>
#include <cstddef>
#include <cstdlib>

namespace fingerpost::simd {
namespace {

struct candidates {
    std::array<isa, 3> list{};
    std::size_t count = 0;

    void add(isa which, bool runs) {
        if (runs)
            list[count++] = which;
    }
};

// Instruction sets that are in the build (FINGERPOST_ISA_<ISA>) and that this CPU supports. Checks every
// extension that the compiler may use with the flags in cmake/FingerpostIsa.cmake.
candidates detect() noexcept {
    candidates result;
    result.add(isa::scalar, true);
#if FINGERPOST_ISA_AVX2 || FINGERPOST_ISA_AVX512
    __builtin_cpu_init();
    const bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi") &&
                      __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("popcnt") &&
                      __builtin_cpu_supports("fma");
#endif
#if FINGERPOST_ISA_AVX2
    result.add(isa::avx2, avx2);
#endif
#if FINGERPOST_ISA_AVX512
    result.add(isa::avx512, avx2 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                                __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq"));
#endif
#if FINGERPOST_ISA_NEON
    result.add(isa::neon, true);
#endif
    return result;
}

const candidates& detected() noexcept {
    static const candidates isas = detect();
    return isas;
}

std::string_view requested() noexcept {
    const char* name = std::getenv("FINGERPOST_ISA");
    return name == nullptr ? std::string_view{} : std::string_view{name};
}

} // namespace

std::string_view name_of(isa which) noexcept {
    switch (which) {
    case isa::scalar:
        return "scalar";
    case isa::avx2:
        return "avx2";
    case isa::avx512:
        return "avx512";
    case isa::neon:
        return "neon";
    }
    return {};
}

std::span<const isa> available_isas() noexcept {
    return {detected().list.data(), detected().count};
}

std::optional<isa> find_isa(std::string_view name) noexcept {
    for (const isa which : available_isas())
        if (name_of(which) == name)
            return which;
    return std::nullopt;
}

isa preferred_isa() noexcept {
    return find_isa(requested()).value_or(available_isas().back());
}

bool isa_override_is_unusable() noexcept {
    return !requested().empty() && !find_isa(requested());
}

} // namespace fingerpost::simd
