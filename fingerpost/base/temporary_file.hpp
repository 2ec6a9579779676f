// A file with a hidden name until it is complete, and a list of all such files of the process, which a signal
// handler can use to remove them.
#pragma once

#include <array>
#include <cstddef>

#include <sys/types.h>

#include "fingerpost/base/cxx20.hpp"

namespace fingerpost {

// Removes all files that temporary_file objects have created and not renamed, and prevents new ones. For
// handlers of signals that end the process: takes no lock and does not allocate. The library itself installs
// no handler.
void remove_temporary_files() noexcept;

// The file name is `.fingerpost-PID-RANDOM.tmp`. The destructor removes the file unless it was renamed. The
// folder is an open descriptor that must outlive the object. Names are relative to it, so the temporary name
// does not make a path longer, and the folder cannot be replaced in between.
class temporary_file {
  public:
    static constexpr std::size_t most_listed = 64; // files at a time, as many as remove_temporary_files() can
                                                   // list

    explicit temporary_file(int folder) noexcept : folder_(folder) {}
    temporary_file(const temporary_file&) = delete;
    temporary_file& operator=(const temporary_file&) = delete;
    ~temporary_file();

    // Creates the file; call this once. Returns a writable descriptor, or -1 with errno.
    int create(mode_t mode) noexcept;
    // Renames the file within its folder and replaces an existing file. Returns false with errno on failure.
    bool rename_to(const char* name) noexcept;

  private:
    void forget() noexcept;

    int folder_;
    std::size_t slot_ = most_listed; // index in the list
    std::array<char, 64> name_{};    // short, so that target names may have NAME_MAX bytes
    bool exists_ = false;
};

} // namespace fingerpost
