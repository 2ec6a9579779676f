// Readers of a table. Each has a cache line in which it announces the version that it uses.
//
// A reader writes only its own line and never waits. It writes one of
//
//      0                  idle: reads nothing
//      version, pinning   about to read this version or a later one
//      version, pinned    reads exactly this version
//
// Pinning takes three steps: store (newest known version, pinning), load the pointer to the published FIBs,
// store (its version, pinned). The first store, that load, the writer's store of the pointer and its loads of
// the lines are sequentially consistent. So either the writer sees the line before it frees replaced FIBs, or
// the reader sees the new pointer (Dekker's argument). A reader that stalls while pinned retains one version.
// A reader that stalls between the two stores also retains all later ones.
//
//      reader_line  [ state | in_use | ....... ]   64 bytes
//      block        [ line | line | ... | next ]   blocks are added, lines reused, nothing is freed
#pragma once

#include <array>
#include <atomic>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <new>

#include "fingerpost/table/reader_line.hpp"

namespace fingerpost {

class reader_registry {
    static constexpr std::size_t lines_a_block = 31;
    struct block {
        std::array<reader_line, lines_a_block> lines;
        block* next = nullptr;
    };

  public:
    reader_registry() = default;
    reader_registry(const reader_registry&) = delete;
    reader_registry& operator=(const reader_registry&) = delete;
    ~reader_registry() {
        for (block* b = first_.load(); b != nullptr;) {
            block* const next = b->next;
            delete b;
            b = next;
        }
    }

    // Returns a line that no other reader uses, or nullptr if out of memory. Any thread. Lock-free.
    reader_line* join() noexcept {
        for (block* b = first_.load(); b != nullptr; b = b->next)
            for (reader_line& line : b->lines)
                if (!line.in_use.load_relaxed() && !line.in_use.exchange_acquire(true))
                    return &line;
        block* const added = new (std::nothrow) block;
        if (added == nullptr)
            return nullptr;
        added->lines[0].in_use.store_relaxed(true);
        added->next = first_.load();
        // Sequentially consistent like the pins: a writer that does not see this block yet has published
        // before, and the new reader will see that publication.
        while (!first_.compare_exchange_weak(added->next, added)) {
        }
        return &added->lines[0];
    }

    // True if a reader may be reading one of the versions `first` to `last`, which are no longer published.
    bool hold(std::uint64_t first, std::uint64_t last) const noexcept {
        bool held = false;
        for_each([&](std::uint64_t state) {
            const std::uint64_t version = reader_line::version_of(state);
            held |= version <= last && (version >= first || !reader_line::is_exact(state));
        });
        return held;
    }
    // Returns the oldest version, not before `first`, that a reader may be reading, or `otherwise` if there
    // is none.
    std::uint64_t oldest(std::uint64_t first, std::uint64_t otherwise) const noexcept {
        std::uint64_t oldest = otherwise;
        for_each([&](std::uint64_t state) {
            std::uint64_t version = reader_line::version_of(state);
            if (!reader_line::is_exact(state) && version < first)
                version = first;
            if (version >= first && version < oldest)
                oldest = version;
        });
        return oldest;
    }
    std::size_t behind(std::uint64_t newest) const noexcept {
        std::size_t count = 0;
        for_each([&](std::uint64_t state) { count += reader_line::version_of(state) < newest ? 1 : 0; });
        return count;
    }
    // Number of readers that have joined and not left.
    std::size_t size() const noexcept {
        std::size_t count = 0;
        for (const block* b = first_.load(); b != nullptr; b = b->next)
            for (const reader_line& line : b->lines)
                count += line.in_use.load_acquire() ? 1 : 0;
        return count;
    }
    std::size_t memory_bytes() const noexcept {
        std::size_t bytes = 0;
        for (const block* b = first_.load(); b != nullptr; b = b->next)
            bytes += sizeof(block);
        return bytes;
    }

  private:
    // Calls visit(state) for each reader that is not idle.
    template <class Visit>
    void for_each(Visit visit) const noexcept {
        for (const block* b = first_.load(); b != nullptr; b = b->next)
            for (const reader_line& line : b->lines)
                if (const std::uint64_t state = line.state.load(); state != 0)
                    visit(state);
    }

    std::atomic<block*> first_{nullptr};
};

} // namespace fingerpost
