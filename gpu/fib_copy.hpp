// Copies an opened FIB to a device, so that its own find() runs there.
//
// The object is copied as bytes. Then every array that it lists (fib/layout.hpp) goes to the device, and the
// copy refers to it there; ready() renews the views. docs/why/decisions describes why this works for every
// scheme.
#pragma once

#include <cstddef>
#include <cstring>
#include <span>
#include <string_view>
#include <type_traits>
#include <variant>

#include "fingerpost/base/relocate.hpp"
#include "fingerpost/fib/layout.hpp"
#include "gpu/array_upload.hpp"
#include "gpu/lookup.hpp"

namespace fingerpost::gpu {

// Called by for_each_array() for the byte copy of a FIB. Arrays that only changes need stay on the host.
struct member_relocation {
    array_upload& place;

    template <class T>
    void operator()(std::string_view, T& member) const {
        if constexpr (requires { member.relocate(place); })
            member.relocate(place);
        else if constexpr (requires { fingerpost::relocate(member, place); })
            fingerpost::relocate(member, place);
    }
};

// A FIB on a device: the number of its type in forms_of, and the object, for the kernel of this type.
struct copied_fib {
    unsigned form = 0;
    const void* object = nullptr;
};

template <class T>
const void* place_bytes(const T& object, array_upload& place) {
    return place(std::as_bytes(std::span(&object, 1)));
}

template <class F>
copied_fib copy_fib(const F& fib, array_upload& place) {
    struct {
        alignas(F) std::byte bytes[sizeof(F)];
    } copy;
    std::memcpy(copy.bytes, static_cast<const void*>(&fib), sizeof(F));
    F& raw = *reinterpret_cast<F*>(copy.bytes);
    F::for_each_array(raw, member_relocation{place});
    if constexpr (requires { raw.ready(build_options{}); })
        raw.ready(build_options{});
    return {0, place_bytes(copy, place)};
}
template <class A, class Front>
copied_fib copy_fib(const cells::mapped_fib<A, Front>& fib, array_upload& place) {
    cells::fib_arrays<A, Front> arrays = fib.arrays();
    cells::for_each_section(arrays, [&](cells::section_kind, auto& items, std::size_t) {
        items = {place(items), items.size()};
    });
    return {0, place_bytes(arrays, place)};
}
template <class A, class Small, class Large>
copied_fib copy_fib(const cells::one_of<A, Small, Large>& fib, array_upload& place) {
    const auto copy = [&](const auto& chosen) { return copy_fib(chosen, place); };
    return {static_cast<unsigned>(fib.choice().index()), std::visit(copy, fib.choice()).object};
}

} // namespace fingerpost::gpu
