// The batches that pass between the threads.
#include "io/source/mrt/mrt_pipeline.hpp"

#include <memory>
#include <optional>
#include <span>
#include <utility>

#include "io/format/mrt/batch.hpp"
#include "io/source/ordered_pipeline.hpp"

namespace fingerpost::io {
namespace {

// The result of a thread for one batch.
struct decoded {
    std::unique_ptr<mrt_part> part;
    mrt::counts counted;
};

using pipeline = ordered_pipeline<mrt::batch, decoded>;

// Collects records into batches; `go_on` is false if the pipeline was stopped.
class cutter {
  public:
    explicit cutter(const pipeline::sink& to) : to_(to) {}

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
    void flush() { go_on_ = to_(std::exchange(batch_, mrt::batch(peers_))) && go_on_; }

    const pipeline::sink& to_;
    mrt::shared_peers peers_;
    mrt::batch batch_;
    bool go_on_ = true;
};

// Why the file could not be read to its end.
std::optional<input_error> cut(file_source& source, const pipeline::sink& put) {
    mrt::record_reader records;
    cutter to(put);
    std::optional<input_error> error;
    while (to.go_on()) {
        const auto bytes = source.read();
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
    return error;
}

} // namespace

mrt_result read_mrt_in_threads(file_source& source, const mrt_options& options, unsigned threads) {
    mrt_result result;
    pipeline batches(
        threads, [&](const pipeline::sink& put) { result.error = cut(source, put); },
        [&options]() -> pipeline::work {
            return [&options](mrt::batch&& batch) {
                decoded made{options.make(), {}};
                made.counted = batch.decode(*made.part);
                return made;
            };
        });
    while (const auto one = batches.next()) {
        options.deliver(*one->part);
        result.counted += one->counted;
    }
    return result;
}

} // namespace fingerpost::io
