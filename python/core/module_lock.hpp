// A lock that replaces the GIL in interpreters without one.
#pragma once

#include <nanobind/nanobind.h>

namespace fingerpost::python {

// In python/core, "needs the GIL" means that only one thread at a time runs, until it releases the GIL or
// runs Python code. In an interpreter without a GIL, functions that use a table hold this lock instead. It is
// a Python critical section: like the GIL, it is released while the thread waits or uses gil_scoped_release.
// In an interpreter with a GIL it does nothing. Long operations hold neither.
class module_lock {
  public:
    module_lock() : guard_(shared()) {}

    // Call this before the module defines functions.
    static void make() {
        shared() = PyObject_CallNoArgs(reinterpret_cast<PyObject*>(&PyBaseObject_Type));
        if (shared() == nullptr)
            throw nanobind::python_error();
    }

  private:
    // Lives as long as the process.
    static PyObject*& shared() noexcept {
        static PyObject* lock = nullptr;
        return lock;
    }

    nanobind::ft_object_guard guard_;
};

// Makes a method hold the lock: class_::def(..., locked()).
using locked = nanobind::call_guard<module_lock>;

} // namespace fingerpost::python
