// Draws with escape sequences that all current terminals support.
#include "terminal/live_screen.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <poll.h>
#include <string>
#include <sys/ioctl.h>
#include <unistd.h>

#include "terminal/console.hpp"
#include "terminal/ending_signals.hpp"

namespace fingerpost::cli {
namespace {

constexpr std::array ending_signals{SIGINT, SIGTERM, SIGHUP, SIGQUIT};
volatile std::sig_atomic_t ending = 0;

void set_ending(int) {
    ending = 1;
}

// Without SA_RESTART, so that a signal ends the wait.
void handle_signals() {
    struct sigaction action {};
    action.sa_handler = set_ending;
    for (const int signal : ending_signals)
        (void)::sigaction(signal, &action, nullptr);
}

struct screen_size {
    std::size_t rows = 24;
    std::size_t columns = 80;
};

screen_size size_of_screen() {
    winsize window{};
    if (::ioctl(STDOUT_FILENO, TIOCGWINSZ, &window) != 0 || window.ws_row == 0 || window.ws_col == 0)
        return {};
    return {window.ws_row, window.ws_col};
}

// Returns at most this many characters of a line.
std::string_view cut(std::string_view line, std::size_t limit) {
    std::size_t at = 0;
    for (std::size_t count = 0; at < line.size(); ++at)
        if ((static_cast<unsigned char>(line[at]) & 0xc0) != 0x80 && count++ == limit)
            break;
    return line.substr(0, at);
}

void write_now(std::string_view text) {
    output out;
    out.write(text);
    out.flush();
}

// Switches to the alternate screen of the terminal without a cursor, and back.
constexpr std::string_view enter = "\x1b[?1049h\x1b[?25l\x1b[2J";
constexpr std::string_view leave = "\x1b[?25h\x1b[?1049l";

} // namespace

live_screen::live_screen()
    : has_keys_(is_terminal(STDIN_FILENO) && ::tcgetattr(STDIN_FILENO, &before_) == 0) {
    write_now(enter);
    handle_signals();
    if (!has_keys_)
        return;
    termios keys = before_;
    keys.c_lflag &= ~static_cast<tcflag_t>(ICANON | ECHO | ISIG);
    (void)::tcsetattr(STDIN_FILENO, TCSANOW, &keys);
}

live_screen::~live_screen() {
    if (has_keys_)
        (void)::tcsetattr(STDIN_FILENO, TCSANOW, &before_);
    clean_up_on_signals();
    // The terminal may be gone, in which case errors cannot be reported.
    (void)!::write(STDOUT_FILENO, leave.data(), leave.size());
}

void live_screen::draw(std::string_view page) {
    const screen_size size = size_of_screen();
    std::string out = "\x1b[H";
    for (std::size_t row = 0; row < size.rows && !page.empty(); ++row) {
        const std::size_t end = std::min(page.find('\n'), page.size());
        // A line end after the last row would scroll the first row away.
        out += row == 0 ? "" : "\n";
        out += cut(page.substr(0, end), size.columns);
        out += "\x1b[K";
        page.remove_prefix(std::min(end + 1, page.size()));
    }
    write_now(out + "\x1b[J");
}

bool live_screen::wait(std::chrono::milliseconds pause) {
    using std::chrono::steady_clock;
    const auto end = steady_clock::now() + pause;
    for (;;) {
        const auto left = std::chrono::ceil<std::chrono::milliseconds>(end - steady_clock::now());
        pollfd keys{.fd = has_keys_ ? STDIN_FILENO : -1, .events = POLLIN, .revents = 0};
        const int ready = ::poll(&keys, 1, static_cast<int>(std::max<std::int64_t>(left.count(), 0)));
        if (ending != 0)
            return false;
        if (ready == 0)
            return true;
        if (ready < 0 && errno != EINTR)
            return false;
        if (ready < 0)
            continue;
        char key = 0;
        if (::read(STDIN_FILENO, &key, 1) != 1 || key == 'q' || key == 'Q' || key == '\x03')
            return false;
    }
}

} // namespace fingerpost::cli
