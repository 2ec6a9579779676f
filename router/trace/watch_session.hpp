// One trace or capture from its start to its end, for the control thread.
//
// It ends after its time, when it has what it was asked for, when it is stopped, or when no reader has asked
// for some seconds, as a reader that was killed cannot stop it. Then data threads finish what they have in
// hand, and after a grace period the memory belongs to the control thread alone.
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
    // How long a session runs for a reader that does not ask, and how long its packets are kept for it unless
    // another session needs the place.
    static constexpr std::chrono::seconds patience{15}, memory{60};

    // `published` is what data threads load; null at first.
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
        old_->later([kept = held_] { kept->is_retired = true; });
        is_withdrawn_ = true;
        published_->store(nullptr, std::memory_order_release);
    }
    // To be called now and then. `has_all`: the session has what it was asked for.
    void poll(clock::time_point now, bool has_all) {
        if (held_ != nullptr && (has_all || now >= ends_ || now - read_ >= patience))
            stop();
        if (held_ != nullptr && is_retired() && now - read_ >= memory)
            held_.reset();
    }
    void note_reader(clock::time_point now) noexcept { read_ = now; }
    // To be called when all has been read.
    void forget() noexcept { held_.reset(); }

    // Whether another session may start: there is none, or it has ended and its reader is gone.
    bool is_free(clock::time_point now) const noexcept {
        return held_ == nullptr || (is_retired() && now - read_ >= patience);
    }
    // Null if there is no session.
    Data* data() const noexcept { return held_ == nullptr ? nullptr : held_->data.get(); }
    bool is_running() const noexcept { return held_ != nullptr && !is_withdrawn_; }
    // No data thread knows it any more.
    bool is_retired() const noexcept { return held_ != nullptr && held_->is_retired; }
    // How long it can still keep another one from starting: until its time is over, or until its reader is
    // given up if that has stopped asking.
    std::chrono::seconds left(clock::time_point now) const noexcept {
        const auto end = is_withdrawn_ || unread(now) ? read_ + patience : ends_;
        return std::max(std::chrono::ceil<std::chrono::seconds>(end - now), std::chrono::seconds(0));
    }
    // How long its reader has not asked; nothing if it asks as often as readers do, fifty times a second.
    std::optional<std::chrono::seconds> unread(clock::time_point now) const noexcept {
        const auto whole = std::chrono::floor<std::chrono::seconds>(now - read_);
        return whole.count() == 0 ? std::nullopt : std::optional(whole);
    }

  private:
    // Shared with the action that waits for the end of the grace period.
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
