// One trace or capture from its start to its end, for the control thread.
//
// It ends after its time, when it has the requested number of packets, when it is stopped, or when its reader
// has been silent for some seconds, because a killed reader cannot stop it. Data threads then finish their
// current bursts, and after a grace period only the control thread uses the memory.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>

#include "router/forward/reclaim.hpp"

namespace fingerpost::router {

template <class Data>
class watch_session {
  public:
    using clock = std::chrono::steady_clock;
    // How long a session runs without its reader, and how long its packets are kept for the reader unless
    // another session needs the place.
    static constexpr std::chrono::seconds patience{15}, memory{60};

    // `published` is the pointer that data threads load; initially null.
    watch_session(std::atomic<Data*>& published, reclaimer& old) : published_(&published), old_(&old) {}
    // The data threads must have ended.
    ~watch_session() { published_->store(nullptr); }
    watch_session(const watch_session&) = delete;
    watch_session& operator=(const watch_session&) = delete;

    // Only if is_free(). Throws std::bad_alloc.
    void start(std::shared_ptr<Data> data, clock::duration most, clock::time_point now) {
        held_ = std::make_shared<held>(held{std::move(data)});
        is_withdrawn_ = false;
        ends_ = now + most;
        read_ = now;
        published_->store(held_->data.get(), std::memory_order_release);
    }
    // Throws std::bad_alloc.
    void stop() {
        if (held_ == nullptr || is_withdrawn_)
            return;
        old_->later([session = held_] { session->is_retired = true; });
        is_withdrawn_ = true;
        published_->store(nullptr, std::memory_order_release);
    }
    // To be called regularly. `has_all` is true once the session has the requested number of packets.
    void poll(clock::time_point now, bool has_all) {
        if (held_ != nullptr && (has_all || now >= ends_ || now - read_ >= patience))
            stop();
        if (held_ != nullptr && is_retired() && now - read_ >= memory)
            held_.reset();
    }
    void note_reader(clock::time_point now) noexcept { read_ = now; }
    // To be called after everything has been read.
    void forget() noexcept { held_.reset(); }

    // True if another session may start: there is none, or it has ended and its reader has gone.
    bool is_free(clock::time_point now) const noexcept {
        return held_ == nullptr || (is_retired() && now - read_ >= patience);
    }
    // Null if there is no session.
    Data* data() const noexcept { return held_ == nullptr ? nullptr : held_->data.get(); }
    bool is_running() const noexcept { return held_ != nullptr && !is_withdrawn_; }
    // True if no data thread uses it any more.
    bool is_retired() const noexcept { return held_ != nullptr && held_->is_retired; }
    // Upper bound of the time for which it blocks another session: until its time is over, or until its
    // silent reader is given up.
    std::chrono::seconds left(clock::time_point now) const noexcept {
        const auto end = is_withdrawn_ || unread(now) ? read_ + patience : ends_;
        return std::max(std::chrono::ceil<std::chrono::seconds>(end - now), std::chrono::seconds(0));
    }
    // How long the reader has been silent; nothing if it reads as often as readers do, fifty times per
    // second.
    std::optional<std::chrono::seconds> unread(clock::time_point now) const noexcept {
        const auto whole = std::chrono::floor<std::chrono::seconds>(now - read_);
        return whole.count() == 0 ? std::nullopt : std::optional(whole);
    }

  private:
    // Shared with the action that runs after the grace period.
    struct held {
        std::shared_ptr<Data> data;
        bool is_retired = false;
    };

    std::atomic<Data*>* published_;
    reclaimer* old_;
    std::shared_ptr<held> held_;
    bool is_withdrawn_ = false;
    clock::time_point ends_{};
    clock::time_point read_{};
};

} // namespace fingerpost::router
