// The threads, and the order in which batches pass through them.
#include "io/source/mrt_pipeline.hpp"

#include <span>
#include <utility>

namespace fingerpost::io {

// Gathers records into batches; `go_on` is false when the pipeline was stopped.
class mrt_pipeline::cutter {
  public:
    explicit cutter(mrt_pipeline& to) : to_(to) {}

    void take(const mrt::record& whole) {
        make_room(whole.body.size());
        batch_.add(whole);
        mrt::follow_peers(whole, peers_);
    }
    void skip(const mrt::damage& gap) {
        make_room(0);
        batch_.add(gap);
    }
    void finish() {
        if (!batch_.is_empty())
            flush();
    }
    bool go_on() const noexcept { return go_on_; }

  private:
    void make_room(std::size_t size) {
        if (batch_.is_full_for(size))
            flush();
    }
    void flush() { go_on_ = to_.put(std::exchange(batch_, mrt::batch(peers_))) && go_on_; }

    mrt_pipeline& to_;
    mrt::shared_peers peers_;
    mrt::batch batch_;
    bool go_on_ = true;
};

mrt_pipeline::mrt_pipeline(file_source& source, const mrt_options& options, unsigned threads)
    : source_(source), options_(options), most_at_once_(std::uint64_t{threads} * 2 + 2) {
    try {
        threads_.emplace_back([this] { guarded([this] { cut(); }); });
        for (unsigned i = 0; i < threads; ++i)
            threads_.emplace_back([this] { guarded([this] { decode(); }); });
    } catch (...) {
        // Those that have begun would end the program.
        stop(nullptr);
        for (std::thread& each : threads_)
            each.join();
        throw;
    }
}

mrt_pipeline::~mrt_pipeline() {
    stop(nullptr);
    for (std::thread& each : threads_)
        each.join();
}

template <class F>
void mrt_pipeline::guarded(F work) noexcept {
    try {
        work();
    } catch (...) {
        stop(std::current_exception());
    }
}

void mrt_pipeline::stop(std::exception_ptr why) noexcept {
    const std::lock_guard lock(mutex_);
    stopped_ = true;
    if (!thrown_)
        thrown_ = std::move(why);
    changed_.notify_all();
}

void mrt_pipeline::cut() {
    mrt::record_reader records;
    cutter to(*this);
    std::optional<input_error> error;
    while (to.go_on()) {
        const auto bytes = source_.read();
        if (!bytes) {
            error = bytes.error();
            break;
        }
        if (bytes->empty())
            break;
        records.feed(std::as_bytes(std::span(*bytes)), to);
    }
    records.finish(to);
    to.finish();
    const std::lock_guard lock(mutex_);
    error_ = std::move(error);
    ended_ = true;
    changed_.notify_all();
}

// False when nobody wants it any more.
bool mrt_pipeline::put(mrt::batch&& full) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return stopped_ || cut_ - delivered_ < most_at_once_; });
    if (stopped_)
        return false;
    waiting_.push_back({cut_++, std::move(full)});
    changed_.notify_all();
    return true;
}

std::optional<mrt_pipeline::numbered> mrt_pipeline::take() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return stopped_ || ended_ || !waiting_.empty(); });
    if (stopped_ || waiting_.empty())
        return std::nullopt;
    std::optional<numbered> taken = std::move(waiting_.front());
    waiting_.pop_front();
    return taken;
}

void mrt_pipeline::decode() {
    while (const auto one = take()) {
        std::unique_ptr<mrt_part> part = options_.make();
        const mrt::counts counted = one->batch.decode(*part);
        const std::lock_guard lock(mutex_);
        decoded_.emplace(one->number, decoded{std::move(part), counted});
        changed_.notify_all();
    }
}

// Nothing at the end.
std::optional<mrt_pipeline::decoded> mrt_pipeline::next() {
    std::unique_lock lock(mutex_);
    changed_.wait(
        lock, [this] { return stopped_ || decoded_.contains(delivered_) || (ended_ && delivered_ == cut_); });
    if (stopped_)
        std::rethrow_exception(thrown_);
    if (delivered_ == cut_)
        return std::nullopt;
    auto node = decoded_.extract(delivered_++);
    changed_.notify_all();
    return std::move(node.mapped());
}

mrt_result mrt_pipeline::run() {
    mrt_result result;
    while (const auto one = next()) {
        options_.deliver(*one->part);
        result.counted += one->counted;
    }
    result.error = error_;
    return result;
}

} // namespace fingerpost::io
