// Ctrl-C during a lookup: lets Python run its signal handlers now and then.
#pragma once

#include <chrono>
#include <cstddef>

#include "fingerpost/base/function_ref.hpp"

namespace fingerpost::python {

// What the calling thread does between pieces of its work. An exception ends the work of all threads.
using between_pieces = function_ref<void()>;

// Called without the GIL, by the thread that called the lookup. It gets the GIL several times a second,
// because handlers need it, and only in the main thread, because they run nowhere else. Throws
// nanobind::python_error with what a handler raises.
class signal_watch {
  public:
    void operator()();

  private:
    using clock = std::chrono::steady_clock;

    clock::time_point next_ = clock::now() + pause;
    bool is_known_ = false; // whether it is known if this is the main thread

    static constexpr std::chrono::milliseconds pause{50};
};

// Needs the GIL; for loops over rows: the same, once in some thousand rows.
void check_signals(std::size_t row);

} // namespace fingerpost::python
