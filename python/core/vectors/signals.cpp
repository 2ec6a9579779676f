// Lets the interpreter handle pending signals.
#include "python/core/vectors/signals.hpp"

#include <nanobind/nanobind.h>

#include "python/core/raise.hpp"

namespace fingerpost::python {
namespace nb = nanobind;
namespace {

bool is_main_thread() {
    const nb::object threading = nb::module_::import_("threading");
    return threading.attr("main_thread")().attr("ident").equal(threading.attr("get_ident")());
}

} // namespace

void signal_watch::operator()() {
    if (clock::now() < next_)
        return;
    const nb::gil_scoped_acquire held;
    if (!is_known_ && !is_main_thread()) {
        next_ = clock::time_point::max();
        return;
    }
    is_known_ = true;
    if (PyErr_CheckSignals() != 0)
        raise_current();
    // Acquiring the GIL may have taken a while.
    next_ = clock::now() + pause;
}

void check_signals(std::size_t row) {
    constexpr std::size_t rows = 4096;
    if (row % rows == 0 && PyErr_CheckSignals() != 0)
        raise_current();
}

} // namespace fingerpost::python
