// Bytes in memory that have a path, for a library that only opens files by name.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "fingerpost/base/cxx20.hpp"

namespace fingerpost::io {

class memory_file {
  public:
    memory_file() = default;
    memory_file(memory_file&& other) noexcept;
    memory_file& operator=(memory_file&&) = delete;
    ~memory_file();

    // Appends bytes. Returns false and sets errno if the system refuses.
    bool append(std::string_view bytes);

    // Valid as long as this object, in this process. /proc must be mounted.
    std::string path() const;
    std::size_t size() const noexcept { return size_; }

  private:
    int descriptor_ = -1;
    std::size_t size_ = 0;
};

} // namespace fingerpost::io
