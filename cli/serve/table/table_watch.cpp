// Interprets inotify's events about folders and the file.
#include "cli/serve/table/table_watch.hpp"

#include <array>
#include <cerrno>
#include <climits>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <sys/inotify.h>
#include <utility>

#include "terminal/failure.hpp"

namespace fingerpost::cli {

table_watch::table_watch(std::string path)
    : path_(std::move(path)), inotify_(::inotify_init1(IN_CLOEXEC | IN_NONBLOCK)),
      seen_(file_identity::of(path_)) {
    if (!inotify_)
        throw failure(std::string("inotify: ") + std::strerror(errno));
    follow(link_, split(path_));
    if (link_.watch < 0)
        throw failure(link_.folder + ": " + std::strerror(errno));
    follow_file();
}

table_watch::place table_watch::split(const std::string& path) {
    const std::size_t slash = path.rfind('/');
    if (slash == std::string::npos)
        return {".", path};
    return {slash == 0 ? "/" : path.substr(0, slash), path.substr(slash + 1)};
}

void table_watch::follow(place& to, place target) {
    if (to.folder != target.folder && to.watch >= 0 && to.watch != link_.watch)
        ::inotify_rm_watch(inotify_.get(), to.watch);
    to = std::move(target);
    // A folder that is already watched keeps its watch number.
    to.watch =
        ::inotify_add_watch(inotify_.get(), to.folder.c_str(), IN_CLOSE_WRITE | IN_MOVED_TO | IN_CREATE);
}

// Follows the path to its current target.
void table_watch::follow_file() {
    if (const std::unique_ptr<char, void (*)(void*)> real(::realpath(path_.c_str(), nullptr), std::free);
        real)
        follow(target_, split(real.get()));
    const int before = file_;
    file_ = ::inotify_add_watch(inotify_.get(), path_.c_str(), IN_MODIFY | IN_CLOSE_WRITE);
    if (before >= 0 && before != file_)
        ::inotify_rm_watch(inotify_.get(), before);
}

// A file created at the path's target is complete only when it is closed. An existing file that gets this
// name is complete.
void table_watch::take_creation() {
    struct stat status {};
    writing_.goes_on = ::lstat((link_.folder + '/' + link_.name).c_str(), &status) == 0 &&
                       S_ISREG(status.st_mode) && status.st_nlink == 1;
}

void table_watch::take(int watch, const char* name, std::uint32_t what) {
    const auto is = [&](const place& p) { return p.watch == watch && p.name == name; };
    if ((what & IN_Q_OVERFLOW) != 0) {
        // The lost events may include a write and its end.
        ++writing_.count;
        writing_.goes_on = false;
        is_complete_ = true;
    } else if (watch == file_ && (what & IN_MODIFY) != 0) {
        ++writing_.count;
        writing_.goes_on = true;
    } else if (watch == file_ ? (what & IN_CLOSE_WRITE) != 0 : is(link_) || is(target_)) {
        if ((what & IN_CREATE) != 0)
            return take_creation();
        writing_.goes_on = false;
        ((what & IN_MOVED_TO) != 0 ? is_renamed_ : is_complete_) = true;
    }
}

void table_watch::take_all() {
    alignas(inotify_event) std::array<char, 16 * (sizeof(inotify_event) + NAME_MAX + 1)> buffer{};
    for (;;) {
        const ssize_t size = ::read(inotify_.get(), buffer.data(), buffer.size());
        if (size <= 0)
            break;
        for (const char* at = buffer.data(); at < buffer.data() + size;) {
            const auto* const event = reinterpret_cast<const inotify_event*>(at);
            at += sizeof(inotify_event) + event->len;
            take(event->wd, event->len == 0 ? "" : event->name, event->mask);
        }
    }
    const auto identity = file_identity::of(path_);
    // A link with a new target, or a file linked to this place.
    const bool is_other = identity && (!seen_ || !seen_->is_same_file(*identity));
    if (is_other)
        follow_file();
    if (!identity)
        writing_.goes_on = false;
    // The path may already lead to the new file before its rename event arrives. That event is then not news.
    const bool is_news =
        is_complete_ || is_other || (is_renamed_ && !(seen_before_event_ && seen_ == identity));
    if (identity && !writing_.goes_on && is_news) {
        changed_ = true;
        seen_ = identity;
        seen_before_event_ = is_other && !is_renamed_;
    }
    is_complete_ = is_complete_ && writing_.goes_on;
    is_renamed_ = is_renamed_ && writing_.goes_on;
}

bool table_watch::has_changed() {
    const std::lock_guard held(lock_);
    take_all();
    return std::exchange(changed_, false);
}

table_watch::writing table_watch::now() {
    const std::lock_guard held(lock_);
    take_all();
    return writing_;
}

} // namespace fingerpost::cli
