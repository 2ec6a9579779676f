// Changes the byte copy of an object so that it refers to a copy of its arrays elsewhere, such as in the
// memory of a GPU. Nothing may change or destroy such an object, because it owns nothing.
//
// A class with arrays inside a container has
//
//     template <class Place>
//     void relocate(Place place);   place(span) copies the items and returns the new position of the first
#pragma once

#include <cstddef>
#include <cstring>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "fingerpost/base/memory.hpp"

namespace fingerpost {

template <class T, class Place>
void relocate(aligned_array<T>& array, Place& place) {
    std::construct_at(&array, aligned_array<T>::borrow({place(std::as_const(array).span()), array.size()}));
}
// Vectors of libstdc++ and libc++ begin with these three pointers.
template <class T, class Place>
void relocate(std::vector<T>& items, Place& place) {
    static_assert(sizeof items == 3 * sizeof(T*));
    const T* const first = place(std::span<const T>(items));
    const T* const bounds[] = {first, first + items.size(), first + items.size()};
    std::memcpy(static_cast<void*>(&items), bounds, sizeof bounds);
}

} // namespace fingerpost
