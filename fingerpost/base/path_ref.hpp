// A file path as an argument: a C string, std::string, std::filesystem::path or similar.
//
// <filesystem> is not included because it takes longer to compile than fingerpost.hpp.
#pragma once

#include <concepts>

#include "fingerpost/base/cxx20.hpp"

namespace fingerpost {

// Refers to the caller's string and is valid until the call returns.
class path_ref {
  public:
    path_ref(const char* path) noexcept : path_(path) {}
    template <class Path>
        requires requires(const Path& path) {
            { path.c_str() } -> std::same_as<const char*>;
        }
    path_ref(const Path& path) noexcept : path_(path.c_str()) {}

    const char* c_str() const noexcept { return path_; }

  private:
    const char* path_;
};

} // namespace fingerpost
