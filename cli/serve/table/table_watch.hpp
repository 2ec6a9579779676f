// Detects, with inotify, when a file is being written and when it was written or replaced.
//
// Folders are watched, because most programs write a new file and rename it. If the path is a symbolic link,
// the folder of its target is watched too. The file itself is watched for writes in place: its content is
// incomplete from the first write until it is closed.
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
    // Readable after an event in a folder or in the file.
    int descriptor() const noexcept { return inotify_.get(); }
    // Processes the events. Returns whether the file was completely written or replaced since the last call.
    // Any thread may call this function and the next one.
    bool has_changed();

    struct writing {
        bool goes_on = false;    // the file was written to and is not closed yet
        std::uint64_t count = 0; // number of noticed writes
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
    void follow(place& to, place target);
    void follow_file();
    void take_all();
    void take(int watch, const char* name, std::uint32_t what);
    void take_creation();

    std::string path_;
    system::unique_fd inotify_;
    std::mutex lock_;
    place link_;    // the path from the constructor
    place target_;  // its target
    int file_ = -1; // watch number of the file
    std::optional<file_identity> seen_;
    writing writing_;
    bool is_complete_ = false; // an event since the last check reported a complete file
    bool is_renamed_ = false;  // an event since the last check reported a rename
    bool seen_before_event_ = false;
    bool changed_ = false;
};

} // namespace fingerpost::cli
