// Devices by the CUDA runtime, which is linked statically: only the driver must be installed.
#include <cuda_runtime_api.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <mutex>
#include <string>

#include "gpu/device.hpp"

namespace fingerpost::gpu {
namespace {

// `task` completes "cannot ...".
void require(cudaError_t result, const char* task) {
    if (result == cudaSuccess)
        return;
    (void)cudaGetLastError(); // otherwise the next call of the user would report it
    const int code =
        result == cudaErrorMemoryAllocation ? FINGERPOST_CUDA_OUT_OF_MEMORY : FINGERPOST_CUDA_DEVICE;
    throw failure(code, std::string("cannot ") + task + ": " + cudaGetErrorString(result));
}

cudaStream_t of(stream in) noexcept {
    return static_cast<cudaStream_t>(in);
}
cudaEvent_t event_of(event e) noexcept {
    return static_cast<cudaEvent_t>(e);
}

// Loads each module once for all devices. Modules stay loaded until the program ends.
cudaKernel_t find_kernel(const kernel& wanted) {
    static std::mutex lock;
    static std::map<std::pair<const void*, std::string>, cudaKernel_t> kernels;
    static std::map<const void*, cudaLibrary_t> libraries;
    const std::lock_guard guard(lock);
    cudaKernel_t& found = kernels[{wanted.module, wanted.name}];
    if (found != nullptr)
        return found;
    cudaLibrary_t& library = libraries[wanted.module];
    if (library == nullptr)
        require(cudaLibraryLoadData(&library, wanted.module, nullptr, nullptr, 0, nullptr, nullptr, 0),
                "load the kernels of a scheme");
    require(cudaLibraryGetKernel(&found, library, wanted.name), "find the kernel of a scheme");
    return found;
}

unsigned attribute(cudaDeviceAttr wanted, int device) {
    int value = 0;
    require(cudaDeviceGetAttribute(&value, wanted, device), "get an attribute of the device");
    return static_cast<unsigned>(value);
}

// Lets a kernel have as much shared memory as it asks for, or as the device has, and returns the size.
unsigned prepare_shared(cudaKernel_t function, unsigned wanted, int device) {
    const unsigned bytes = std::min(wanted, attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin, device));
    require(cudaKernelSetAttributeForDevice(function, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                            static_cast<int>(bytes), device),
            "get shared memory");
    return bytes;
}

} // namespace

int count_devices() {
    int count = 0;
    const cudaError_t result = cudaGetDeviceCount(&count);
    if (result == cudaErrorNoDevice || result == cudaErrorInsufficientDriver) {
        (void)cudaGetLastError();
        return 0;
    }
    require(result, "count the devices");
    return count;
}
fingerpost_cuda_properties describe_device(int device) {
    cudaDeviceProp facts{};
    fingerpost_cuda_properties result{};
    require(cudaGetDeviceProperties(&facts, device), "describe the device");
    require(cudaDeviceGetAttribute(&result.clock_khz, cudaDevAttrClockRate, device), "get the clock");
    require(cudaDriverGetVersion(&result.cuda_version), "get the version of the driver");
    static_assert(sizeof result.name == sizeof facts.name);
    std::memcpy(result.name, facts.name, sizeof result.name);
    result.compute_major = facts.major;
    result.compute_minor = facts.minor;
    result.multiprocessors = facts.multiProcessorCount;
    result.memory_bytes = facts.totalGlobalMem;
    result.l2_bytes = static_cast<std::size_t>(facts.l2CacheSize);
    return result;
}
current_device::current_device(int device) {
    require(cudaGetDevice(&before_), "get the current device");
    require(cudaSetDevice(device), "use the device");
}
current_device::~current_device() {
    (void)cudaSetDevice(before_);
}

