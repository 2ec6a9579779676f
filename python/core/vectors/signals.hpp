// Runs Python's signal handlers during a lookup, so that Ctrl-C works.
#pragma once

#include <chrono>
#include <cstddef>

#include "fingerpost/base/function_ref.hpp"

namespace fingerpost::python {

// Called by the calling thread between pieces of its work. An exception ends the work of all threads.
using between_pieces = function_ref<void()>;

// Call this without the GIL, in the thread that called the lookup. It acquires the GIL for the handlers
// several times a second, and only in the main thread, because handlers run only there. Throws
// nanobind::python_error with the exception of a handler.
class signal_watch {
  public:
    void operator()();

  private:
    using clock = std::chrono::steady_clock;

    clock::time_point next_ = clock::now() + pause;
    bool is_known_ = false; // whether it is known if this is the main thread

    static constexpr std::chrono::milliseconds pause{50};
};

// For loops over rows: runs handlers once in a few thousand rows. Needs the GIL.
void check_signals(std::size_t row);

} // namespace fingerpost::python
