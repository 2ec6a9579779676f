// A histogram of durations in constant memory. The width of a bucket is at most 1/16 of its values.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

namespace fingerpost::cli {

class latency_histogram {
  public:
    void add(std::uint64_t nanoseconds) noexcept {
        ++counts_[bucket_of(nanoseconds)];
        ++count_;
        largest_ = std::max(largest_, nanoseconds);
    }
    std::uint64_t count() const noexcept { return count_; }
    std::uint64_t largest() const noexcept { return largest_; }
    // The smallest recorded duration that at least this share of all durations does not exceed; 0 if there
    // are none.
    std::uint64_t quantile(double share) const noexcept {
        const double threshold = share * static_cast<double>(count_);
        std::uint64_t sum = 0;
        for (std::size_t i = 0; i < counts_.size(); ++i) {
            sum += counts_[i];
            if (sum != 0 && static_cast<double>(sum) >= threshold)
                return std::min(end_of(i), largest_);
        }
        return largest_;
    }

  private:
    static constexpr unsigned fine_bits = 4; // log2 of the number of buckets per octave
    static constexpr std::size_t fine = std::size_t{1} << fine_bits;

    static std::size_t bucket_of(std::uint64_t value) noexcept {
        if (value < fine)
            return value;
        const auto octave = static_cast<unsigned>(std::bit_width(value)) - 1 - fine_bits;
        return fine * octave + (value >> octave);
    }
    // The largest value of a bucket.
    static std::uint64_t end_of(std::size_t bucket) noexcept {
        if (bucket < 2 * fine)
            return bucket;
        const std::size_t octave = bucket / fine - 1;
        return ((std::uint64_t{bucket} - fine * octave + 1) << octave) - 1;
    }

    std::array<std::uint64_t, fine * (64 - fine_bits + 1)> counts_{};
    std::uint64_t count_ = 0;
    std::uint64_t largest_ = 0;
};

} // namespace fingerpost::cli
