// The Python objects that routes lead to, numbered, each with a count of its uses.
//
//     slot 0    "eth0"    2 uses         routes refer to an object by its slot, as their next hop
//     slot 1    -         free           the next new object comes here
//     slot 2    <obj>     0 uses, waits  lookups may still refer to it; its object stays until they have
//     ended
#pragma once

#include <cstddef>
#include <cstdint>
#include <nanobind/nanobind.h>
#include <unordered_map>
#include <vector>

#include "fingerpost/net/next_hop.hpp"

namespace fingerpost::python {

// Objects that the caller must release when it holds no lock, because releasing may run any Python code.
using dropped_objects = std::vector<PyObject*>;

// Everything needs the GIL and runs no Python code. Equal objects of exactly the type str, bytes or int share
// a slot, others are distinguished by identity: fewer different next hops make a smaller FIB.
class object_slots {
  public:
    object_slots() = default;
    object_slots(const object_slots&) = delete;
    object_slots& operator=(const object_slots&) = delete;

    // Returns the object's slot and adds a use. Throws std::bad_alloc or, if numbers run out,
    // std::length_error; nothing has changed then.
    next_hop use(PyObject* object);
    // Adds a use to a slot that has some.
    void use_again(next_hop slot) noexcept { ++slots_[slot.id].uses; }
    // Removes a use; a slot without any waits for reclaim().
    void let_go(next_hop slot) noexcept;
    // Empties the waiting slots, and adds their objects to `into`. Throws std::bad_alloc before it changes
    // anything.
    void reclaim(dropped_objects& into);
    bool has_waiting() const noexcept { return !waiting_.empty(); }

    // Borrowed; None for a slot that the garbage collector has emptied.
    PyObject* operator[](next_hop slot) const noexcept {
        PyObject* const object = slots_[slot.id].object;
        return object == nullptr ? Py_None : object;
    }
    // Whether some route uses it, as of the last commit.
    bool is_used(next_hop slot) const noexcept { return slots_[slot.id].uses != 0; }
    // The number of slots, including free ones.
    std::size_t size() const noexcept { return slots_.size(); }
    // The number of slots whose objects are used by routes.
    std::size_t used() const noexcept { return used_; }
    std::size_t memory_bytes() const noexcept;

    int traverse(visitproc visit, void* with) const;
    // Takes all objects, used or not: for the garbage collector and for the end.
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
    std::vector<std::uint32_t> waiting_; // each slot once; there is room for all of them
    std::unordered_map<PyObject*, std::uint32_t, hash, same> by_object_;
    std::size_t used_ = 0;
};

} // namespace fingerpost::python
