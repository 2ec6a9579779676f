// Loads a new table while the old one is served, and keeps the old one if the file is wrong.
#include "cli/serve/table/reloader.hpp"

#include <exception>
#include <fmt/format.h>
#include <new>
#include <utility>

#include "cli/serve/table/file_identity.hpp"
#include "terminal/console.hpp"
#include "terminal/failure.hpp"

namespace fingerpost::cli {
namespace {

// A file that is written in place while it is read may look complete although it is not. So a file that
// changed meanwhile is read again, up to this many times.
constexpr int most_tries = 20;
constexpr auto pause_between = std::chrono::milliseconds(100);
// How long to wait for a program that has begun to write the file and not closed it.
constexpr auto writer_patience = std::chrono::seconds(10);

std::size_t routes_of(const served_table& table) {
    return table.ipv4_routes() + table.ipv6_routes();
}

std::string tell_routes(const served_table& table) {
    return fmt::format("generation {}, {} IPv4 and {} IPv6 routes", table.generation, table.ipv4_routes(),
                       table.ipv6_routes());
}

} // namespace

reloader::reloader(table_choice choice, std::string scheme, const reload_rules& rules)
    : choice_(std::move(choice)), scheme_(std::move(scheme)), rules_(rules) {
    slot_.publish(load(1));
    counts_.last = std::chrono::system_clock::now();
    report(fmt::format("{}: {}", choice_.path == "-" ? "stdin" : choice_.path, tell_routes(*current())));
}

void reloader::start() {
    thread_ = std::thread([this] { run(); });
}

reloader::~reloader() {
    {
        const std::lock_guard held(lock_);
        ending_ = true;
    }
    asked_.notify_one();
    if (thread_.joinable())
        thread_.join();
}

void reloader::ask() {
    {
        const std::lock_guard held(lock_);
        wanted_ = true;
    }
    asked_.notify_one();
}

reload_counts reloader::counts() const {
    const std::lock_guard held(lock_);
    return counts_;
}

// False if the program ends.
bool reloader::pause() {
    std::unique_lock held(lock_);
    return !asked_.wait_for(held, pause_between, [this] { return ending_; });
}

// A file that is written in place is incomplete until it is closed.
table_watch::writing reloader::wait_for_writer() {
    if (rules_.watch == nullptr)
        return {};
    const auto until = std::chrono::steady_clock::now() + writer_patience;
    auto now = rules_.watch->now();
    for (; now.goes_on; now = rules_.watch->now())
        if (std::chrono::steady_clock::now() > until || !pause())
            throw failure(
                fmt::format("{}: another program writes to it and has not closed it", choice_.path));
    return now;
}

bool reloader::loses_all(const served_table& made) const {
    const served_pointer former = current();
    return routes_of(made) == 0 && former && routes_of(*former) != 0;
}

served_pointer reloader::load_whole(std::uint64_t generation) {
    return std::make_shared<const served_table>(find_tables(choice_), choice_, scheme_, generation);
}

// A pipe has no state to compare.
served_pointer reloader::load(std::uint64_t generation) {
    const auto first = choice_.path == "-" ? std::nullopt : file_identity::of(choice_.path);
    if (!first || !first->is_regular)
        return load_whole(generation);
    for (int tries = 1;; ++tries) {
        const auto writes = wait_for_writer();
        const auto before = file_identity::of(choice_.path);
        const auto is_same = [&] {
            return before == file_identity::of(choice_.path) &&
                   (rules_.watch == nullptr || writes == rules_.watch->now());
        };
        served_pointer made;
        std::exception_ptr fault;
        try {
            made = load_whole(generation);
        } catch (const failure&) {
            // For an incomplete file this fault has no meaning.
            fault = std::current_exception();
        }
        // A writer may have emptied the file before the system has reported it.
        const bool is_doubtful = made && loses_all(*made);
        if (is_same() && (!is_doubtful || (pause() && is_same()))) {
            if (fault)
                std::rethrow_exception(fault);
            return made;
        }
        if (tries == most_tries || !pause())
            throw failure(fmt::format("{}: it changes whenever it is read", choice_.path));
    }
}

void reloader::reload() {
    const std::uint64_t generation = current()->generation;
    std::string fault;
    try {
        if (choice_.path == "-")
            throw failure("stdin: a table from there cannot be read again");
        auto made = load(generation + 1);
        // Most programs that fail to write a table leave an empty one.
        if (loses_all(*made) && !rules_.allows_empty)
            throw failure(
                fmt::format("{}: there is no route in it, where there were {} (--allow-empty takes it)",
                            choice_.path, routes_of(*current())));
        slot_.publish(std::move(made));
        report(fmt::format("{}: read again: {}", choice_.path, tell_routes(*current())));
    } catch (const std::bad_alloc&) {
        fault = fmt::format("{}: out of memory", choice_.path);
    } catch (const std::exception& error) {
        fault = error.what();
    }
    if (!fault.empty()) {
        report(fault);
        report(fmt::format("{}: not read again; answers are still those of generation {}", choice_.path,
                           generation));
    }
    const std::lock_guard held(lock_);
    ++(fault.empty() ? counts_.done : counts_.failed);
    counts_.last_failed = !fault.empty();
    counts_.last = std::chrono::system_clock::now();
}

void reloader::run() {
    for (;;) {
        {
            std::unique_lock held(lock_);
            asked_.wait(held, [this] { return wanted_ || ending_; });
            if (ending_)
                return;
            wanted_ = false;
        }
        reload();
        // What happened during the read may have been taken from the watch here; then it wakes no other
        // thread.
        if (rules_.watch != nullptr && rules_.follows && rules_.watch->has_changed())
            ask();
    }
}

} // namespace fingerpost::cli
