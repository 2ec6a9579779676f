// One call from the name of an MRT file to all that is in it, in the order of the file.
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

// Takes a part of a file: what is to be made of its entries is made here, maybe beside other parts.
class mrt_part {
  public:
    mrt_part() = default;
    mrt_part(const mrt_part&) = delete;
    mrt_part& operator=(const mrt_part&) = delete;
    virtual ~mrt_part() = default;

    // The entries of one record; they live for the call.
    virtual void take(std::span<const mrt::entry> entries) = 0;
    virtual void skip(const mrt::damage& where) = 0;
};

struct mrt_options {
    // Makes an empty part; called by any thread, by several at once.
    std::function<std::unique_ptr<mrt_part>()> make;
    // Is given every part once it is whole, in the order of the file, by the thread that called read_mrt().
    // Whatever it throws ends the reading.
    std::function<void(mrt_part&)> deliver;
    // How many threads decode, besides one that reads and decompresses. 0: all is done by the thread that
    // calls, and what one read brings is delivered before the next. By default as many as there are cores
    // for files; 0 for pipes, as whoever fills the pipe takes a core too, and who reads a part must not wait.
    std::optional<unsigned> threads = {};
};

struct mrt_result {
    mrt::counts counted;
    std::optional<input_error> error; // the file cannot be read, or no further; what came before is delivered
};

// `path` as for file_source::open. Throws what make(), take() and deliver() throw, and bad_alloc.
mrt_result read_mrt(const std::string& path, const mrt_options& options);
// The same of a file that is open, and of which nothing has been read.
mrt_result read_mrt(file_source& source, const mrt_options& options);

} // namespace fingerpost::io
