// Runs system commands in tests, and quotes their output on failure.
#pragma once

#include <array>
#include <cstdio>
#include <gtest/gtest.h>
#include <string>

namespace fingerpost::system {

// Success if the command exits with 0; otherwise a failure that quotes all of its output.
inline ::testing::AssertionResult shell(const std::string& command) {
    std::FILE* const pipe = ::popen(("(" + command + ") 2>&1").c_str(), "r");
    if (pipe == nullptr)
        return ::testing::AssertionFailure() << command << ": no shell";
    std::string said;
    std::array<char, 4096> room{};
    for (std::size_t size = 0; (size = std::fread(room.data(), 1, room.size(), pipe)) != 0;)
        said.append(room.data(), size);
    const int status = ::pclose(pipe);
    if (status == 0)
        return ::testing::AssertionSuccess();
    return ::testing::AssertionFailure() << command << ": status " << status << ": " << said;
}

} // namespace fingerpost::system
