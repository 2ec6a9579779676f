// The stand-in for CUDA: one device, whose memory is that of the host, and kernels that run on the CPU in the
// call that launches them, unless a test holds their stream.
#include "gpu/device_standin.hpp"

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "gpu/lookup.hpp"

namespace fingerpost::gpu {
namespace {

// CUDA aligns memory to 256 bytes.
constexpr std::size_t alignment = 256;
constexpr std::size_t most_bytes = std::size_t{80} << 30; // the address sanitizer aborts at larger sizes
constexpr std::size_t never = static_cast<std::size_t>(-1);

using work = std::vector<std::function<void()>>;
std::mutex lock; // for these two
std::map<stream, work> held;
std::map<const void*, std::size_t> sizes; // of the memory of the device
std::atomic<std::size_t> calls_until_failure = never;

struct recorded_event {
    std::atomic<bool> is_done = true;
    stream in = nullptr;
};
recorded_event& of(event e) noexcept {
    return *static_cast<recorded_event*>(e);
}

// A lookup with copies of its arguments, because launch() returns before it runs.
struct held_lookup {
    kernel run;
    const void* fib;
    address_array addresses;
    next_hop* out;
    std::size_t count;

    void operator()() {
        void* arguments[] = {&fib, &addresses, &out, &count};
        run.on_cpu(arguments, count);
    }
};

void may_fail(int code = FINGERPOST_CUDA_DEVICE) {
    if (calls_until_failure != never && calls_until_failure-- == 0)
        throw failure(code, "a test makes this call fail");
}
bool is_held(stream in) {
    const std::lock_guard guard(lock);
    return held.contains(in);
}
void add(stream in, std::function<void()> task) {
    if (!is_held(in))
        return task();
    const std::lock_guard guard(lock);
    held[in].push_back(std::move(task));
}
void copy(void* to, const void* from, std::size_t bytes, stream in) {
    may_fail();
    standin::resume(in);
    std::memcpy(to, from, bytes);
}

} // namespace

void standin::hold(stream in) {
    const std::lock_guard guard(lock);
    held[in];
}
void standin::resume(stream in) {
    work tasks;
    {
        const std::lock_guard guard(lock);
        if (const auto found = held.find(in); found != held.end()) {
            tasks.swap(found->second);
            held.erase(found);
        }
    }
    for (const auto& task : tasks)
        task();
}
void standin::fail_call(std::size_t number) {
    calls_until_failure = number;
}
bool standin::stop_failing() {
    return calls_until_failure.exchange(never) == never; // 0 becomes it
}
std::size_t standin::device_bytes() {
    const std::lock_guard guard(lock);
    std::size_t sum = 0;
    for (const auto& [memory, bytes] : sizes)
        sum += bytes;
    return sum;
}

// CUDA_VISIBLE_DEVICES hides the device if it is empty, as for CUDA.
int count_devices() {
    const char* const visible = std::getenv("CUDA_VISIBLE_DEVICES");
    return visible != nullptr && *visible == '\0' ? 0 : 1;
}
fingerpost_cuda_properties describe_device(int device) {
    const current_device exists(device);
    fingerpost_cuda_properties result{};
    (void)std::snprintf(result.name, sizeof result.name, "stand-in on the CPU");
    return result;
}
current_device::current_device(int device) {
    if (device < 0 || device >= count_devices())
        throw failure(FINGERPOST_CUDA_INVALID, "there is no device with this number");
}
current_device::~current_device() = default;

void* allocate(std::size_t bytes) {
    std::unique_ptr<void, decltype(&std::free)> memory(allocate_pinned(bytes), &std::free);
    const std::lock_guard guard(lock);
    sizes[memory.get()] = bytes;
    return memory.release();
}
void release(void* memory) noexcept {
    {
        const std::lock_guard guard(lock);
        sizes.erase(memory);
    }
    std::free(memory);
}
void* allocate_pinned(std::size_t bytes) {
    may_fail(FINGERPOST_CUDA_OUT_OF_MEMORY);
    void* const memory = bytes > most_bytes
                             ? nullptr
                             : std::aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment);
    if (memory == nullptr)
        throw failure(FINGERPOST_CUDA_OUT_OF_MEMORY, "cannot allocate memory");
    return memory;
}
void release_pinned(void* memory) noexcept {
    std::free(memory);
}
bool is_pinned(const void*) noexcept {
    return false;
}
int device_of(const void*) {
    return 0;
}
void copy_to_device(void* to, const void* from, std::size_t bytes, stream in) {
    copy(to, from, bytes, in);
}
void copy_to_host(void* to, const void* from, std::size_t bytes, stream in) {
    copy(to, from, bytes, in);
}
void copy_anywhere(void* to, const void* from, std::size_t bytes, stream in) {
    copy(to, from, bytes, in);
}
void fill_with_none(next_hop* out, std::size_t count, stream in) {
    may_fail();
    add(in, [=] { std::fill_n(out, count, next_hop::none); });
}
void launch(const kernel& run, void** arguments, std::size_t count, stream in) {
    may_fail();
    if (is_held(in))
        add(in, held_lookup{run, argument<const void*>(arguments[0]), argument<address_array>(arguments[1]),
                            argument<next_hop*>(arguments[2]), count});
    else
        run.on_cpu(arguments, count);
}

// Streams only need to differ.
stream create_stream() {
    may_fail();
    return new char;
}
void destroy_stream(stream of_ours) noexcept {
    standin::resume(of_ours);
    delete static_cast<char*>(of_ours);
}
void wait_for_stream(stream in) {
    may_fail();
    standin::resume(in);
}
void order(stream first, stream) {
    may_fail();
    standin::resume(first);
}
event create_event() {
    may_fail();
    return new recorded_event;
}
void destroy_event(event e) noexcept {
    delete &of(e);
}
void record(event e, stream in) {
    may_fail(); // before the event changes
    of(e).in = in;
    of(e).is_done = false;
    add(in, [e] { of(e).is_done = true; });
}
bool is_done(event e) noexcept {
    return of(e).is_done;
}
void wait_for_event(event e) noexcept {
    if (!is_done(e))
        standin::resume(of(e).in);
}

} // namespace fingerpost::gpu
