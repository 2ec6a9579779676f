// Finds the slots of objects in a hash table that compares keys without running Python code.
#include "python/core/object_slots.hpp"

#include <functional>
#include <limits>
#include <stdexcept>
#include <utility>

namespace fingerpost::python {
namespace {

// Comparison and hash of these types run no Python code.
bool compares_by_value(PyObject* object) noexcept {
    return PyUnicode_CheckExact(object) || PyBytes_CheckExact(object) || PyLong_CheckExact(object);
}

} // namespace

std::size_t object_slots::hash::operator()(PyObject* object) const noexcept {
    if (!compares_by_value(object))
        return std::hash<PyObject*>{}(object);
    return static_cast<std::size_t>(PyObject_Hash(object));
}

bool object_slots::same::operator()(PyObject* a, PyObject* b) const noexcept {
    if (a == b)
        return true;
    if (Py_TYPE(a) != Py_TYPE(b) || !compares_by_value(a))
        return false;
    return PyObject_RichCompareBool(a, b, Py_EQ) == 1;
}

next_hop object_slots::use(PyObject* object) {
    const auto position = by_object_.find(object);
    if (position != by_object_.end()) {
        entry& known = slots_[position->second];
        used_ += known.uses == 0 ? 1 : 0;
        ++known.uses;
        return {position->second};
    }
    std::uint32_t number = 0;
    if (free_.empty()) {
        if (slots_.size() >= next_hop::none.id)
            throw std::length_error("object slots");
        number = static_cast<std::uint32_t>(slots_.size());
        slots_.emplace_back();
        try {
            // let_go() and reclaim() must not fail, so the lists have capacity for every slot.
            waiting_.reserve(slots_.capacity());
            free_.reserve(slots_.capacity());
            by_object_.emplace(object, number);
        } catch (...) {
            slots_.pop_back();
            throw;
        }
    } else {
        number = free_.back();
        by_object_.emplace(object, number);
        free_.pop_back();
    }
    Py_INCREF(object);
    slots_[number] = {object, 1, slots_[number].waits};
    ++used_;
    return {number};
}

void object_slots::let_go(next_hop which) noexcept {
    entry& known = slots_[which.id];
    if (--known.uses != 0)
        return;
    --used_;
    if (!std::exchange(known.waits, true))
        waiting_.push_back(which.id);
}

void object_slots::reclaim(dropped_objects& into) {
    into.reserve(into.size() + waiting_.size());
    for (const std::uint32_t number : waiting_) {
        entry& known = slots_[number];
        known.waits = false;
        if (known.uses != 0)
            continue;
        // The garbage collector may have removed the object.
        if (known.object != nullptr) {
            by_object_.erase(known.object);
            into.push_back(std::exchange(known.object, nullptr));
        }
        free_.push_back(number);
    }
    waiting_.clear();
}

std::size_t object_slots::memory_bytes() const noexcept {
    constexpr std::size_t node = sizeof(void*) * 2 + sizeof(std::pair<PyObject*, std::uint32_t>);
    return slots_.capacity() * sizeof(entry) + (free_.capacity() + waiting_.capacity()) * 4 +
           by_object_.size() * node + by_object_.bucket_count() * sizeof(void*);
}

int object_slots::traverse(visitproc visit, void* with) const {
    for (const entry& slot : slots_)
        if (slot.object != nullptr)
            if (const int stop = visit(slot.object, with); stop != 0)
                return stop;
    return 0;
}

dropped_objects object_slots::take_all() noexcept {
    dropped_objects objects;
    objects.reserve(slots_.size());
    for (entry& slot : slots_)
        if (slot.object != nullptr)
            objects.push_back(std::exchange(slot.object, nullptr));
    by_object_.clear();
    return objects;
}

} // namespace fingerpost::python
