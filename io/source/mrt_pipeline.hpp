// Reads an MRT file with several threads: one cuts it into batches of records, others decode these, and the
// caller's is given the parts in order.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <exception>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "io/format/mrt/batch.hpp"
#include "io/source/file.hpp"
#include "io/source/mrt_file.hpp"

namespace fingerpost::io {

class mrt_pipeline {
  public:
    // `source` and `options` must outlive it.
    mrt_pipeline(file_source& source, const mrt_options& options, unsigned threads);
    mrt_pipeline(const mrt_pipeline&) = delete;
    mrt_pipeline& operator=(const mrt_pipeline&) = delete;
    // Waits for its threads, which stop soon.
    ~mrt_pipeline();

    // Once. Throws what any of its threads did.
    mrt_result run();

  private:
    class cutter;
    struct numbered {
        std::uint64_t number;
        mrt::batch batch;
    };
    struct decoded {
        std::unique_ptr<mrt_part> part;
        mrt::counts counted;
    };

    void cut();
    void decode();
    template <class F>
    void guarded(F work) noexcept;
    bool put(mrt::batch&& full);
    std::optional<numbered> take();
    std::optional<decoded> next();
    void stop(std::exception_ptr why) noexcept;

    file_source& source_;
    const mrt_options& options_;
    const std::uint64_t most_at_once_; // batches that are cut and not delivered

    std::mutex mutex_; // guards all below, but for the threads
    std::condition_variable changed_;
    std::deque<numbered> waiting_;
    std::map<std::uint64_t, decoded> decoded_;
    std::uint64_t cut_ = 0;       // batches
    std::uint64_t delivered_ = 0; // or being delivered
    bool ended_ = false;          // no further batch is cut
    bool stopped_ = false;
    std::optional<input_error> error_;
    std::exception_ptr thrown_;

    std::vector<std::thread> threads_;
};

} // namespace fingerpost::io
