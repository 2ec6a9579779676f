// Maps and replaces files with POSIX calls.
#include "fingerpost/image/image_file.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <fcntl.h>
#include <filesystem>
#include <string>
#include <sys/mman.h>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>

#include "fingerpost/base/reason.hpp"
#include "fingerpost/base/temporary_file.hpp"
#include "fingerpost/image/image_format.hpp"

namespace fingerpost {
namespace {

image_error system_failure(const char* reason, std::uint64_t offset = 0) noexcept {
    return {image_errc::system, offset, reason, errno};
}

class descriptor {
  public:
    explicit descriptor(int number) noexcept : number_(number) {}
    descriptor(descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
    descriptor& operator=(descriptor&& other) noexcept {
        std::swap(number_, other.number_);
        return *this;
    }
    ~descriptor() { (void)close(); }

    bool is_open() const noexcept { return number_ >= 0; }
    int number() const noexcept { return number_; }
    // Returns false if the system reports an earlier write error.
    bool close() noexcept {
        const int was = std::exchange(number_, -1);
        return was < 0 || ::close(was) == 0;
    }

  private:
    int number_;
};

// Returns the reason why a file of this kind is not replaced.
std::optional<image_error> refuse_kind(mode_t mode) noexcept {
    if (S_ISREG(mode))
        return std::nullopt;
    if (S_ISDIR(mode))
        return image_error{image_errc::system, 0, "the path is a folder", EISDIR};
    return image_error{image_errc::not_an_image, 0, "only regular files are replaced", 0};
}

// Target of a replacement: its folder, its name, and the existing file. Later steps use names relative to the
// folder, so the temporary name does not make a path longer, and replacing the folder meanwhile has no
// effect.
struct target_path {
    descriptor folder;
    std::string name;
    std::optional<struct stat> old;
};

// Opens the folder of `path`. The last component may be a link.
expected<target_path, image_error> look(const std::filesystem::path& path) {
    std::string name = path.filename().string();
    if (name.empty())
        return unexpected{
            image_error{image_errc::system, 0, "the path has no file name", path.empty() ? ENOENT : EISDIR}};
    const std::filesystem::path parent = path.parent_path();
    target_path target{
        descriptor(::open(parent.empty() ? "." : parent.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)),
        std::move(name),
        {}};
    if (!target.folder.is_open())
        return unexpected{system_failure("the folder can't be opened")};
    struct stat facts {};
    if (::fstatat(target.folder.number(), target.name.c_str(), &facts, AT_SYMLINK_NOFOLLOW) == 0)
        target.old = facts;
    else if (errno != ENOENT)
        return unexpected{system_failure("the old file can't be examined")};
    return target;
}

// Follows the symbolic links of `path`, because the rename needs the final name. stat() follows them first,
// because the kernel may refuse some links for this user.
expected<target_path, image_error> find_target(std::filesystem::path path) {
    struct stat reached {};
    const bool exists = ::stat(path.c_str(), &reached) == 0;
    if (!exists && errno != ENOENT)
        return unexpected{system_failure("the path can't be followed")};
    if (const auto refusal = exists ? refuse_kind(reached.st_mode) : std::nullopt)
        return unexpected{*refusal};
    constexpr unsigned most_links = 40; // the limit of Linux; links may change while they are followed
    for (unsigned links = 0; links <= most_links; ++links) {
        auto target = look(path);
        if (!target)
            return target;
        // Links in /proc can lead to files that no longer have a name. Their text is not a path.
        if (exists && !target->old)
            return unexpected{image_error{image_errc::system, 0, "the old file has no name", ENOENT}};
        if (!target->old)
            return target;
        if (!S_ISLNK(target->old->st_mode)) {
            if (const auto refusal = refuse_kind(target->old->st_mode))
                return unexpected{*refusal};
            return target;
        }
        std::error_code failure;
        const std::filesystem::path next = std::filesystem::read_symlink(path, failure);
        if (failure)
            return unexpected{image_error{image_errc::system, 0, "a link can't be read", failure.value()}};
        path = path.parent_path() / next;
    }
    return unexpected{image_error{image_errc::system, 0, "there are too many links", ELOOP}};
}

// Copies owner, group and mode of the old file, as documented for replace_file().
image_error take_over(const descriptor& file, const struct stat& old) noexcept {
    struct stat own {};
    if (::fstat(file.number(), &own) != 0)
        return system_failure("the new file can't be examined");
    mode_t mode = old.st_mode & 0777u;
    if ((own.st_uid != old.st_uid || own.st_gid != old.st_gid) &&
        ::fchown(file.number(), old.st_uid, old.st_gid) != 0 && own.st_gid != old.st_gid &&
        ::fchown(file.number(), own.st_uid, old.st_gid) != 0)
        mode = (mode & 0707u) | (mode & 07u) << 3;
    // On mounts with fixed modes, chmod fails but is not needed.
    if ((own.st_mode & 07777u) != mode && ::fchmod(file.number(), mode) != 0)
        return system_failure("the new file can't get the mode of the old one");
    return {};
}

image_error write_all(int to, std::span<const std::byte> bytes) noexcept {
    // Linux writes at most 2 GB in one call.
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

// Writes the bytes and closes the file, because close() can report write errors.
image_error fill(descriptor& file, std::span<const std::byte> bytes) noexcept {
    if (const image_error failure = write_all(file.number(), bytes); failure.failed())
        return failure;
    if (::fsync(file.number()) != 0 || !file.close())
        return system_failure("the file can't be synced to disk");
    return {};
}

// Reads up to most_start_bytes of the file. Fails if the file is shorter than expected.
std::optional<image_error> read_start(const descriptor& file, std::span<std::byte> start) noexcept {
    std::size_t done = 0;
    while (done < start.size()) {
        const ssize_t count =
            ::pread(file.number(), start.data() + done, start.size() - done, static_cast<off_t>(done));
        if (count < 0 && errno == EINTR)
            continue;
        if (count < 0)
            return system_failure("the file can't be read", done);
        if (count == 0)
            return image_error{image_errc::truncated, done, "the file was truncated while it was read", 0};
        done += static_cast<std::size_t>(count);
    }
    return std::nullopt;
}

} // namespace

image_error replace_file(path_ref path, std::span<const std::byte> bytes) noexcept try {
    // Check everything that could fail later before anything changes.
    const auto where = find_target(path.c_str());
    if (!where)
        return where.error();
    temporary_file temporary(where->folder.number());
    // Other users cannot read the file before it has the mode of the old one.
    descriptor file(temporary.create(where->old ? 0600 : 0666));
    if (!file.is_open())
        return system_failure("a temporary file can't be created in the folder");
    if (where->old)
        if (const image_error failure = take_over(file, *where->old); failure.failed())
            return failure;
    if (const image_error failure = fill(file, bytes); failure.failed())
        return failure;
    if (!temporary.rename_to(where->name.c_str()))
        return system_failure("the file can't be renamed");
    if (::fsync(where->folder.number()) != 0)
        return system_failure("the file is written, but its folder can't be synced to disk");
    return {};
} catch (const std::filesystem::filesystem_error&) {
    return {image_errc::system, 0, "the path is not valid on this system", EINVAL};
} catch (...) {
    return image_shortage(reason_of_exception());
}

expected<mapped_file, image_error> mapped_file::open(path_ref path, start_check refuse) noexcept {
    // Without O_NONBLOCK, opening a named pipe would block.
    const descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
    struct stat facts {};
    if (!file.is_open() || ::fstat(file.number(), &facts) != 0)
        return unexpected{system_failure("the file can't be opened")};
    if (!S_ISREG(facts.st_mode))
        return unexpected{image_error{image_errc::not_an_image, 0, "this is not a regular file", 0}};
    const auto size = static_cast<std::size_t>(facts.st_size);
    std::array<std::byte, most_start_bytes> room;
    const auto start = std::span(room).first(std::min(size, room.size()));
    if (const auto failure = read_start(file, start))
        return unexpected{*failure};
    if (const auto refusal = refuse(start, size))
        return unexpected{*refusal};
    mapped_file mapped;
    if (size == 0)
        return mapped;
    // The check that follows reads the whole file, so one call replaces many page faults.
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
