// Changes the configuration while the router runs: single settings, or the whole file.
//
// A change is checked and applied as a whole, or refused. Slow work, such as building tables of another
// scheme, runs in the calling thread, so that the control thread is not delayed.
#pragma once

#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "router/config/changes/settings.hpp"
#include "router/service.hpp"

namespace fingerpost::router {

// Lists of lines. If there are errors, nothing has changed.
struct change_outcome {
    std::vector<std::string> changed;
    std::vector<std::string> needs_restart; // differences between the file and the running router
    std::vector<std::string> warnings;
    std::vector<std::string> errors;
};

class live_changes {
  public:
    // `file` is the configuration file, `schemes` the allowed schemes. The service must outlive this object.
    live_changes(service& of, std::string file, std::vector<std::string> schemes);
    ~live_changes();
    live_changes(const live_changes&) = delete;
    live_changes& operator=(const live_changes&) = delete;

    // May be called from any thread but the control thread; calls are serialized. Assignments are written as
    // in config/changes/assignments.hpp. A setting that needs a restart is refused.
    change_outcome set(const std::vector<std::string>& assignments);
    // Reads the file again, including a file of routes. Applies the changes that need no restart, and lists
    // the others.
    change_outcome reload();

    // For the control thread: runs reload() in another thread, which logs the outcome.
    void reload_soon();

  private:
    change_outcome make(const config& now, parsed_config target, bool is_file);
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
