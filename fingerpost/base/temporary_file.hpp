// A file that has a hidden name until it is whole, and the list of all such files of the process, for
// programs that are ended by a signal meanwhile.
#pragma once

#include <array>
#include <cstddef>

#include <sys/types.h>

#include "fingerpost/base/cxx20.hpp"

namespace fingerpost {

// Removes what temporary_file objects have made and not renamed, and keeps them from making more. For
// handlers of signals that end the process: it takes no lock and allocates nothing. The library itself
// installs no handler.
void remove_temporary_files() noexcept;

// The name is `.fingerpost-PID-RANDOM.tmp` in a folder, and is taken away by the destructor unless the file
// has been renamed. The folder is an open descriptor that outlives the object: names are relative to it, so
// that a temporary one makes no path longer, and no other folder takes the place of this one.
class temporary_file {
  public:
    static constexpr std::size_t most_listed = 64; // of all at once; remove_temporary_files() knows no more

    explicit temporary_file(int folder) noexcept : folder_(folder) {}
    temporary_file(const temporary_file&) = delete;
    temporary_file& operator=(const temporary_file&) = delete;
    ~temporary_file();

    // Once. A descriptor that can be written to; -1 with errno when the file cannot be made.
    int create(mode_t mode) noexcept;
    // Into the same folder, replacing what has the name. False with errno when it cannot be.
    bool rename_to(const char* name) noexcept;

  private:
    void forget() noexcept;

    int folder_;
    std::size_t slot_ = most_listed; // its place in the list
    std::array<char, 64> name_{};    // short: names of NAME_MAX bytes can be saved
    bool exists_ = false;
};

} // namespace fingerpost
