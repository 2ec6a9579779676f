// Compresses a stream as one member of any format.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "fingerpost/base/expected.hpp"
#include "io/source/compression/codec.hpp"

namespace fingerpost::io {

class encoder {
  public:
    // Selects the format by the end of a file name, `.gz`, `.bz2`, `.xz` or `.zst`. Returns nothing for other
    // names. The error names the library that this build lacks.
    static expected<std::optional<encoder>, std::string> for_name(std::string_view path);

    // Appends the compressed bytes that are available to `output`. Throws std::bad_alloc.
    void put(std::string_view bytes, std::string& output) { run(bytes, false, output); }
    // Appends the rest. Must be called once, after the last put(). Throws std::bad_alloc.
    void finish(std::string& output) { run({}, true, output); }

  private:
    explicit encoder(const encoding& format);
    void run(std::string_view bytes, bool is_end, std::string& output);

    const encoding* format_;
    std::unique_ptr<void, void (*)(void*)> state_;
    std::vector<char> block_;
};

} // namespace fingerpost::io
