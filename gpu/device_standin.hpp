// Control of the stand-in for CUDA: tests hold streams and let calls fail.
#pragma once

#include <cstddef>

#include "gpu/device.hpp"

namespace fingerpost::gpu::standin {

// Lookups in a stream wait until resume(), or until a function waits for the stream, one of its events, or
// copies in it.
void hold(stream);
void resume(stream);

// Makes call `number` (from 0) of the functions that may throw fail, once, whichever thread calls.
void fail_call(std::size_t number);
// Cancels it. Returns whether the call has failed.
bool stop_failing();

// Size of all memory of the device.
std::size_t device_bytes();

} // namespace fingerpost::gpu::standin
