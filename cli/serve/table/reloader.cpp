// Loads a new table while the old one is served. Keeps the old one if the file is invalid.
#include "cli/serve/table/reloader.hpp"

#include <algorithm>
#include <exception>
#include <fmt/format.h>
#include <new>
#include <optional>
#include <utility>

#include "cli/serve/table/file_identity.hpp"
#include "system/log.hpp"
#include "terminal/failure.hpp"

namespace fingerpost::cli {
namespace {

// A file that is overwritten while it is read may look complete. So a file that changed meanwhile is read
// again, up to this many times.
constexpr int most_tries = 20;
constexpr auto pause_between = std::chrono::milliseconds(100);
// How long to wait until a program closes the file that it is writing.
constexpr auto writer_patience = std::chrono::seconds(10);

std::size_t routes_of(const served_table& table) {
    return table.ipv4_routes() + table.ipv6_routes();
}

std::string tell_routes(const served_table& table) {
    return fmt::format("generation {}, {} IPv4 and {} IPv6 routes", table.generation, table.ipv4_routes(),
                       table.ipv6_routes());
}

} // namespace

std::vector<std::string> files_of(const table_choice& choice) {
    std::vector<std::string> paths;
    for (const table_file& file : choice.files)
        paths.push_back(file.path);
    for (const column_join& join : choice.joins)
        paths.push_back(join.path);
    return paths;
}

reloader::reloader(table_choice choice, std::string scheme, const reload_rules& rules)
    : choice_(std::move(choice)), scheme_(std::move(scheme)), rules_(rules) {
    for (const std::string& path : files_of(choice_))
        files_.append(files_.empty() ? "" : ", ").append(path == "-" ? "stdin" : path);
    slot_.publish(load(1));
    counts_.last = std::chrono::system_clock::now();
    system::log(system::log_level::info, "{}: {}", files_, tell_routes(*current()));
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

// Returns false if the program ends.
bool reloader::pause() {
    std::unique_lock held(lock_);
    return !asked_.wait_for(held, pause_between, [this] { return ending_; });
}

std::vector<table_watch::writing> reloader::writes() const {
    std::vector<table_watch::writing> states;
    for (table_watch* const watch : rules_.watches)
        states.push_back(watch->now());
    return states;
}

// A file that is written in place is incomplete until it is closed.
std::vector<table_watch::writing> reloader::wait_for_writers() {
    const auto until = std::chrono::steady_clock::now() + writer_patience;
    for (;;) {
        auto states = writes();
        const auto open =
            std::find_if(states.begin(), states.end(), [](const auto& state) { return state.goes_on; });
        if (open == states.end())
            return states;
        if (std::chrono::steady_clock::now() > until || !pause())
            throw failure(
                fmt::format("{}: another program is still writing to it",
                            rules_.watches[static_cast<std::size_t>(open - states.begin())]->path()));
    }
}

bool reloader::reads_stdin() const {
    const std::vector<std::string> paths = files_of(choice_);
    return std::find(paths.begin(), paths.end(), "-") != paths.end();
}

bool reloader::loses_all(const served_table& next) const {
    const served_pointer former = current();
    return routes_of(next) == 0 && former && routes_of(*former) != 0;
}

served_pointer reloader::load_whole(std::uint64_t generation) {
    return std::make_shared<const served_table>(find_tables(choice_), choice_, scheme_, generation);
}

// A pipe has no state to compare.
served_pointer reloader::load(std::uint64_t generation) {
    const std::vector<std::string> paths = files_of(choice_);
    const auto is_file = [](const std::string& path) {
        const auto identity = path == "-" ? std::nullopt : file_identity::of(path);
        return identity && identity->is_regular;
    };
    if (!std::all_of(paths.begin(), paths.end(), is_file))
        return load_whole(generation);
    const auto state = [&] {
        std::vector<std::optional<file_identity>> identities;
        for (const std::string& path : paths)
            identities.push_back(file_identity::of(path));
        return identities;
    };
    for (int tries = 1;; ++tries) {
        const auto written = wait_for_writers();
        const auto before = state();
        const auto is_same = [&] { return before == state() && written == writes(); };
        served_pointer table;
        std::exception_ptr fault;
        try {
            table = load_whole(generation);
        } catch (const failure&) {
            // The fault of an incomplete file is meaningless.
            fault = std::current_exception();
        }
        // A writer may have emptied the file before the system reports it.
        const bool is_doubtful = table && loses_all(*table);
        if (is_same() && (!is_doubtful || (pause() && is_same()))) {
            if (fault)
                std::rethrow_exception(fault);
            return table;
        }
        if (tries == most_tries || !pause())
            throw failure(fmt::format("{}: it changes while it is read", files_));
    }
}

void reloader::reload() {
    const std::uint64_t generation = current()->generation;
    std::string fault;
    try {
        if (reads_stdin())
            throw failure("stdin: a table from standard input cannot be reloaded");
        auto table = load(generation + 1);
        // Most programs that fail to write a table leave an empty file.
        if (loses_all(*table) && !rules_.allows_empty)
            throw failure(
                fmt::format("{}: no routes now, {} before; keeping the old table (see --allow-empty)", files_,
                            routes_of(*current())));
        slot_.publish(std::move(table));
        system::log(system::log_level::info, "{}: reloaded: {}", files_, tell_routes(*current()));
    } catch (const std::bad_alloc&) {
        fault = fmt::format("{}: out of memory", files_);
    } catch (const std::exception& error) {
        fault = error.what();
    }
    if (!fault.empty()) {
        system::log(system::log_level::error, "{}", fault);
        system::log(system::log_level::error, "{}: reload failed; still serving generation {}", files_,
                    generation);
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
        // The read may have taken events from the watch, which then wake no other thread.
        for (table_watch* const watch : rules_.watches)
            if (rules_.follows && watch->has_changed())
                ask();
    }
}

} // namespace fingerpost::cli
