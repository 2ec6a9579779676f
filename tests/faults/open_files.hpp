// The open files and mappings of this process, as Linux reports them.
#pragma once

#include <cstddef>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

namespace fingerpost::testing {

inline std::size_t open_files() {
    return static_cast<std::size_t>(std::distance(std::filesystem::directory_iterator("/proc/self/fd"), {}));
}
inline std::size_t mappings_of(const std::filesystem::path& path) {
    std::ifstream maps("/proc/self/maps");
    std::size_t found = 0;
    for (std::string line; std::getline(maps, line);)
        found += line.ends_with(path.string());
    return found;
}

} // namespace fingerpost::testing
