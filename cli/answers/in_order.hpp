// Answers the parts of an input with several threads and delivers the results in order.
#pragma once

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <thread>
#include <utility>

#include "io/source/ordered_pipeline.hpp"
#include "terminal/console.hpp"
#include "terminal/exit_code.hpp"
#include "terminal/failure.hpp"
#include "terminal/options.hpp"

namespace fingerpost::cli {

// Adds --threads. 0 means one per core.
inline void add_threads(command& to, unsigned& target) {
    add_number(to, "--threads", target, {0, 1024}, "Number of threads").preset = "one per core";
}
// `chosen` is the value of --threads.
inline unsigned thread_count(unsigned chosen) {
    return chosen != 0 ? chosen : std::max(1U, std::thread::hardware_concurrency());
}

// Reads parts in one thread, processes them in others and calls deliver(result) in this one, until it returns
// false. `produce` and `make_work` are as in ordered_pipeline.
//
// The reading thread may wait for an idle pipe. Waiting for it would keep the process alive after the reader
// of its output has gone. It holds nothing that must be saved. So if deliver() throws closed_pipe or failure,
// abandon() is called, the failure is reported, and the process ends.
template <class Part, class Result, class Deliver, class Abandon>
void deliver_in_order(unsigned threads, typename io::ordered_pipeline<Part, Result>::source produce,
                      const std::function<std::function<Result(Part&&)>()>& make_work, Deliver deliver,
                      Abandon abandon) {
    io::ordered_pipeline<Part, Result> pipeline(threads, std::move(produce), make_work);
    try {
        for (auto result = pipeline.next(); result && deliver(std::move(*result)); result = pipeline.next()) {
        }
    } catch (const closed_pipe&) {
        abandon();
        std::_Exit(exit_code::ok);
    } catch (const failure& error) {
        abandon();
        report(error.what());
        std::_Exit(exit_code::failed);
    }
}

} // namespace fingerpost::cli
