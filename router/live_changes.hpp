// Changes of the configuration while the router runs: single settings, or the file read again.
//
// A change is checked as a whole and then made as a whole, or refused. What takes long, building tables of
// another scheme, happens in the thread that asks, while the control thread goes on.
#pragma once

#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "router/config/changes/settings.hpp"
#include "router/service.hpp"

namespace fingerpost::router {

// All are lines. If there are errors, nothing has changed.
struct change_outcome {
    std::vector<std::string> changed;
    std::vector<std::string> needs_restart; // differences that the file has and the router does not
    std::vector<std::string> warnings;
    std::vector<std::string> errors;
};

class live_changes {
  public:
    // `file` is the configuration, `schemes` the names that it may have. The service must outlive this
    // object.
    live_changes(service& of, std::string file, std::vector<std::string> schemes);
    ~live_changes();
    live_changes(const live_changes&) = delete;
    live_changes& operator=(const live_changes&) = delete;

    // For any thread but the control thread; one after the other.
    // Assignments as in config/changes/assignments.hpp. What needs a restart is refused.
    change_outcome set(const std::vector<std::string>& assignments);
    // Reads the file again. Makes what can be changed at once, and tells the rest. A file of routes is read
    // again too.
    change_outcome reload();

    // For the control thread: reload() in another thread, which logs what came of it.
    void reload_soon();

  private:
    change_outcome make(const config& now, parsed_config wanted, bool is_file);
    bool look_at_service(config& now, report& read);
    void leave_long_frames(const config& now, config& mixed, std::vector<setting_change>& changes);
    void wait_for_reloads();

    service& of_;
    std::string file_;
    std::vector<std::string> schemes_;
    std::mutex one_at_a_time_;

    std::mutex lock_;
    std::condition_variable woken_;
    bool reload_wanted_ = false;
    bool ending_ = false;
    std::thread reloader_;
};

} // namespace fingerpost::router
