// Images as files: a file that is not an image is refused without reading all of it, and saving over a file
// preserves everything except its contents.
#include <gtest/gtest.h>

#include <climits>
#include <fcntl.h>
#include <grp.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "fingerpost/image/any_image.hpp"
#include "fingerpost/image/image_format.hpp"
#include "tests/support/images.hpp"

namespace fingerpost::testing {
namespace {

using A = ipv6_address;

routes<A> few_routes(std::uint64_t seed) {
    return routes<A>(mixed_routes<A>(seed, 50, 9));
}
struct stat facts_of(const fs::path& path) {
    struct stat facts {};
    EXPECT_EQ(::lstat(path.c_str(), &facts), 0) << path;
    return facts;
}
unsigned mode_of(const fs::path& path) {
    return facts_of(path).st_mode & 07777u;
}
void expect_image(const fs::path& path, const routes<A>& wanted) {
    const auto opened = image<A>::open(path);
    ASSERT_TRUE(opened) << to_string(opened.error());
    EXPECT_EQ(opened->size(), wanted.size());
}
void expect_saved(const fs::path& path, const routes<A>& all) {
    const image_error failure = image<A>::save(path, all);
    ASSERT_FALSE(failure.failed()) << to_string(failure);
    expect_image(path, all);
}

// The peak memory of this process, including pages of mapped files.
std::size_t peak_bytes() {
    rusage used{};
    EXPECT_EQ(::getrusage(RUSAGE_SELF, &used), 0);
    return static_cast<std::size_t>(used.ru_maxrss) * 1024;
}
// The number of bytes that this process has read with read() and similar calls.
std::size_t bytes_read() {
    std::ifstream counts("/proc/self/io");
    std::string name;
    std::size_t value = 0;
    counts >> name >> value;
    EXPECT_EQ(name, "rchar:");
    return value;
}
// The peak would show that all of `large` was read, unless another test of this process used as much memory.
constexpr std::uintmax_t large = std::uintmax_t{6} << 30;
constexpr std::size_t cheap = std::size_t{16} << 20;

void expect_refused_unread(const fs::path& path, image_errc code) {
    fs::resize_file(path, large);
    const std::size_t peak = peak_bytes();
    const std::size_t read = bytes_read();
    const auto known = image<A>::open(path);
    const auto any = open_any_image(path);
    EXPECT_LT(peak_bytes() - peak, cheap);
    EXPECT_LT(bytes_read() - read, cheap);
    ASSERT_FALSE(known);
    ASSERT_FALSE(any);
    EXPECT_EQ(known.error().code, code) << to_string(known.error());
    EXPECT_EQ(any.error().code, code) << to_string(any.error());
}

TEST(ImageFile, WhatIsNoImageIsNotRead) {
    const scratch_folder folder;
    const auto path = folder / "large";
    const auto whole = *image<A>::compose(few_routes(1));
    const auto refuse_changed = [&](std::size_t at, std::byte change, image_errc code) {
        auto bytes = copy_of(whole.span());
        bytes[at] ^= change;
        write_file(path, bytes.span());
        expect_refused_unread(path, code);
    };
    write_file(path, {});
    expect_refused_unread(path, image_errc::not_an_image);
    write_file(path, std::as_bytes(std::span("2001:db8::/32 1\n")));
    expect_refused_unread(path, image_errc::not_an_image);
    write_file(path, whole.span().first(sizeof image_magic));
    expect_refused_unread(path, image_errc::damaged);
    refuse_changed(offsetof(image_header, version) + 3, std::byte{0x40}, image_errc::other_version);
    refuse_changed(sizeof(image_header), std::byte{1}, image_errc::damaged);
    refuse_changed(whole.size() - 1, std::byte{1}, image_errc::truncated); // the size alone shows it

    auto swapped = copy_of(whole.span());
    std::reverse(swapped.begin() + offsetof(image_header, byte_order),
                 swapped.begin() + offsetof(image_header, version));
    write_file(path, swapped.span());
    expect_refused_unread(path, image_errc::other_byte_order);

    write_file(path, ipv4_image::compose(routes(mixed_routes<ipv4_address>(1, 50, 9)))->span());
    fs::resize_file(path, large);
    EXPECT_EQ(image<A>::open(path).error().code, image_errc::other_width);
    EXPECT_EQ(open_any_image(path).error().code, image_errc::truncated);
}

TEST(ImageFile, KeepsTheModeOfTheFile) {
    const scratch_folder folder;
    const auto path = folder / "a";
    const mode_t old = ::umask(027);
    expect_saved(path, few_routes(1));
    EXPECT_EQ(mode_of(path), 0640u);
    for (const mode_t mode : {0600u, 0644u, 0666u, 0755u, 0400u}) {
        ASSERT_EQ(::chmod(path.c_str(), mode), 0);
        expect_saved(path, few_routes(mode));
        EXPECT_EQ(mode_of(path), mode);
    }
    ::umask(old);
}

// Runs in a child, because a process cannot undo this for all of its threads.
template <class F>
void expect_as_user(uid_t user, F run) {
    const pid_t child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
        const bool other = ::setgroups(0, nullptr) == 0 && ::setgid(user) == 0 && ::setuid(user) == 0;
        ::_exit(other && run() ? 0 : 1);
    }
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
}

TEST(ImageFile, KeepsTheOwnerWhereThatIsPermitted) {
    if (::geteuid() != 0)
        GTEST_SKIP() << "only root may give files away";
    const scratch_folder folder;
    const auto path = folder / "a";
    constexpr uid_t user = 54321;
    expect_saved(path, few_routes(1));
    ASSERT_EQ(::chown(path.c_str(), user, user + 1), 0);
    ASSERT_EQ(::chmod(path.c_str(), 0640), 0);
    expect_saved(path, few_routes(2));
    EXPECT_EQ(facts_of(path).st_uid, user);
    EXPECT_EQ(facts_of(path).st_gid, user + 1);
    EXPECT_EQ(mode_of(path), 0640u);

    // A process that may not keep the group of the file must not grant its permissions to another group.
    ASSERT_EQ(::chown(path.c_str(), 0, 0), 0);
    ASSERT_EQ(::chmod(path.c_str(), 0664), 0);
    ASSERT_EQ(::chown(folder.path().c_str(), user, user), 0);
    expect_as_user(user, [&] { return !image<A>::save(path, few_routes(3)).failed(); });
    expect_image(path, few_routes(3));
    EXPECT_EQ(facts_of(path).st_uid, user);
    EXPECT_EQ(facts_of(path).st_gid, user);
    EXPECT_EQ(mode_of(path), 0644u);
}

TEST(ImageFile, FollowsLinks) {
    const scratch_folder folder;
    ASSERT_TRUE(fs::create_directory(folder / "there"));
    const auto target = folder / "there" / "a";
    expect_saved(target, few_routes(1));
    ASSERT_EQ(::chmod(target.c_str(), 0600), 0);
    fs::create_symlink("there/a", folder / "near");              // to a file
    fs::create_symlink(folder / "near", folder / "far");         // to a link
    fs::create_symlink("../new", folder / "there" / "dangling"); // to a missing file
    for (const char* const link : {"near", "far"}) {
        const auto all = few_routes(std::string_view(link).size());
        expect_saved(folder / link, all);
        EXPECT_TRUE(fs::is_symlink(folder / link));
        EXPECT_FALSE(fs::is_symlink(target));
        EXPECT_EQ(mode_of(target), 0600u);
        expect_image(target, all);
    }
    expect_saved(folder / "there" / "dangling", few_routes(2));
    EXPECT_TRUE(fs::is_symlink(folder / "there" / "dangling"));
    expect_image(folder / "new", few_routes(2));
    EXPECT_EQ(folder.files(), 4u);

    fs::create_symlink("no/such", folder / "nowhere");
    EXPECT_EQ(image<A>::save(folder / "nowhere", few_routes(1)).system_error, ENOENT);
    fs::create_symlink("circle", folder / "circle");
    EXPECT_EQ(image<A>::save(folder / "circle", few_routes(1)).system_error, ELOOP);
    EXPECT_TRUE(fs::is_symlink(folder / "nowhere") && fs::is_symlink(folder / "circle"));
}

// Links in /proc look like other links, but may lead to files that no longer have a name.
TEST(ImageFile, MakesNoNameUpForAFileWithoutOne) {
    const scratch_folder folder;
    const auto path = folder / "a";
    const int opened = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    ASSERT_GE(opened, 0);
    const fs::path link = "/proc/self/fd/" + std::to_string(opened);
    ASSERT_FALSE(image<A>::save(link, few_routes(1)).failed());
    expect_image(path, few_routes(1)); // the open file has lost its name
    EXPECT_EQ(image<A>::save(link, few_routes(2)).system_error, ENOENT);
    expect_image(path, few_routes(1));
    EXPECT_EQ(folder.files(), 1u);
    ::close(opened);
}

TEST(ImageFile, OnlyRegularFilesAreReplaced) {
    const scratch_folder folder;
    ASSERT_EQ(::mkfifo((folder / "fifo").c_str(), 0600), 0);
    ASSERT_TRUE(fs::create_directory(folder / "folder"));
    const int socket = ::socket(AF_UNIX, SOCK_STREAM, 0);
    sockaddr_un name{.sun_family = AF_UNIX, .sun_path = {}};
    ASSERT_LT((folder / "socket").string().size(), sizeof name.sun_path);
    (folder / "socket").string().copy(name.sun_path, sizeof name.sun_path);
    ASSERT_EQ(::bind(socket, reinterpret_cast<const sockaddr*>(&name), sizeof name), 0);
    fs::create_symlink("fifo", folder / "link");
    std::vector<const char*> kinds{"fifo", "socket", "link"};
    // A copy of the machine's device node: if this test failed, the original would be lost.
    if (::mknod((folder / "device").c_str(), S_IFCHR | 0600, facts_of("/dev/null").st_rdev) == 0)
        kinds.push_back("device");
    const std::size_t files = folder.files();
    for (const char* const kind : kinds) {
        const mode_t before = facts_of(folder / kind).st_mode;
        const image_error refused = image<A>::save(folder / kind, few_routes(1));
        EXPECT_EQ(refused.code, image_errc::not_an_image) << kind;
        EXPECT_STREQ(refused.reason, "only regular files are replaced");
        EXPECT_EQ(facts_of(folder / kind).st_mode, before);
    }
    for (const fs::path& taken :
         {folder / "folder", folder / "folder/", folder / "folder/.", folder / "new/"}) {
        const image_error refused = image<A>::save(taken, few_routes(1));
        EXPECT_EQ(refused.code, image_errc::system) << taken;
        EXPECT_EQ(refused.system_error, EISDIR) << taken;
    }
    EXPECT_EQ(image<A>::save("", few_routes(1)).system_error, ENOENT);
    EXPECT_EQ(folder.files(), files);
    ::close(socket);
}

// Every name that a folder can hold works: no temporary file has a longer name or path.
TEST(ImageFile, TheLongestNamesCanBeSaved) {
    const scratch_folder folder;
    const fs::path longest = folder.path() / std::string(NAME_MAX, 'x');
    expect_saved(longest, few_routes(1));
    expect_saved(longest, few_routes(2));
    EXPECT_EQ(image<A>::save(folder.path() / std::string(NAME_MAX + 1, 'x'), few_routes(1)).system_error,
              ENAMETOOLONG);
    fs::path deep = folder.path();
    while (deep.native().size() + 102 < PATH_MAX - 1 - 2)
        deep /= std::string(100, 'd');
    deep /= std::string(PATH_MAX - 1 - 3 - deep.native().size(), 'e');
    ASSERT_TRUE(fs::create_directories(deep));
    ASSERT_EQ((deep / "a").native().size(), PATH_MAX - 1u);
    expect_saved(deep / "a", few_routes(3));
    EXPECT_EQ(folder.files(), 2u);
}

} // namespace
} // namespace fingerpost::testing
