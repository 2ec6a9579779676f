// Reads MRT files with one or more threads.
#include "io/source/mrt/mrt_file.hpp"

#include <algorithm>
#include <memory>
#include <optional>
#include <span>
#include <thread>
#include <utility>

#include "io/format/mrt/batch.hpp"
#include "io/format/mrt/mrt_decoder.hpp"
#include "io/source/file.hpp"
#include "io/source/ordered_pipeline.hpp"

namespace fingerpost::io {
namespace {

// Decodes each record when it is complete.
struct decoding {
    mrt::decoder decoder;
    mrt_part& part;

    void take(const mrt::record& whole) { mrt::decode_one(decoder, whole, part); }
    void skip(const mrt::damage& gap) {
        decoder.count_gap(gap);
        part.skip(gap);
    }
};

mrt_result read_by_one(file_source& source, const mrt_options& options) {
    const std::unique_ptr<mrt_part> part = options.make();
    mrt::record_reader records;
    decoding receiver{mrt::decoder(), *part};
    std::optional<input_error> error;
    for (;;) {
        const auto bytes = source.read();
        if (!bytes) {
            error = bytes.error();
            break;
        }
        if (bytes->empty())
            break;
        records.feed(std::as_bytes(std::span(*bytes)), receiver);
        options.deliver(*part);
    }
    records.finish(receiver);
    options.deliver(*part);
    return {receiver.decoder.counted(), std::move(error)};
}

// The result of a thread for one batch.
struct decoded {
    std::unique_ptr<mrt_part> part;
    mrt::counts counted;
};

using pipeline = ordered_pipeline<mrt::batch, decoded>;

// Collects records into batches. go_on() is false if the pipeline was stopped.
class cutter {
  public:
    explicit cutter(const pipeline::sink& put) : put_(put) {}

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
    void flush() { go_on_ = put_(std::exchange(batch_, mrt::batch(peers_))) && go_on_; }

    const pipeline::sink& put_;
    mrt::shared_peers peers_;
    mrt::batch batch_;
    bool go_on_ = true;
};

// Returns the error if the file could not be read to its end.
std::optional<input_error> cut_all(file_source& source, const pipeline::sink& put) {
    mrt::record_reader records;
    cutter batches(put);
    std::optional<input_error> error;
    while (batches.go_on()) {
        const auto bytes = source.read();
        if (!bytes) {
            error = bytes.error();
            break;
        }
        if (bytes->empty())
            break;
        records.feed(std::as_bytes(std::span(*bytes)), batches);
    }
    records.finish(batches);
    batches.finish();
    return error;
}

// One thread cuts the file into batches of records, and others decode them. The calling thread gets the parts
// in order. Throws what any of the threads has thrown.
mrt_result read_mrt_in_threads(file_source& source, const mrt_options& options, unsigned threads) {
    mrt_result total;
    pipeline batches(
        threads, [&](const pipeline::sink& put) { total.error = cut_all(source, put); },
        [&options]() -> pipeline::work {
            return [&options](mrt::batch&& input) {
                decoded result{options.make(), {}};
                result.counted = input.decode(*result.part);
                return result;
            };
        });
    while (const auto batch = batches.next()) {
        options.deliver(*batch->part);
        total.counted += batch->counted;
    }
    return total;
}

// More threads would wait for the reading thread.
constexpr unsigned max_threads = 8;

unsigned threads_for(const file_source& source) {
    const unsigned cores = std::thread::hardware_concurrency();
    return source.is_regular() && cores > 1 ? std::min(cores, max_threads) : 0;
}

} // namespace

mrt_result read_mrt(const std::string& path, const mrt_options& options) {
    auto source = file_source::open(path);
    if (!source)
        return {{}, source.error()};
    return read_mrt(*source, options);
}

mrt_result read_mrt(file_source& source, const mrt_options& options) {
    const unsigned threads = options.threads.value_or(threads_for(source));
    if (threads == 0)
        return read_by_one(source, options);
    return read_mrt_in_threads(source, options, threads);
}

} // namespace fingerpost::io
