// Reads a whole MRT file by its name, in the order of the file.
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

// Takes a part of a file and processes its entries, possibly at the same time as other parts.
class mrt_part {
  public:
    mrt_part() = default;
    mrt_part(const mrt_part&) = delete;
    mrt_part& operator=(const mrt_part&) = delete;
    virtual ~mrt_part() = default;

    // The entries of one record; valid during the call.
    virtual void take(std::span<const mrt::entry> entries) = 0;
    virtual void skip(const mrt::damage& where) = 0;
};

struct mrt_options {
    // Makes an empty part; called by any thread, by several at the same time.
    std::function<std::unique_ptr<mrt_part>()> make;
    // Called with every part once it is complete, in the order of the file, by the thread that called
    // read_mrt(). An exception ends the reading.
    std::function<void(mrt_part&)> deliver;
    // The number of threads that decode, besides one that reads and decompresses. 0: the calling thread does
    // everything, and the result of one read is delivered before the next. By default the number of cores for
    // files, and 0 for pipes: the program that fills the pipe takes a core too, and parts must be delivered
    // without delay.
    std::optional<unsigned> threads = {};
};

struct mrt_result {
    mrt::counts counted;
    std::optional<input_error> error; // the file cannot be read, or no further; all before that was delivered
};

// `path` as in file_source::open. Throws what make(), take() and deliver() throw, and bad_alloc.
mrt_result read_mrt(const std::string& path, const mrt_options& options);
// The same for an open file of which nothing has been read.
mrt_result read_mrt(file_source& source, const mrt_options& options);

} // namespace fingerpost::io
