// The schemes with kernels, by name: how an opened FIB gets onto a device, and which kernel looks up in it.
// Generated sources, one for each scheme of the library, define them (scheme.cpp.in).
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "fingerpost/fib/make_entry.hpp"
#include "gpu/fib_copy.hpp"
#include "gpu/thread_block.hpp"

namespace fingerpost::gpu {

template <class A>
struct entry {
    std::string_view name;
    // Throws gpu::failure and std::bad_alloc.
    copied_fib (*copy)(const any_fib<A>& fib, array_upload& place) = nullptr;
    kernel kernels[2]{}; // for each type in forms_of
    kernel own[2]{};     // for each technique, with the first type, if the scheme has such a kernel
};

// All standard schemes of the library for this width.
template <class A>
std::span<const entry<A>> entries() noexcept;

// `F` is the opened FIB of a scheme.
template <class A, class F>
copied_fib copy_any(const any_fib<A>& fib, array_upload& place) {
    const auto* const opened = dynamic_cast<const fib_of<A, F>*>(&fib);
    if (opened == nullptr)
        throw failure(FINGERPOST_CUDA_UNSUPPORTED, "the image has an older format; save it again");
    return copy_fib(opened->fib(), place);
}

template <class A, class F>
void look_up_all(void* const* arguments, std::size_t count) {
    const void* const fib = argument<const void*>(arguments[0]);
    const auto addresses = argument<address_array>(arguments[1]);
    next_hop* const out = argument<next_hop*>(arguments[2]);
    for (std::size_t i = 0; i < count; ++i)
        look_up<A, F>(fib, addresses, out, i);
}

template <technique With, class A, class F>
void look_up_by_own(void* const* arguments, std::size_t count) {
    using own = own_kernel<With, A, F>;
    std::vector<std::uint64_t> shared(own::shared / sizeof(std::uint64_t));
    own::run(cpu_block(std::as_writable_bytes(std::span(shared))), *argument<const F*>(arguments[0]),
             argument<address_array>(arguments[1]), argument<next_hop*>(arguments[2]), count);
}
template <technique With, class A, class F>
kernel own_kernel_of(const char* name, const void* module) {
    using own = own_kernel<With, A, F>;
    if constexpr (own::threads != 0)
        return {name, module, look_up_by_own<With, A, F>, own::threads, own::shared};
    else
        return {};
}

// Returns the entry of a scheme. `module` has its kernels; on the stand-in it is empty.
template <class A, class F>
entry<A> make_entry_of(std::string_view name, const void* module) {
    using forms = forms_of<F>;
    constexpr bool is_wide = A::bits == 128;
    entry<A> made{.name = name, .copy = copy_any<A, F>};
    made.kernels[0] = {is_wide ? "find_128_first" : "find_32_first", module,
                       look_up_all<A, typename forms::first>};
    if constexpr (has_two_forms<F>)
        made.kernels[1] = {is_wide ? "find_128_second" : "find_32_second", module,
                           look_up_all<A, typename forms::second>};
    made.own[0] = own_kernel_of<technique::shared, A, typename forms::first>(
        is_wide ? "shared_128_first" : "shared_32_first", module);
    made.own[1] = own_kernel_of<technique::groups, A, typename forms::first>(
        is_wide ? "groups_128_first" : "groups_32_first", module);
    return made;
}

} // namespace fingerpost::gpu
