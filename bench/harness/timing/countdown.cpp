// The remaining time of a kind of step is the mean time so far times the number of remaining steps.
#include "bench/harness/timing/countdown.hpp"

#include <algorithm>

namespace fingerpost::bench {
namespace {

double seconds(countdown::clock::duration time) {
    return std::chrono::duration<double>(time).count();
}

} // namespace

void countdown::plan(bench_step kind, std::size_t count, double seconds_each) {
    steps& some = steps_[static_cast<std::size_t>(kind)];
    some.left += count;
    some.seconds_thought = seconds_each;
}

void countdown::drop(bench_step kind, std::size_t count) {
    steps& some = steps_[static_cast<std::size_t>(kind)];
    some.left -= std::min(some.left, count);
}

void countdown::begin(bench_step kind, clock::time_point now) {
    if (now_ != nullptr) {
        ++now_->completed;
        now_->seconds_made += seconds(now - began_);
    }
    now_ = &steps_[static_cast<std::size_t>(kind)];
    now_->left -= std::min<std::size_t>(now_->left, 1);
    began_ = now;
}

double countdown::seconds_left(clock::time_point now) const {
    double left = now_ == nullptr ? 0 : std::max(0.0, now_->each() - seconds(now - began_));
    for (const steps& some : steps_)
        left += static_cast<double>(some.left) * some.each();
    return left;
}

} // namespace fingerpost::bench
