// Opens files and examines their first bytes.
#include "cli/enrich/input/row_files.hpp"

#include <fmt/format.h>
#include <unistd.h>
#include <utility>

#include "cli/enrich/rows/comment_header.hpp"
#include "io/format/parts/printable.hpp"
#include "io/format/parts/words.hpp"
#include "io/format/table_format.hpp"
#include "terminal/console.hpp"
#include "terminal/failure.hpp"
#include "terminal/table/reading_progress.hpp"

namespace fingerpost::cli::enrich {
namespace {

// Enough to recognise a file, even without a line end.
constexpr std::size_t most_of_beginning = std::size_t{64} << 10;

// Whether the text has a complete line; with a header in comments, all its lines and the first row.
bool is_beginning(std::string_view text) {
    return begins_comment_header(text) ? has_row_after_comments(text)
                                       : text.find('\n') != std::string_view::npos;
}

// The name of a format that only the Python package reads, or an empty text.
std::string_view name_of_binary(std::string_view beginning) {
    if (beginning.starts_with("PAR1"))
        return "Parquet";
    return beginning.starts_with("ARROW1") || beginning.starts_with("\xff\xff\xff\xff") ? "Arrow" : "";
}

} // namespace

row_files::row_files(std::vector<std::string> paths) : paths_(std::move(paths)) {
    if (paths_.front() == "-" && is_terminal(STDIN_FILENO))
        report("reading rows from the terminal; end with Ctrl-D");
    for (const std::string& path : paths_) {
        const std::uint64_t bytes = file_bytes(path);
        progress_->total += bytes;
        if (bytes == 0) {
            progress_->total = 0;
            break;
        }
    }
    if (!open_next())
        throw failure(*error_);
}

bool row_files::fail(std::string words) {
    error_ = std::move(words);
    return false;
}

// Reads at least one line, which is enough to recognise the file and to remove a byte order mark. Of a header
// in comments, reads all lines and the first row.
bool row_files::open_next() {
    if (opened_ == paths_.size())
        return false;
    auto opened = io::file_source::open(paths_[opened_]);
    if (!opened)
        return fail(io::message(opened.error()));
    source_.emplace(std::move(*opened));
    source_->watch([to = progress_, before = progress_->done.load()](std::uint64_t bytes, bool) {
        to->done = before + bytes;
    });
    beginning_.clear();
    beginning_is_read_ = false;
    while (beginning_.size() < most_of_beginning && !is_beginning(io::without_byte_order_mark(beginning_))) {
        const auto bytes = source_->read();
        if (!bytes)
            return fail(io::message(bytes.error()));
        if (bytes->empty())
            break;
        beginning_ += *bytes;
    }
    if (const std::string_view archive = io::archive_name(beginning_); !archive.empty())
        return fail(fmt::format("{}: is a {} archive; unpack it", io::printable(source_->name()), archive));
    if (const std::string_view binary = name_of_binary(beginning_); !binary.empty())
        return fail(fmt::format("{}: is {}; use `python -m fingerpost enrich`",
                                io::printable(source_->name()), binary));
    if (beginning_.starts_with("\xff\xfe") || beginning_.starts_with("\xfe\xff"))
        return fail(io::printable(source_->name()) +
                    ": is UTF-16; convert it to UTF-8 (iconv -f UTF-16 -t UTF-8)");
    const std::size_t carriage_return = beginning_.find('\r');
    if (carriage_return < beginning_.size() - 1 && beginning_.find('\n') == std::string::npos)
        return fail(io::printable(source_->name()) +
                    ": its lines end with a lone carriage return; convert them (tr '\\r' '\\n')");
    if (beginning_.starts_with(io::byte_order_mark)) {
        beginning_.erase(0, io::byte_order_mark.size());
        has_mark_ = has_mark_ || opened_ == 0;
    }
    ++opened_;
    return true;
}

std::optional<comment_header> row_files::take_comment_header() {
    auto header = read_comment_header(beginning_);
    if (header)
        beginning_.erase(0, header->lines.size());
    return header;
}

std::optional<std::string_view> row_files::read() {
    if (!std::exchange(beginning_is_read_, true) && !beginning_.empty())
        return beginning_;
    const auto bytes = source_->read();
    if (bytes)
        return *bytes;
    fail(io::message(bytes.error()));
    return std::nullopt;
}

} // namespace fingerpost::cli::enrich
