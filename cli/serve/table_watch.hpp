// Notices by inotify when a file is written or replaced.
//
// Folders are watched, not the file: most programs that write a table make a new file and rename it. Where
// the path is a symbolic link, the folder of what it leads to is watched as well.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "cli/serve/file_identity.hpp"
#include "router/system/unique_fd.hpp"

namespace fingerpost::cli {

class table_watch {
  public:
    // Throws failure when the system refuses.
    explicit table_watch(std::string path);

    // Readable when something happened in a folder.
    int descriptor() const noexcept { return inotify_.get(); }
    // Takes what happened; whether the file was written to its end or is another one now.
    bool has_changed();

  private:
    struct place {
        std::string folder;
        std::string name;
        int watch = -1;
    };
    static place split(const std::string& path);
    void follow(place& to, place found);
    bool take(int watch, const char* name, std::uint32_t what);

    std::string path_;
    router::unique_fd inotify_;
    place link_;   // the path as it was given
    place target_; // what it leads to
    std::optional<file_identity> seen_;
    bool is_being_made_ = false; // somebody has made the file and may still write to it
};

} // namespace fingerpost::cli
