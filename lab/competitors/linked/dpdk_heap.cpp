// Starts DPDK quietly and gives it huge pages.
#include "lab/competitors/linked/dpdk_heap.hpp"

#include <array>
#include <atomic>
#include <sched.h>
#include <sys/mman.h>

#include <rte_config.h>

#include <rte_eal.h>
#include <rte_malloc.h>

namespace fingerpost::bench {
namespace {

constexpr std::size_t huge_page = std::size_t{1} << 21;

bool runs_already = false;

// No devices, no files, only this thread, no output. The memory of -m is for DPDK itself. (--in-memory and
// --no-huge exclude each other in 22.11.)
bool start_dpdk() {
    if (runs_already)
        return true;
    static std::array<std::string, 10> words = {"fingerpost",
                                                "--no-huge",
                                                "--no-pci",
                                                "--no-shconf",
                                                "--no-telemetry",
                                                "--force-max-simd-bitwidth=512",
                                                "--iova-mode=va",
                                                "--log-level=1",
                                                "-m",
                                                "64"};
    std::array<char*, words.size() + 1> arguments{};
    for (std::size_t i = 0; i < words.size(); ++i)
        arguments[i] = words[i].data();
    // DPDK moves the calling thread to the CPU that it prefers; the harness has chosen another.
    cpu_set_t before;
    const bool known = sched_getaffinity(0, sizeof before, &before) == 0;
    const bool started = rte_eal_init(static_cast<int>(words.size()), arguments.data()) >= 0;
    if (known)
        sched_setaffinity(0, sizeof before, &before);
    return started;
}

std::string next_name() {
    static std::atomic<unsigned> count = 0;
    return "fp" + std::to_string(count++);
}

} // namespace

void dpdk_heap::dpdk_runs() noexcept {
    runs_already = true;
}

expected<std::unique_ptr<dpdk_heap>> dpdk_heap::make(std::size_t bytes) {
    static const bool started = start_dpdk();
    if (!started)
        return unexpected{errc::unsupported};
    std::unique_ptr<dpdk_heap> heap(new dpdk_heap);
    if (const errc fault = heap->open(bytes); fault != errc::ok)
        return unexpected{fault};
    return heap;
}

errc dpdk_heap::open(std::size_t bytes) {
    name_ = next_name();
    size_ = (bytes + huge_page - 1) / huge_page * huge_page;
    // One page more than requested, so that the start can be rounded up; the rest at both ends is returned.
    void* const raw =
        mmap(nullptr, size_ + huge_page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (raw == MAP_FAILED)
        return errc::out_of_memory;
    auto* const start = static_cast<std::byte*>(raw);
    const std::size_t skipped = (huge_page - reinterpret_cast<std::uintptr_t>(raw) % huge_page) % huge_page;
    if (skipped != 0)
        munmap(start, skipped);
    munmap(start + skipped + size_, huge_page - skipped);
    memory_ = start + skipped;
    madvise(memory_, size_, MADV_HUGEPAGE);
    created_ = rte_malloc_heap_create(name_.c_str()) == 0;
    added_ =
        created_ && rte_malloc_heap_memory_add(name_.c_str(), memory_, size_, nullptr, 0, huge_page) == 0;
    if (!added_)
        return errc::out_of_memory;
    socket_ = rte_malloc_heap_get_socket(name_.c_str());
    return errc::ok;
}

dpdk_heap::~dpdk_heap() {
    if (added_)
        rte_malloc_heap_memory_remove(name_.c_str(), memory_, size_);
    if (created_)
        rte_malloc_heap_destroy(name_.c_str());
    if (memory_ != nullptr)
        munmap(memory_, size_);
}

} // namespace fingerpost::bench
