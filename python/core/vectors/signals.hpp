// Ctrl-C while a lookup runs: the handlers of Python's signals are called now and then.
#pragma once

#include <chrono>
#include <cstddef>

#include "fingerpost/base/function_ref.hpp"

namespace fingerpost::python {

// What the calling thread does between pieces of its work. What it throws ends the work of all threads.
using between_pieces = function_ref<void()>;

// Without the GIL, by the thread that called: gets the GIL some times a second, as handlers run with it, and
// only in the main thread, as they run nowhere else. Throws nanobind::python_error with what a handler
// raises.
class signal_watch {
  public:
    void operator()();

  private:
    using clock = std::chrono::steady_clock;

    clock::time_point next_ = clock::now() + pause;
    bool is_known_ = false; // whether this is the main thread

    static constexpr std::chrono::milliseconds pause{50};
};

// With the GIL, in loops over rows: the same once in some thousand rows.
void check_signals(std::size_t row);

} // namespace fingerpost::python
