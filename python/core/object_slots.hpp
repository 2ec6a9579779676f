// Numbered slots for the Python objects that routes use as values, with use counts.
//
//     slot 0    "eth0"    2 uses         the next hop of a route is the slot of its object
//     slot 1    -         free           the next new object is stored here
//     slot 2    <obj>     0 uses, waits  kept until lookups that may still refer to it have ended
#pragma once

#include <cstddef>
#include <cstdint>
#include <nanobind/nanobind.h>
#include <unordered_map>
#include <vector>

#include "fingerpost/net/next_hop.hpp"

namespace fingerpost::python {

// Objects that the caller must release while it holds no lock, because this may run arbitrary Python code.
using dropped_objects = std::vector<PyObject*>;

// All functions need the GIL and run no Python code. Equal objects of exactly the types str, bytes or int
// share a slot, because fewer next hops make a smaller FIB. Other objects are distinguished by identity.
class object_slots {
  public:
    object_slots() = default;
    object_slots(const object_slots&) = delete;
    object_slots& operator=(const object_slots&) = delete;

    // Returns the object's slot and adds a use. Throws std::bad_alloc or, if there are no more slot numbers,
    // std::length_error, without changes.
    next_hop use(PyObject* object);
    // Adds a use to a slot in use.
    void use_again(next_hop slot) noexcept { ++slots_[slot.id].uses; }
    // Removes a use. A slot without uses waits for reclaim().
    void let_go(next_hop slot) noexcept;
    // Empties the waiting slots and appends their objects to `into`. Throws std::bad_alloc, without changes.
    void reclaim(dropped_objects& into);
    bool has_waiting() const noexcept { return !waiting_.empty(); }

    // A borrowed reference; None for a slot that the garbage collector has emptied.
    PyObject* operator[](next_hop slot) const noexcept {
        PyObject* const object = slots_[slot.id].object;
        return object == nullptr ? Py_None : object;
    }
    // Whether a route used it after the last commit.
    bool is_used(next_hop slot) const noexcept { return slots_[slot.id].uses != 0; }
    // Number of slots, including free ones.
    std::size_t size() const noexcept { return slots_.size(); }
    // Number of slots with objects that routes use.
    std::size_t used() const noexcept { return used_; }
    std::size_t memory_bytes() const noexcept;

    int traverse(visitproc visit, void* with) const;
    // Removes and returns all objects, used or not. For the garbage collector and the destructor.
    dropped_objects take_all() noexcept;

  private:
    struct entry {
        PyObject* object = nullptr; // owned
        std::uint32_t uses = 0;
        bool waits = false;
    };
    struct hash {
        std::size_t operator()(PyObject* object) const noexcept;
    };
    struct same {
        bool operator()(PyObject* a, PyObject* b) const noexcept;
    };

    std::vector<entry> slots_;
    std::vector<std::uint32_t> free_;
    std::vector<std::uint32_t> waiting_; // each slot once; has capacity for all slots
    std::unordered_map<PyObject*, std::uint32_t, hash, same> by_object_;
    std::size_t used_ = 0;
};

} // namespace fingerpost::python
