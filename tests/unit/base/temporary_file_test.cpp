// Hidden temporary files: what remains when they are renamed, discarded, or their process dies.
#include "fingerpost/base/temporary_file.hpp"

#include <cerrno>
#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

#include <gtest/gtest.h>

namespace fingerpost {
namespace {

// A folder, opened for the test and removed afterwards.
struct temporary_files : ::testing::Test {
    std::string path = ::testing::TempDir() + "/fingerpost-files-XXXXXX";
    int folder = -1;

    void SetUp() override {
        ASSERT_NE(::mkdtemp(path.data()), nullptr);
        folder = ::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        ASSERT_GE(folder, 0);
    }
    void TearDown() override {
        ::close(folder);
        std::filesystem::remove_all(path);
    }
    std::vector<std::string> names() const {
        std::vector<std::string> found;
        for (const auto& entry : std::filesystem::directory_iterator(path))
            found.push_back(entry.path().filename().string());
        return found;
    }
    // The contents of the folder after a child process has created this many files and called `end`.
    template <class End>
    std::vector<std::string> after_a_process(std::size_t files, End end) const {
        const pid_t child = ::fork();
        if (child == 0) {
            std::vector<std::unique_ptr<temporary_file>> made;
            for (std::size_t i = 0; i < files; ++i)
                if (made.emplace_back(std::make_unique<temporary_file>(folder))->create(0600) < 0)
                    ::_exit(2);
            end(made);
        }
        int status = 0;
        EXPECT_EQ(::waitpid(child, &status, 0), child);
        EXPECT_EQ(status, 0);
        return names();
    }
};

TEST_F(temporary_files, a_file_that_is_given_up_is_gone) {
    {
        temporary_file file(folder);
        const int made = file.create(0600);
        ASSERT_GE(made, 0);
        ::close(made);
        ASSERT_EQ(names().size(), 1u);
        EXPECT_TRUE(names()[0].starts_with(".fingerpost-")) << names()[0];
    }
    EXPECT_TRUE(names().empty());
}

TEST_F(temporary_files, a_renamed_one_takes_the_place_of_another) {
    std::ofstream(path + "/name") << "old";
    {
        temporary_file file(folder);
        const int made = file.create(0644);
        ASSERT_EQ(::write(made, "new!", 4), 4);
        ::close(made);
        ASSERT_TRUE(file.rename_to("name"));
    }
    EXPECT_EQ(names(), std::vector<std::string>{"name"});
    EXPECT_EQ(std::filesystem::file_size(path + "/name"), 4u);
}

TEST_F(temporary_files, one_that_cannot_be_renamed_is_gone_too) {
    std::filesystem::create_directory(path + "/folder");
    {
        temporary_file file(folder);
        ::close(file.create(0644));
        EXPECT_FALSE(file.rename_to("folder"));
        EXPECT_EQ(errno, EISDIR);
    }
    EXPECT_EQ(names(), std::vector<std::string>{"folder"});
}

TEST_F(temporary_files, a_process_that_ends_removes_all_that_are_listed) {
    const auto end = [](const auto&) {
        remove_temporary_files();
        ::_exit(0);
    };
    EXPECT_TRUE(after_a_process(1, end).empty());
    EXPECT_TRUE(after_a_process(temporary_file::most_listed, end).empty());
    EXPECT_EQ(after_a_process(temporary_file::most_listed + 2, end).size(), 2u) << "the list has an end";
}

TEST_F(temporary_files, what_has_been_renamed_stays_and_places_in_the_list_are_used_again) {
    const auto end = [&](const auto& made) {
        for (const auto& file : made)
            if (!file->rename_to("name"))
                ::_exit(3);
        std::vector<std::unique_ptr<temporary_file>> more;
        for (std::size_t i = 0; i < temporary_file::most_listed; ++i)
            if (more.emplace_back(std::make_unique<temporary_file>(folder))->create(0600) < 0)
                ::_exit(4);
        remove_temporary_files();
        ::_exit(0);
    };
    EXPECT_EQ(after_a_process(temporary_file::most_listed, end), std::vector<std::string>{"name"});
}

TEST_F(temporary_files, none_is_made_while_the_process_ends) {
    const auto end = [&](const auto&) {
        remove_temporary_files();
        temporary_file late(folder);
        ::_exit(late.create(0600) == -1 && errno == EINTR ? 0 : 5);
    };
    EXPECT_TRUE(after_a_process(3, end).empty());
}

} // namespace
} // namespace fingerpost
