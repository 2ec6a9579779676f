// Reloads the tables in a separate thread, while requests are answered from the current ones.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "cli/serve/table/served_table.hpp"
#include "cli/serve/table/table_watch.hpp"
#include "terminal/table/table_choice.hpp"

namespace fingerpost::cli {

struct reload_counts {
    std::uint64_t done = 0;
    std::uint64_t failed = 0;
    bool last_failed = false;
    std::chrono::system_clock::time_point last{}; // of the last attempt, including the first load
};

struct reload_rules {
    std::vector<table_watch*> watches{}; // detect files that are being written; must outlive the reloader
    bool follows = false;                // whether a changed file causes a reload
    bool allows_empty = false;           // whether a table without routes may replace one with routes
};

// The files of a table, including those of --join.
std::vector<std::string> files_of(const table_choice& choice);

class reloader {
  public:
    // Loads the table for the first time. Throws failure and usage_error like load_both() and answer_table.
    reloader(table_choice choice, std::string scheme, const reload_rules& rules);
    reloader(const reloader&) = delete;
    reloader& operator=(const reloader&) = delete;
    // Waits for a load in progress.
    ~reloader();

    // Enables ask(). This is separate from the constructor, which takes long and during which a signal ends
    // the program in the usual way.
    void start();

    // Requests a reload. A request during a reload causes another one afterwards.
    void ask();

    served_pointer current() const { return slot_.current(); }
    reload_counts counts() const;

  private:
    served_pointer load(std::uint64_t generation);
    served_pointer load_whole(std::uint64_t generation);
    std::vector<table_watch::writing> writes() const;
    std::vector<table_watch::writing> wait_for_writers();
    bool reads_stdin() const;
    bool loses_all(const served_table& next) const;
    bool pause();
    void reload();
    void run();

    table_choice choice_;
    std::string scheme_;
    std::string files_; // names of the files in messages
    reload_rules rules_;
    table_slot slot_;
    mutable std::mutex lock_;
    std::condition_variable asked_;
    bool wanted_ = false;
    bool ending_ = false;
    reload_counts counts_;
    std::thread thread_; // last, because it uses all other members
};

} // namespace fingerpost::cli
