// Opens files one after the other and cuts them into blocks.
#include "cli/enrich/input.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

#include "cli/enrich/rows/csv_rows.hpp"
#include "io/format/parts/printable.hpp"
#include "io/format/parts/words.hpp"
#include "terminal/failure.hpp"

namespace fingerpost::cli::enrich {
namespace {

// Enough to tell what a file is, even when nothing of it ends a line.
constexpr std::size_t most_of_beginning = std::size_t{64} << 10;
constexpr std::string_view utf8_mark = "\xef\xbb\xbf";

std::string_view without_line_end(std::string_view row) {
    if (row.ends_with('\n'))
        row.remove_suffix(1);
    return io::without_return(row);
}

} // namespace

row_input::row_input(std::vector<std::string> paths, std::size_t most_bytes)
    : paths_(std::move(paths)), most_bytes_(most_bytes) {}

bool row_input::fail(std::string words) {
    error_ = std::move(words);
    return false;
}

// Reads a line at least: by then it is known what the file is, and a byte order mark is gone.
bool row_input::open(const std::string& path) {
    auto opened = io::file_source::open(path);
    if (!opened)
        return fail(io::message(opened.error()));
    source_.emplace(std::move(*opened));
    beginning_.clear();
    while (beginning_.size() < most_of_beginning && beginning_.find('\n') == std::string::npos) {
        const auto bytes = source_->read();
        if (!bytes)
            return fail(io::message(bytes.error()));
        if (bytes->empty())
            break;
        beginning_ += *bytes;
    }
    if (beginning_.starts_with("\xff\xfe") || beginning_.starts_with("\xfe\xff"))
        return fail(io::printable(source_->name()) + ": is UTF-16; make it UTF-8 (iconv -f UTF-16 -t UTF-8)");
    const std::size_t carriage_return = beginning_.find('\r');
    if (carriage_return < beginning_.size() - 1 && beginning_.find('\n') == std::string::npos)
        return fail(io::printable(source_->name()) +
                    ": its lines end in a carriage return alone; make it a line feed (tr '\\r' '\\n')");
    if (beginning_.starts_with(utf8_mark)) {
        beginning_.erase(0, utf8_mark.size());
        has_mark_ = has_mark_ || opened_ == 0;
    }
    ++opened_;
    return true;
}

std::string_view row_input::open_first() {
    if (!open(paths_.front()))
        throw failure(*error_);
    return beginning_;
}

void row_input::begin(const csv_dialect* dialect, bool has_header) {
    if (dialect != nullptr)
        dialect_ = *dialect;
    has_header_ = header_due_ = has_header;
    const auto keep = [this](row_block&& block) {
        early_.push_back(std::move(block));
        return true;
    };
    while (dialect_ && width_ == 0 && next(keep)) {
    }
    if (error_)
        throw failure(*error_);
    has_begun_ = true;
}

// True when there is more to come.
bool row_input::next(const row_cutter::receiver& to) {
    if (has_begun_ && !early_.empty()) {
        row_block block = std::move(early_.front());
        early_.pop_front();
        return to(std::move(block));
    }
    if (!source_) {
        if (opened_ == paths_.size() || !open(paths_[opened_]))
            return false;
        header_due_ = has_header_;
    }
    if (!cutter_)
        cutter_.emplace(source_->name(), dialect_ ? &*dialect_ : nullptr);
    if (!beginning_.empty())
        return feed(std::exchange(beginning_, {}), to);
    const auto bytes = source_->read();
    if (!bytes)
        return fail(io::message(bytes.error()));
    return bytes->empty() ? finish_file(to) : feed(*bytes, to);
}

bool row_input::feed(std::string_view bytes, const row_cutter::receiver& to) {
    for (; !bytes.empty(); bytes.remove_prefix(std::min(bytes.size(), most_bytes_)))
        if (!cutter_->feed(bytes.substr(0, most_bytes_),
                           [&](row_block&& block) { return take(std::move(block), to); }))
            return false;
    return true;
}

bool row_input::finish_file(const row_cutter::receiver& to) {
    const bool more = cutter_->finish([&](row_block&& block) { return take(std::move(block), to); });
    cutter_.reset();
    source_.reset();
    return more;
}

bool row_input::take(row_block&& block, const row_cutter::receiver& to) {
    if (header_due_ && !block.bytes.empty() && !take_header(block))
        return false;
    if (dialect_ && width_ == 0)
        measure(block);
    return block.bytes.empty() || to(std::move(block));
}

// Takes the width from the first row that is none of the empty ones.
void row_input::measure(const row_block& block) {
    const char* at = block.bytes.data();
    const char* const end = at + block.bytes.size();
    while (width_ == 0 && at != end && !block.is_too_long) {
        const bool by_line = !block.by_line.empty() && block.by_line.front().begin == 0;
        const csv_row row = read_csv_row(at, by_line ? std::find(at, end, '\n') : end, *dialect_, {}, {});
        if (row.end != at && !(by_line && has_open_quote({at, row.end}, *dialect_)))
            width_ = row.columns;
        at = row.next;
        at += by_line && at != end ? 1 : 0;
    }
}

bool row_input::take_header(row_block& block) {
    const std::string_view bytes = block.bytes;
    if (block.is_too_long)
        return fail(
            fmt::format("{}:1: the header has more than {} bytes", io::printable(block.file), max_row_bytes));
    if (!block.by_line.empty() && block.by_line.front().begin == 0)
        return fail(fmt::format("{}:1: a quote in the header is not closed", io::printable(block.file)));
    header_due_ = false;
    const csv_row row = read_csv_row(bytes.data(), bytes.data() + bytes.size(), *dialect_, {}, {});
    const auto size = static_cast<std::size_t>(row.next - bytes.data());
    std::string found(bytes.substr(0, size));
    if (header_ && without_line_end(found) != without_line_end(*header_))
        return fail(fmt::format("{}:1: the header is not that of {}", io::printable(block.file),
                                io::printable(header_file_)));
    block.first_line += static_cast<std::uint64_t>(std::count(found.begin(), found.end(), '\n'));
    block.bytes.erase(0, size);
    for (line_region& region : block.by_line)
        region = {region.begin - size, region.end - size};
    if (!header_) {
        if (row.end == bytes.data())
            return fail(fmt::format("{}:1: the header is empty", io::printable(block.file)));
        width_ = row.columns;
        header_ = std::move(found);
        header_file_ = block.file;
    }
    return true;
}

} // namespace fingerpost::cli::enrich