void* allocate(std::size_t bytes) {
    void* memory = nullptr;
    require(cudaMalloc(&memory, bytes), "allocate memory of the device");
    return memory;
}
void release(void* memory) noexcept {
    (void)cudaFree(memory);
}
void* allocate_pinned(std::size_t bytes) {
    void* memory = nullptr;
    require(cudaMallocHost(&memory, bytes), "allocate pinned memory");
    return memory;
}
void release_pinned(void* memory) noexcept {
    (void)cudaFreeHost(memory);
}
bool is_pinned(const void* memory) noexcept {
    cudaPointerAttributes attributes{};
    if (cudaPointerGetAttributes(&attributes, memory) == cudaSuccess)
        return attributes.type == cudaMemoryTypeHost;
    (void)cudaGetLastError();
    return false;
}
int device_of(const void* memory) {
    cudaPointerAttributes attributes{};
    require(cudaPointerGetAttributes(&attributes, memory), "find the device of memory");
    return attributes.type == cudaMemoryTypeUnregistered ? -1 : attributes.device;
}
void copy_to_device(void* to, const void* from, std::size_t bytes, stream in) {
    require(cudaMemcpyAsync(to, from, bytes, cudaMemcpyHostToDevice, of(in)), "copy to the device");
}
void copy_to_host(void* to, const void* from, std::size_t bytes, stream in) {
    require(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToHost, of(in)), "copy from the device");
}
void copy_anywhere(void* to, const void* from, std::size_t bytes, stream in) {
    require(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDefault, of(in)), "copy memory of the device");
}
void fill_with_none(next_hop* out, std::size_t count, stream in) {
    require(cudaMemsetAsync(out, 0xff, count * sizeof *out, of(in)), "write results");
}
void launch(const kernel& run, void** arguments, std::size_t count, stream in) {
    const cudaKernel_t function = find_kernel(run);
    std::size_t blocks = (count + run.threads - 1) / run.threads;
    unsigned shared = 0;
    if (run.shared > 0) {
        int device = 0;
        require(cudaGetDevice(&device), "get the current device");
        shared = prepare_shared(function, run.shared, device);
        // FINGERPOST_OWN_KERNEL declares 1024 threads on a multiprocessor.
        blocks = std::min<std::size_t>(blocks, attribute(cudaDevAttrMultiProcessorCount, device) *
                                                   (1024 / run.threads));
    }
    require(cudaLaunchKernel(reinterpret_cast<const void*>(function), dim3(static_cast<unsigned>(blocks)),
                             dim3(run.threads), arguments, shared, of(in)),
            "start a kernel");
}

stream create_stream() {
    cudaStream_t created = nullptr;
    require(cudaStreamCreateWithFlags(&created, cudaStreamNonBlocking), "create a stream");
    return created;
}
void destroy_stream(stream of_ours) noexcept {
    (void)cudaStreamSynchronize(of(of_ours));
    (void)cudaStreamDestroy(of(of_ours));
}
void wait_for_stream(stream in) {
    require(cudaStreamSynchronize(of(in)), "finish a lookup");
}
void order(stream first, stream second) {
    const event last = create_event();
    const cudaError_t recorded = cudaEventRecord(event_of(last), of(first));
    const cudaError_t waits =
        recorded == cudaSuccess ? cudaStreamWaitEvent(of(second), event_of(last), 0) : recorded;
    destroy_event(last); // CUDA keeps what waiting streams need
    require(waits, "order two streams");
}
event create_event() {
    cudaEvent_t created = nullptr;
    require(cudaEventCreateWithFlags(&created, cudaEventDisableTiming), "create an event");
    return created;
}
void destroy_event(event e) noexcept {
    (void)cudaEventDestroy(event_of(e));
}
void record(event e, stream in) {
    require(cudaEventRecord(event_of(e), of(in)), "record an event");
}
bool is_done(event e) noexcept {
    return cudaEventQuery(event_of(e)) != cudaErrorNotReady;
}
void wait_for_event(event e) noexcept {
    (void)cudaEventSynchronize(event_of(e));
}

} // namespace fingerpost::gpu
