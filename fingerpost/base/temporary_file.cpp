// The list is an array of slots. A single atomic number reserves or frees a slot, so a signal handler can
// read the list at any time.
#include "fingerpost/base/temporary_file.hpp"

#include <atomic>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <fcntl.h>
#include <sys/random.h>
#include <unistd.h>

namespace fingerpost {
namespace {

enum slot_state : int { slot_free, slot_taken, slot_listed };

struct listed_file {
    std::atomic<int> state{slot_free};
    int folder = -1;
    std::array<char, 64> name{};
};

constinit std::array<listed_file, temporary_file::most_listed> listed_files{};
constinit std::atomic<bool> no_more_files{false};
static_assert(std::atomic<int>::is_always_lock_free && std::atomic<bool>::is_always_lock_free);

// Returns the slot number, or most_listed if all slots are in use.
std::size_t list_file(int folder, const std::array<char, 64>& name) noexcept {
    for (std::size_t i = 0; i < listed_files.size(); ++i) {
        int expected = slot_free;
        if (!listed_files[i].state.compare_exchange_strong(expected, slot_taken))
            continue;
        listed_files[i].folder = folder;
        listed_files[i].name = name;
        listed_files[i].state.store(slot_listed);
        return i;
    }
    return listed_files.size();
}

// Returns a random name. It is unique, so it can be listed before the file is created.
std::array<char, 64> hidden_name() noexcept {
    // Without random numbers, names are still unique within the process.
    static constinit std::atomic<std::uint64_t> names{0};
    std::uint64_t random = 0;
    if (::getrandom(&random, sizeof random, GRND_NONBLOCK) != static_cast<ssize_t>(sizeof random))
        random = names++;
    std::array<char, 64> name{};
    std::snprintf(name.data(), name.size(), ".fingerpost-%ld-%016llx.tmp", static_cast<long>(::getpid()),
                  static_cast<unsigned long long>(random));
    return name;
}

} // namespace

void remove_temporary_files() noexcept {
    const int before = errno;
    no_more_files = true;
    for (const listed_file& file : listed_files)
        if (file.state == slot_listed)
            (void)::unlinkat(file.folder, file.name.data(), 0);
    errno = before;
}

temporary_file::~temporary_file() {
    if (exists_)
        (void)::unlinkat(folder_, name_.data(), 0);
    forget();
}

void temporary_file::forget() noexcept {
    exists_ = false;
    if (slot_ != most_listed)
        listed_files[slot_].state = slot_free;
    slot_ = most_listed;
}

int temporary_file::create(mode_t mode) noexcept {
    // A killed process without random numbers can leave a file with the same name.
    constexpr unsigned most_tries = 1000;
    int descriptor = -1;
    for (unsigned tries = 0; descriptor < 0 && tries < most_tries; ++tries) {
        name_ = hidden_name();
        slot_ = list_file(folder_, name_);
        // Check after listing the file: a concurrent handler either sees its name or prevents it.
        if (no_more_files) {
            errno = EINTR;
            break;
        }
        descriptor = ::openat(folder_, name_.data(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
        if (descriptor < 0) {
            const int reason = errno;
            forget();
            errno = reason;
            if (reason != EEXIST)
                break;
        }
    }
    exists_ = descriptor >= 0;
    return descriptor;
}

bool temporary_file::rename_to(const char* name) noexcept {
    if (::renameat(folder_, name_.data(), folder_, name) != 0)
        return false;
    forget();
    return true;
}

} // namespace fingerpost
