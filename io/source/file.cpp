// Reads file descriptors, and recognises compressed data.
#include "io/source/file.hpp"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

namespace fingerpost::io {
namespace {

// For files in the page cache, larger reads are not faster.
constexpr std::size_t block_bytes = std::size_t{256} << 10;
// Enough to recognise a file. Small files then need no whole block.
constexpr std::size_t first_block_bytes = std::size_t{16} << 10;

std::string system_message() {
    return std::strerror(errno);
}

// Returns the codec whose members begin like `bytes`. `undecided`: more bytes could still match a codec.
const codec* codec_of(std::string_view bytes, bool& undecided) {
    undecided = false;
    for (const codec* const format : all_codecs()) {
        if (bytes.starts_with(format->magic))
            return format;
        undecided = undecided || format->magic.starts_with(bytes);
    }
    return nullptr;
}

} // namespace

file_source::file_source(int descriptor, bool owned, std::string name)
    : descriptor_(descriptor), owned_(owned), name_(std::move(name)), raw_(first_block_bytes) {}

file_source::file_source(file_source&& other) noexcept
    : descriptor_(std::exchange(other.descriptor_, -1)), owned_(std::exchange(other.owned_, false)),
      name_(std::move(other.name_)), raw_(std::move(other.raw_)), decoded_(std::move(other.decoded_)),
      decoder_(std::move(other.decoder_)), first_(other.first_), peeked_(std::move(other.peeked_)),
      returned_(std::move(other.returned_)), regular_(other.regular_), recognised_(other.recognised_),
      ended_(other.ended_), raw_bytes_(other.raw_bytes_), watcher_(std::move(other.watcher_)) {}

file_source::~file_source() {
    if (owned_)
        ::close(descriptor_);
}

expected<file_source, input_error> file_source::open(const std::string& path) {
    if (path == "-") {
        file_source input(STDIN_FILENO, false, "stdin");
        struct stat status {};
        input.regular_ = ::fstat(STDIN_FILENO, &status) == 0 && S_ISREG(status.st_mode);
        return input;
    }
    const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (descriptor < 0)
        return unexpected{input_error{path, 0, {}, system_message()}};
    file_source source(descriptor, true, path);
    struct stat status {};
    if (::fstat(descriptor, &status) != 0)
        return unexpected{source.failure(system_message())};
    if (S_ISDIR(status.st_mode))
        return unexpected{source.failure("is a directory")};
    source.regular_ = S_ISREG(status.st_mode);
    return source;
}

file_source file_source::of_descriptor(int descriptor, std::string name) {
    file_source source(descriptor, true, std::move(name));
    struct stat status {};
    source.regular_ = ::fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode);
    return source;
}

std::string file_source::last_bytes(std::size_t max_size) const {
    struct stat status {};
    if (!regular_ || ::fstat(descriptor_, &status) != 0)
        return {};
    const auto size = static_cast<std::size_t>(status.st_size);
    std::string bytes(std::min(size, max_size), '\0');
    const ssize_t size_read =
        ::pread(descriptor_, bytes.data(), bytes.size(), static_cast<off_t>(size - bytes.size()));
    bytes.resize(static_cast<std::size_t>(std::max<ssize_t>(size_read, 0)));
    return bytes;
}

// Reads after the first `kept` bytes of raw_. Returns these and the new bytes.
expected<std::string_view, input_error> file_source::read_raw(std::size_t offset) {
    if (raw_bytes_ != 0 && offset == 0)
        raw_.resize(block_bytes);
    for (;;) {
        const ssize_t size_read = ::read(descriptor_, raw_.data() + offset, raw_.size() - offset);
        if (size_read < 0 && errno == EINTR)
            continue;
        if (size_read < 0)
            return unexpected{failure(system_message())};
        ended_ = size_read == 0;
        raw_bytes_ += static_cast<std::uint64_t>(size_read);
        if (watcher_)
            watcher_(raw_bytes_, ended_);
        return std::string_view(raw_.data(), offset + static_cast<std::size_t>(size_read));
    }
}

// Reads only the bytes that are needed, so that input from a terminal is answered line by line.
std::optional<input_error> file_source::recognise() {
    recognised_ = true;
    for (bool undecided = true; undecided && !ended_;) {
        auto bytes = read_raw(first_.size());
        if (!bytes)
            return bytes.error();
        first_ = *bytes;
        const codec* const format = codec_of(first_, undecided);
        if (format == nullptr)
            continue;
        auto result = decoder::make(*format);
        if (!result)
            return failure(result.error());
        decoder_ = std::move(*result);
        decoded_.resize(block_bytes);
        break;
    }
    return std::nullopt;
}

expected<std::string_view, input_error> file_source::read_decoded() {
    for (;;) {
        if (decoder_->needs_input()) {
            if (!ended_ && first_.empty()) {
                auto bytes = read_raw(0);
                if (!bytes)
                    return bytes;
                first_ = *bytes;
            }
            if (first_.empty())
                break;
            decoder_->give(std::exchange(first_, {}));
        }
        auto filled = decoder_->take(decoded_);
        if (!filled)
            return unexpected{failure(filled.error())};
        if (*filled != 0)
            return std::string_view(decoded_.data(), *filled);
    }
    std::string fault = decoder_->end_fault();
    if (!fault.empty())
        return unexpected{failure(std::move(fault))};
    return std::string_view{};
}

expected<std::string_view, input_error> file_source::peek(std::size_t min_size) {
    while (peeked_.size() < min_size) {
        const auto bytes = read_next();
        if (!bytes)
            return bytes;
        if (bytes->empty())
            break;
        peeked_ += *bytes;
    }
    return std::string_view(peeked_);
}

expected<std::string_view, input_error> file_source::read() {
    if (peeked_.empty())
        return read_next();
    returned_ = std::exchange(peeked_, {});
    return std::string_view(returned_);
}

expected<std::string_view, input_error> file_source::read_next() {
    if (!recognised_) {
        if (auto error = recognise())
            return unexpected{std::move(*error)};
    }
    if (decoder_)
        return read_decoded();
    if (!first_.empty())
        return std::exchange(first_, {});
    if (ended_)
        return std::string_view{};
    return read_raw(0);
}

} // namespace fingerpost::io
