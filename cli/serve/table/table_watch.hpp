// Detects by inotify when a file is written or replaced, and while it is being written.
//
// Folders are watched, because most programs that write a table make a new file and rename it. If the path is
// a symbolic link, the folder of its target is watched as well. The file itself is watched for writes in
// place: from the first write until the file is closed, its content is incomplete.
#pragma once

#include <cstdint>
#include <mutex>
#include <optional>
#include <string>

#include "cli/serve/table/file_identity.hpp"
#include "system/unique_fd.hpp"

namespace fingerpost::cli {

class table_watch {
  public:
    // Throws failure if the system refuses.
    explicit table_watch(std::string path);

    const std::string& path() const noexcept { return path_; }
    // Readable if something happened in a folder or to the file.
    int descriptor() const noexcept { return inotify_.get(); }
    // Processes the events; returns whether the file was completely written or replaced since the last call.
    // May be called by any thread, like the next function.
    bool has_changed();

    struct writing {
        bool goes_on = false;    // the file was written to, and has not been closed since
        std::uint64_t count = 0; // how often writes were noticed
        friend bool operator==(const writing&, const writing&) noexcept = default;
    };
    writing now();

  private:
    struct place {
        std::string folder;
        std::string name;
        int watch = -1;
    };
    static place split(const std::string& path);
    void follow(place& to, place found);
    void follow_file();
    void take_all();
    void take(int watch, const char* name, std::uint32_t what);
    void take_creation();

    std::string path_;
    system::unique_fd inotify_;
    std::mutex lock_;
    place link_;    // the path as it was given
    place target_;  // its target
    int file_ = -1; // the watch of the file itself
    std::optional<file_identity> seen_;
    writing writing_;
    bool is_complete_ = false; // an event says so, since the last check
    bool is_renamed_ = false;  // likewise
    bool seen_before_event_ = false;
    bool changed_ = false;
};

} // namespace fingerpost::cli
