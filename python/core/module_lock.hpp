// Stands in for the GIL where there is none.
#pragma once

#include <nanobind/nanobind.h>

namespace fingerpost::python {

// What "needs the GIL" in python/core counts on what that gives: one thread at a time, until this lets go of
// the GIL or runs Python code. In an interpreter without a GIL the functions that touch a table hold this
// lock instead. It is a critical section of Python: a thread that waits, or that a gil_scoped_release lets
// go, gives it back as it would the GIL. With a GIL it is nothing. What takes long runs without either.
class module_lock {
  public:
    module_lock() : guard_(shared()) {}

    // Before the module has any function.
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

// Makes a method hold it: class_::def(..., locked()).
using locked = nanobind::call_guard<module_lock>;

} // namespace fingerpost::python
