// A file with a hidden name until it is complete, and a list of all such files of the process, so that a
// signal handler can remove them.
#pragma once

#include <array>
#include <cstddef>

#include <sys/types.h>

#include "fingerpost/base/cxx20.hpp"

namespace fingerpost {

// Removes all files that temporary_file objects have made and not renamed, and prevents new ones. For
// handlers of signals that end the process: it takes no lock and allocates nothing. The library itself
// installs no handler.
void remove_temporary_files() noexcept;

// The name is `.fingerpost-PID-RANDOM.tmp` in a folder. The destructor removes the file unless it was
// renamed. The folder is an open descriptor that must outlive the object. Names are relative to it, so the
// temporary name makes no path longer, and the folder cannot be exchanged for another meanwhile.
class temporary_file {
  public:
    static constexpr std::size_t most_listed = 64; // files at a time; remove_temporary_files() knows no more

    explicit temporary_file(int folder) noexcept : folder_(folder) {}
    temporary_file(const temporary_file&) = delete;
    temporary_file& operator=(const temporary_file&) = delete;
    ~temporary_file();

    // Call it once. Returns a descriptor that can be written to, or -1 with errno.
    int create(mode_t mode) noexcept;
    // Renames the file within its folder, replacing a file of that name. False with errno on failure.
    bool rename_to(const char* name) noexcept;

  private:
    void forget() noexcept;

    int folder_;
    std::size_t slot_ = most_listed; // its place in the list
    std::array<char, 64> name_{};    // short, so that names of NAME_MAX bytes can be saved
    bool exists_ = false;
};

} // namespace fingerpost
