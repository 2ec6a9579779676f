// Reads MRT files with one thread, and chooses the number of threads.
#include "io/source/mrt/mrt_file.hpp"

#include <algorithm>
#include <thread>

#include "io/format/mrt/mrt_decoder.hpp"
#include "io/source/file.hpp"
#include "io/source/mrt/mrt_pipeline.hpp"

namespace fingerpost::io {
namespace {

// Decodes each record as soon as it is complete.
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

// More threads would wait for the one that reads.
constexpr unsigned most_threads = 8;

unsigned threads_for(const file_source& source) {
    const unsigned cores = std::thread::hardware_concurrency();
    return source.is_regular() && cores > 1 ? std::min(cores, most_threads) : 0;
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
