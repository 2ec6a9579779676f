// Passes functions to the control thread through a list and an eventfd.
#include "system/call_queue.hpp"

#include <cerrno>
#include <cstdint>
#include <utility>

#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

namespace fingerpost::system {

expected<std::unique_ptr<call_queue>, failure> call_queue::create(event_loop& loop) {
    unique_fd wake(::eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC));
    if (!wake)
        return unexpected{system_failure("eventfd", errno)};
    std::unique_ptr<call_queue> queue(new call_queue(loop, std::move(wake)));
    if (auto fault =
            loop.watch(queue->wake_.get(), EPOLLIN, [to = queue.get()](std::uint32_t) { to->answer(); }))
        return unexpected{std::move(*fault)};
    return queue;
}

call_queue::~call_queue() {
    close();
    loop_->unwatch(wake_.get());
}

void call_queue::close() {
    const std::lock_guard guard(lock_);
    closed_ = true;
    waiting_.clear();
    answered_.notify_all();
}

bool call_queue::call(std::function<void()> run, std::chrono::milliseconds timeout) {
    const auto entry = std::make_shared<request>();
    entry->run = std::move(run);
    std::unique_lock guard(lock_);
    if (closed_)
        return false;
    waiting_.push_back(entry);
    const std::uint64_t more = 1;
    (void)!::write(wake_.get(), &more, sizeof more);
    answered_.wait_for(guard, timeout, [&] { return entry->done || closed_; });
    // Once started, the function uses the caller's stack, so the caller must wait for its end.
    answered_.wait(guard, [&] { return entry->done || !entry->started; });
    if (!entry->done)
        std::erase(waiting_, entry);
    return entry->done;
}

void call_queue::answer() {
    std::uint64_t count = 0;
    (void)!::read(wake_.get(), &count, sizeof count);
    for (;;) {
        std::shared_ptr<request> entry;
        {
            const std::lock_guard guard(lock_);
            if (waiting_.empty())
                return;
            entry = std::move(waiting_.front());
            waiting_.pop_front();
            entry->started = true;
        }
        entry->run();
        const std::lock_guard guard(lock_);
        entry->done = true;
        answered_.notify_all();
    }
}

} // namespace fingerpost::system
