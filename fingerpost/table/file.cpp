// Maps files and replaces them, with the system calls of POSIX.
#include "fingerpost/table/file.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <fcntl.h>
#include <new>
#include <string>
#include <sys/mman.h>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>

namespace fingerpost {
namespace {

image_error system_failure(const char* reason, std::uint64_t offset = 0) noexcept {
    return {image_errc::system, offset, reason, errno};
}

class descriptor {
  public:
    explicit descriptor(int number) noexcept : number_(number) {}
    descriptor(const descriptor&) = delete;
    descriptor& operator=(const descriptor&) = delete;
    ~descriptor() { (void)close(); }

    bool is_open() const noexcept { return number_ >= 0; }
    int number() const noexcept { return number_; }
    // False when the system has kept an error of writing until now.
    bool close() noexcept {
        const int was = std::exchange(number_, -1);
        return was < 0 || ::close(was) == 0;
    }

  private:
    int number_;
};

// The temporary file until it is renamed: it takes its name away.
class temporary_name {
  public:
    explicit temporary_name(const std::filesystem::path& path) : path_(path) {}
    temporary_name(const temporary_name&) = delete;
    temporary_name& operator=(const temporary_name&) = delete;
    ~temporary_name() {
        if (exists_)
            (void)::unlink(path_.c_str());
    }

    // -1 with errno when it can't be made, which EEXIST says of a name that is taken.
    int create() noexcept {
        const int made = ::open(path_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        exists_ = made >= 0;
        return made;
    }
    bool rename_to(const std::filesystem::path& to) noexcept {
        if (::rename(path_.c_str(), to.c_str()) != 0)
            return false;
        exists_ = false;
        return true;
    }

  private:
    std::filesystem::path path_;
    bool exists_ = false;
};

image_error write_all(int to, std::span<const std::byte> bytes) noexcept {
    // Linux writes at most 2 GB at a time.
    constexpr std::size_t most = std::size_t{1} << 30;
    std::size_t done = 0;
    while (done < bytes.size()) {
        const ssize_t count = ::write(to, bytes.data() + done, std::min(most, bytes.size() - done));
        if (count < 0 && errno == EINTR)
            continue;
        if (count < 0)
            return system_failure("the file can't be written", done);
        done += static_cast<std::size_t>(count);
    }
    return {};
}

// Closes it too, so that no error is lost.
image_error fill(descriptor& file, std::span<const std::byte> bytes) noexcept {
    if (const image_error failure = write_all(file.number(), bytes); failure.failed())
        return failure;
    if (::fsync(file.number()) != 0 || !file.close())
        return system_failure("the file can't be brought to the disk");
    return {};
}

image_error replace_by(temporary_name& name, descriptor& file, const std::filesystem::path& path,
                       const descriptor& folder, std::span<const std::byte> bytes) noexcept {
    if (const image_error failure = fill(file, bytes); failure.failed())
        return failure;
    if (!name.rename_to(path))
        return system_failure("the file can't be renamed");
    if (::fsync(folder.number()) != 0)
        return system_failure("the file is written, but its folder can't be brought to the disk");
    return {};
}

} // namespace

image_error replace_file(const std::filesystem::path& path, std::span<const std::byte> bytes) noexcept try {
    std::filesystem::path parent = path.parent_path();
    if (parent.empty())
        parent = ".";
    // Opened first: what would fail at the end is to fail before anything has changed.
    const descriptor folder(::open(parent.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (!folder.is_open())
        return system_failure("the folder can't be opened");
    const std::string stem = "." + path.filename().string() + "." + std::to_string(::getpid()) + "-";
    constexpr unsigned most_tries = 1000; // others of this process, and those a killed one has left
    for (unsigned n = 0; n < most_tries; ++n) {
        temporary_name name(parent / (stem + std::to_string(n) + ".tmp"));
        descriptor file(name.create());
        if (file.is_open())
            return replace_by(name, file, path, folder, bytes);
        if (errno != EEXIST)
            break;
    }
    return system_failure("no temporary file can be made in the folder");
} catch (const std::bad_alloc&) {
    return {image_errc::out_of_memory, 0, "out of memory", 0};
} catch (const std::exception&) {
    return {image_errc::system, 0, "the path is not one that this system knows", EINVAL};
}

expected<mapped_file, image_error> mapped_file::open(const std::filesystem::path& path) noexcept {
    // Without O_NONBLOCK a named pipe would keep the caller.
    const descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
    struct stat facts {};
    if (!file.is_open() || ::fstat(file.number(), &facts) != 0)
        return unexpected{system_failure("the file can't be opened")};
    if (!S_ISREG(facts.st_mode))
        return unexpected{image_error{image_errc::not_an_image, 0, "this is not a regular file", 0}};
    mapped_file mapped;
    const auto size = static_cast<std::size_t>(facts.st_size);
    if (size == 0)
        return mapped;
    // All of it is read at once by the check, so one call takes the place of many page faults.
    void* const at = ::mmap(nullptr, size, PROT_READ, MAP_SHARED | MAP_POPULATE, file.number(), 0);
    if (at == MAP_FAILED)
        return unexpected{system_failure("the file can't be mapped")};
    mapped.bytes_ = {static_cast<const std::byte*>(at), size};
    return mapped;
}

mapped_file::~mapped_file() {
    if (!bytes_.empty())
        (void)::munmap(const_cast<std::byte*>(bytes_.data()), bytes_.size());
}

std::string to_string(const image_error& error) {
    if (error.code == image_errc::ok)
        return "ok";
    if (error.code == image_errc::out_of_memory || error.code == image_errc::capacity)
        return error.reason;
    if (error.code == image_errc::system)
        return error.reason + (": " + std::generic_category().message(error.system_error));
    return "byte " + std::to_string(error.offset) + ": " + error.reason;
}

} // namespace fingerpost
