// Runs rsvg-convert between two in-memory files.
#include "cli/picture/svg_converter.hpp"

#include <cerrno>
#include <cstring>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "system/unique_fd.hpp"
#include "terminal/failure.hpp"

extern char** environ;

namespace fingerpost::cli {
namespace {

constexpr const char* converter = "rsvg-convert";

[[noreturn]] void fail(const char* what, int error) {
    throw failure(fmt::format("{}: {}: {}", converter, what, std::strerror(error)));
}

system::unique_fd memory_file() {
    system::unique_fd file(::memfd_create("picture", MFD_CLOEXEC));
    if (!file)
        fail("cannot create a file in memory", errno);
    return file;
}

void write_all(int file, const std::string& bytes) {
    for (std::size_t done = 0; done < bytes.size();) {
        const ssize_t count = ::write(file, bytes.data() + done, bytes.size() - done);
        if (count < 0 && errno != EINTR)
            fail("the SVG cannot be written", errno);
        done += count > 0 ? static_cast<std::size_t>(count) : 0;
    }
    if (::lseek(file, 0, SEEK_SET) < 0)
        fail("the SVG cannot be written", errno);
}

std::string read_all(int file) {
    const off_t size = ::lseek(file, 0, SEEK_END);
    std::string bytes(size > 0 ? static_cast<std::size_t>(size) : 0, '\0');
    for (std::size_t done = 0; done < bytes.size();) {
        const ssize_t count =
            ::pread(file, bytes.data() + done, bytes.size() - done, static_cast<off_t>(done));
        if (count == 0 || (count < 0 && errno != EINTR))
            fail("its output cannot be read", count == 0 ? EIO : errno);
        done += count > 0 ? static_cast<std::size_t>(count) : 0;
    }
    return bytes;
}

pid_t start(const std::string& format, int from, int to) {
    posix_spawn_file_actions_t actions;
    int error = ::posix_spawn_file_actions_init(&actions);
    if (error != 0)
        fail("cannot be started", error);
    ::posix_spawn_file_actions_adddup2(&actions, from, STDIN_FILENO);
    ::posix_spawn_file_actions_adddup2(&actions, to, STDOUT_FILENO);
    // Images in data URLs are long attributes, which rsvg-convert refuses without --unlimited.
    std::string words[] = {converter, "--unlimited", "--format", format};
    char* arguments[] = {words[0].data(), words[1].data(), words[2].data(), words[3].data(), nullptr};
    pid_t child = 0;
    error = ::posix_spawnp(&child, converter, &actions, nullptr, arguments, environ);
    ::posix_spawn_file_actions_destroy(&actions);
    if (error == ENOENT)
        throw failure(fmt::format(
            "{} output needs {}, which is not installed (Debian package librsvg2-bin); SVG output does not",
            format == "png" ? "PNG" : "PDF", converter));
    if (error != 0)
        fail("cannot be started", error);
    return child;
}

} // namespace

std::string converted(const std::string& svg, const std::string& format) {
    const system::unique_fd from = memory_file(), to = memory_file();
    write_all(from.get(), svg);
    const pid_t child = start(format, from.get(), to.get());
    int status = 0;
    while (::waitpid(child, &status, 0) < 0)
        if (errno != EINTR)
            fail("cannot be waited for", errno);
    std::string image = read_all(to.get());
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0 || image.empty())
        throw failure(fmt::format("{} cannot make the {}", converter, format == "png" ? "PNG" : "PDF"));
    return image;
}

} // namespace fingerpost::cli
