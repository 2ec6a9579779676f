// Loads beside the table that is served, and keeps that one when the file is wrong.
#include "cli/serve/reloader.hpp"

#include <exception>
#include <fmt/format.h>
#include <new>
#include <utility>

#include "cli/console.hpp"
#include "cli/failure.hpp"
#include "cli/serve/file_identity.hpp"

namespace fingerpost::cli {
namespace {

// A file that is written in place while it is read may look complete although it is not. So one that changed
// meanwhile is read again, a few times.
constexpr int most_tries = 20;
constexpr auto pause_between = std::chrono::milliseconds(100);

std::string tell_routes(const served_table& table) {
    return fmt::format("generation {}, {} IPv4 and {} IPv6 routes", table.generation, table.ipv4_routes(),
                       table.ipv6_routes());
}

} // namespace

reloader::reloader(table_choice choice, std::string scheme)
    : choice_(std::move(choice)), scheme_(std::move(scheme)) {
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

served_pointer reloader::load(std::uint64_t generation) const {
    for (int tries = 1;; ++tries) {
        const auto before = file_identity::of(choice_.path);
        auto tables = load_both(choice_);
        // A pipe has no state that could be compared.
        if (choice_.path == "-" || !before || !before->is_regular ||
            before == file_identity::of(choice_.path))
            return std::make_shared<const served_table>(std::move(tables), choice_, scheme_, generation);
        if (tries == most_tries)
            throw failure(fmt::format("{}: it changes whenever it is read", choice_.path));
        std::this_thread::sleep_for(pause_between);
    }
}

void reloader::reload() {
    const std::uint64_t generation = current()->generation;
    std::string fault;
    try {
        if (choice_.path == "-")
            throw failure("stdin: a table from there cannot be read again");
        slot_.publish(load(generation + 1));
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
    }
}

} // namespace fingerpost::cli
