// The list of compiled kernel tables and the choice among them.
#include "fingerpost/simd/dispatch.hpp"

#include <array>
#include <cstdlib>

namespace fingerpost::simd {
namespace {

struct candidates {
    std::array<const kernel_table*, 3> tables{};
    std::size_t count = 0;

    void add(const kernel_table& table, bool runs) {
        if (runs)
            tables[count++] = &table;
    }
};

// Of the kernels that were built, FINGERPOST_ISA_<ISA>, those that run here: asks the CPU for everything that
// the ISA's flags in cmake/FingerpostIsa.cmake let the compiler use.
candidates detect() noexcept {
    candidates found;
    found.add(kernels_scalar, true);
#if FINGERPOST_ISA_AVX2 || FINGERPOST_ISA_AVX512
    __builtin_cpu_init();
    const bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi") &&
                      __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("popcnt") &&
                      __builtin_cpu_supports("fma");
#endif
#if FINGERPOST_ISA_AVX2
    found.add(kernels_avx2, avx2);
#endif
#if FINGERPOST_ISA_AVX512
    found.add(kernels_avx512, avx2 && __builtin_cpu_supports("avx512f") &&
                                  __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl") &&
                                  __builtin_cpu_supports("avx512dq"));
#endif
#if FINGERPOST_ISA_NEON
    found.add(kernels_neon, true);
#endif
    return found;
}

const candidates& detected() noexcept {
    static const candidates found = detect();
    return found;
}

std::string_view requested() noexcept {
    const char* name = std::getenv("FINGERPOST_ISA");
    return name == nullptr ? std::string_view{} : std::string_view{name};
}

} // namespace

std::span<const kernel_table* const> available_kernels() noexcept {
    return {detected().tables.data(), detected().count};
}

const kernel_table* find_kernels(std::string_view name) noexcept {
    for (const kernel_table* table : available_kernels())
        if (table->name == name)
            return table;
    return nullptr;
}

const kernel_table& preferred_kernels() noexcept {
    const kernel_table* named = find_kernels(requested());
    return named != nullptr ? *named : *available_kernels().back();
}

bool isa_override_is_unusable() noexcept {
    return !requested().empty() && find_kernels(requested()) == nullptr;
}

} // namespace fingerpost::simd
