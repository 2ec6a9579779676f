// Reads a whole MRT file, in file order.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "io/format/mrt/counts.hpp"
#include "io/format/mrt/entry.hpp"
#include "io/format/parts/input_error.hpp"
#include "io/source/file.hpp"

namespace fingerpost::io {

// Processes the entries of a part of a file, possibly at the same time as other parts.
class mrt_part {
  public:
    mrt_part() = default;
    mrt_part(const mrt_part&) = delete;
    mrt_part& operator=(const mrt_part&) = delete;
    virtual ~mrt_part() = default;

    // Takes the entries of one record, which are valid during the call.
    virtual void take(std::span<const mrt::entry> entries) = 0;
    virtual void skip(const mrt::damage& where) = 0;
};

struct mrt_options {
    // Creates an empty part. May be called by several threads at the same time.
    std::function<std::unique_ptr<mrt_part>()> make;
    // Called with every completed part, in file order, by the caller of read_mrt(). May throw.
    std::function<void(mrt_part&)> deliver;
    // Number of decoding threads, in addition to one that reads and decompresses. With 0, the calling thread
    // does everything, and the result of one read is delivered before the next read. The default is the
    // number of cores for files, and 0 for pipes, because the program that fills the pipe also needs a core
    // and parts must be delivered without delay.
    std::optional<unsigned> threads = {};
};

struct mrt_result {
    mrt::counts counted;
    // the file cannot be read, or reading failed later; everything before that was delivered
    std::optional<input_error> error;
};

// `path`: as for file_source::open. Throws what make(), take() and deliver() throw, and std::bad_alloc.
mrt_result read_mrt(const std::string& path, const mrt_options& options);
// Reads an open file that has not been read yet.
mrt_result read_mrt(file_source& source, const mrt_options& options);

} // namespace fingerpost::io
