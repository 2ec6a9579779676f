// Replaces the GIL in interpreters without one.
#pragma once

#include <nanobind/nanobind.h>

namespace fingerpost::python {

// What "needs the GIL" in python/core relies on: only one thread at a time runs, until it releases the GIL or
// runs Python code. In an interpreter without a GIL, functions that use a table hold this lock instead. It is
// a critical section of Python: a thread that waits or releases it by gil_scoped_release gives it up as it
// would the GIL. With a GIL it does nothing. Long work runs without either.
class module_lock {
  public:
    module_lock() : guard_(shared()) {}

    // Call it before the module has any function.
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
