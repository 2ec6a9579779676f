// The event loop (system/event_loop.hpp) with exceptions: system errors are thrown as failure.
#pragma once

#include <optional>
#include <utility>

#include "system/event_loop.hpp"
#include "terminal/failure.hpp"

namespace fingerpost::cli {

inline void throw_if(const std::optional<system::failure>& fault) {
    if (fault)
        throw failure(fault->reason);
}

inline system::event_loop new_loop() {
    auto loop = system::event_loop::create();
    if (!loop)
        throw failure(loop.error().reason);
    return std::move(*loop);
}

} // namespace fingerpost::cli
