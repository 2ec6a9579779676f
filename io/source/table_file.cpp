// Feeds a file to the table reader.
#include "io/source/table_file.hpp"

#include <new>
#include <utility>

#include "io/source/file.hpp"

namespace fingerpost::io {

expected<any_table, input_error> load_table(const std::string& path, const table_options& options) try {
    auto source = file_source::open(path);
    if (!source)
        return unexpected{source.error()};
    table_reader reader(source->name(), options);
    bool wanted = true;
    for (;;) {
        const auto bytes = source->read();
        if (!bytes)
            return unexpected{bytes.error()};
        wanted = wanted && reader.feed(*bytes);
        // Damaged data may decompress to nonsense long before its checksum comes, and is the better
        // explanation.
        if (bytes->empty() || (!wanted && !source->is_compressed()))
            break;
    }
    return std::move(reader).finish();
} catch (const std::bad_alloc&) {
    return unexpected{input_error{path, 0, {}, std::string(message(errc::out_of_memory))}};
}

} // namespace fingerpost::io
