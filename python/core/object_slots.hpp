// The Python objects that routes lead to, numbered, each with the count of its uses.
//
//      slot 0    "eth0"    2 uses         routes name an object by its slot, as their next hop
//      slot 1    -         free           the next new object comes here
//      slot 2    <obj>     0 uses, waits  lookups may still name it; its object stays until they have ended
#pragma once

#include <cstddef>
#include <cstdint>
#include <nanobind/nanobind.h>
#include <unordered_map>
#include <vector>

#include "fingerpost/net/next_hop.hpp"

namespace fingerpost::python {

// Objects that a caller is to let go of when it holds no lock, as that may run any Python code.
using dropped_objects = std::vector<PyObject*>;

// Everything needs the GIL and runs no Python code. Objects equal and exactly of type str, bytes or int share
// a slot, others are told apart by identity: fewer different next hops make a smaller FIB.
class object_slots {
  public:
    object_slots() = default;
    object_slots(const object_slots&) = delete;
    object_slots& operator=(const object_slots&) = delete;

    // The object's slot, with one use more. Throws std::bad_alloc or, when numbers run out,
    // std::length_error; nothing has changed then.
    next_hop use(PyObject* object);
    // One use more of a slot that has some.
    void use_again(next_hop slot) noexcept { ++slots_[slot.id].uses; }
    // One use less; a slot without any waits for reclaim().
    void let_go(next_hop slot) noexcept;
    // Empties the slots that wait, and adds their objects to `into`. Throws std::bad_alloc before it begins.
    void reclaim(dropped_objects& into);
    bool has_waiting() const noexcept { return !waiting_.empty(); }

    // Borrowed; None of a slot that the garbage collector has emptied.
    PyObject* operator[](next_hop slot) const noexcept {
        PyObject* const object = slots_[slot.id].object;
        return object == nullptr ? Py_None : object;
    }
    // Whether some route has it, as far as the last commit knows.
    bool is_used(next_hop slot) const noexcept { return slots_[slot.id].uses != 0; }
    // Slots, free ones among them.
    std::size_t size() const noexcept { return slots_.size(); }
    // Slots with an object that some route uses.
    std::size_t used() const noexcept { return used_; }
    std::size_t memory_bytes() const noexcept;

    int traverse(visitproc visit, void* with) const;
    // All objects, whatever uses them: for the garbage collector and for the end.
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
    std::vector<std::uint32_t> waiting_; // each slot once; room for all of them is reserved
    std::unordered_map<PyObject*, std::uint32_t, hash, same> by_object_;
    std::size_t used_ = 0;
};

} // namespace fingerpost::python
