// Passes the whole content of a file to the reader of a format.
#pragma once

#include <string>
#include <utility>

#include "fingerpost/base/reason.hpp"
#include "io/source/file.hpp"

namespace fingerpost::io {

// Feeds all bytes of a source to the reader. Returns the result of finish(reader).
template <class Reader, class Finish>
auto read_rest(file_source& source, Reader& reader, Finish finish) -> decltype(finish(reader)) {
    bool goes_on = true;
    for (;;) {
        const auto bytes = source.read();
        if (!bytes)
            return unexpected{bytes.error()};
        goes_on = goes_on && reader.feed(*bytes);
        // Damaged data may yield nonsense long before its checksum, which explains more, is reached.
        if (bytes->empty() || (!goes_on && !source.is_compressed()))
            break;
    }
    return finish(reader);
}

// Opens the file, then calls make(name) to create the reader, and returns the result of its finish(). Running
// out of memory is an error, not an exception.
template <class F>
auto read_all(const std::string& path, F make) -> decltype(make(std::string()).finish()) try {
    auto source = file_source::open(path);
    if (!source)
        return unexpected{source.error()};
    auto reader = make(source->name());
    return read_rest(*source, reader,
                     [](auto& complete_reader) { return std::move(complete_reader).finish(); });
} catch (...) {
    return unexpected{input_error{path, 0, {}, std::string(message(reason_of_exception()))}};
}

} // namespace fingerpost::io
