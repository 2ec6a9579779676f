// Folders as inotify reports them.
#include "cli/serve/table_watch.hpp"

#include <array>
#include <cerrno>
#include <climits>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <sys/inotify.h>
#include <utility>

#include "cli/failure.hpp"

namespace fingerpost::cli {

table_watch::table_watch(std::string path)
    : path_(std::move(path)), inotify_(::inotify_init1(IN_CLOEXEC | IN_NONBLOCK)),
      seen_(file_identity::of(path_)) {
    if (!inotify_)
        throw failure(std::string("--watch: inotify: ") + std::strerror(errno));
    follow(link_, split(path_));
    if (link_.watch < 0)
        throw failure("--watch: " + link_.folder + ": " + std::strerror(errno));
    if (const std::unique_ptr<char, void (*)(void*)> real(::realpath(path_.c_str(), nullptr), std::free);
        real)
        follow(target_, split(real.get()));
}

table_watch::place table_watch::split(const std::string& path) {
    const std::size_t slash = path.rfind('/');
    if (slash == std::string::npos)
        return {".", path};
    return {slash == 0 ? "/" : path.substr(0, slash), path.substr(slash + 1)};
}

void table_watch::follow(place& to, place found) {
    if (to.folder != found.folder && to.watch >= 0 && to.watch != link_.watch)
        ::inotify_rm_watch(inotify_.get(), to.watch);
    to = std::move(found);
    // A folder that is watched already keeps its number.
    to.watch =
        ::inotify_add_watch(inotify_.get(), to.folder.c_str(), IN_CLOSE_WRITE | IN_MOVED_TO | IN_CREATE);
}

// Whether an event says that the file is complete. A file that is made where the path leads is not, before
// it is closed; another name for one that was there, is.
bool table_watch::take(int watch, const char* name, std::uint32_t what) {
    const auto is = [&](const place& one) { return one.watch == watch && one.name == name; };
    if (!is(link_) && !is(target_))
        return false;
    if ((what & IN_CREATE) != 0) {
        struct stat made {};
        is_being_made_ = ::lstat((link_.folder + '/' + link_.name).c_str(), &made) == 0 &&
                         S_ISREG(made.st_mode) && made.st_nlink == 1;
        return false;
    }
    is_being_made_ = false;
    return true;
}

bool table_watch::has_changed() {
    bool changed = false;
    alignas(inotify_event) std::array<char, 16 * (sizeof(inotify_event) + NAME_MAX + 1)> buffer{};
    for (;;) {
        const ssize_t size = ::read(inotify_.get(), buffer.data(), buffer.size());
        if (size <= 0)
            break;
        for (const char* at = buffer.data(); at < buffer.data() + size;) {
            const auto* const event = reinterpret_cast<const inotify_event*>(at);
            at += sizeof(inotify_event) + event->len;
            const char* const name = event->len == 0 ? "" : event->name;
            changed = take(event->wd, name, event->mask) || (event->mask & IN_Q_OVERFLOW) != 0 || changed;
        }
    }
    const auto now = file_identity::of(path_);
    // A link that leads elsewhere now, or a file linked to its place.
    const bool is_other = now && (!seen_ || !seen_->is_same_file(*now));
    changed = now && (changed || (is_other && !is_being_made_));
    if (changed) {
        seen_ = now;
        if (const std::unique_ptr<char, void (*)(void*)> real(::realpath(path_.c_str(), nullptr), std::free);
            real)
            follow(target_, split(real.get()));
    }
    return changed;
}

} // namespace fingerpost::cli
