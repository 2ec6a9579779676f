// Messages to the socket of a service manager.
#include "system/notify.hpp"

#include <array>
#include <cstdlib>
#include <cstring>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

namespace fingerpost::system {
namespace {

using namespace std::chrono_literals;

// Listens like systemd, at a path or an abstract name.
class manager {
  public:
    explicit manager(const std::string& name) : name_(name), socket_(socket(AF_UNIX, SOCK_DGRAM, 0)) {
        sockaddr_un at{};
        at.sun_family = AF_UNIX;
        std::memcpy(at.sun_path, name.data(), name.size());
        if (name[0] == '@')
            at.sun_path[0] = '\0';
        const auto length = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + name.size());
        EXPECT_EQ(bind(socket_, reinterpret_cast<const sockaddr*>(&at), length), 0) << std::strerror(errno);
    }
    ~manager() {
        close(socket_);
        if (name_[0] != '@')
            unlink(name_.c_str());
    }
    manager(const manager&) = delete;
    manager& operator=(const manager&) = delete;

    // Empty when nothing arrives.
    std::string next() const {
        std::array<char, 4'096> buffer{};
        const ssize_t bytes = recv(socket_, buffer.data(), buffer.size(), MSG_DONTWAIT);
        return bytes < 0 ? "" : std::string(buffer.data(), static_cast<std::size_t>(bytes));
    }

  private:
    std::string name_;
    int socket_;
};

std::string name_of_socket(const std::string& beginning) {
    return beginning + "fingerpost-notify-" + std::to_string(getpid());
}

TEST(Notify, MessagesArriveAtPathsAndAbstractNames) {
    for (const std::string& name : {name_of_socket("/tmp/"), name_of_socket("@")}) {
        const manager listening(name);
        const notifier told(name);
        EXPECT_TRUE(told.status("reading routes"));
        EXPECT_EQ(listening.next(), "STATUS=reading routes");
        EXPECT_TRUE(told.ready("forwarding"));
        EXPECT_EQ(listening.next(), "READY=1\nSTATUS=forwarding");
        EXPECT_TRUE(told.alive());
        EXPECT_EQ(listening.next(), "WATCHDOG=1");
        EXPECT_TRUE(told.stopping(""));
        EXPECT_EQ(listening.next(), "STOPPING=1");
        EXPECT_EQ(listening.next(), "") << name;
    }
}

TEST(Notify, AStatusIsOneLine) {
    const manager listening(name_of_socket("@"));
    EXPECT_TRUE(notifier(name_of_socket("@")).status("a\nREADY=1\n"));
    EXPECT_EQ(listening.next(), "STATUS=a READY=1 ");
}

TEST(Notify, WithoutAManagerNobodyIsTold) {
    unsetenv("NOTIFY_SOCKET");
    EXPECT_TRUE(notifier::from_environment().ready("x"));
    EXPECT_TRUE(notifier("").alive());
}

TEST(Notify, TheSocketComesFromTheEnvironment) {
    const std::string name = name_of_socket("@");
    const manager listening(name);
    setenv("NOTIFY_SOCKET", name.c_str(), 1);
    EXPECT_TRUE(notifier::from_environment().ready(""));
    unsetenv("NOTIFY_SOCKET");
    EXPECT_EQ(listening.next(), "READY=1");
}

TEST(Notify, AManagerThatCannotBeReachedIsNoSuccess) {
    EXPECT_FALSE(notifier("/nonexistent/socket").ready(""));
    EXPECT_FALSE(notifier("relative").ready(""));
    EXPECT_FALSE(notifier("/" + std::string(200, 'x')).ready(""));
}

TEST(Notify, TheWatchdogIsAnsweredTwiceAsOften) {
    const auto interval = [](const char* microseconds, const std::string& process) {
        setenv("WATCHDOG_USEC", microseconds, 1);
        setenv("WATCHDOG_PID", process.c_str(), 1);
        const auto found = notifier::watchdog_interval();
        unsetenv("WATCHDOG_USEC");
        unsetenv("WATCHDOG_PID");
        return found;
    };
    EXPECT_EQ(interval("30000000", std::to_string(getpid())), 15s);
    EXPECT_EQ(interval("30000000", ""), 15s);
    EXPECT_EQ(interval("30000000", "1"), std::nullopt) << "another process is watched";
    for (const char* const text : {"", "0", "-1", "x", "5 s"})
        EXPECT_EQ(interval(text, ""), std::nullopt) << text;
    EXPECT_EQ(notifier::watchdog_interval(), std::nullopt);
}

} // namespace
} // namespace fingerpost::system
