// Detects the format of a stream, and passes on its updates one by one.
#include "io/source/update_stream.hpp"

#include <cstdint>
#include <utility>
#include <vector>

#include "io/format/mrt/mrt_decoder.hpp"
#include "io/format/parts/lines.hpp"
#include "io/format/updates/update_line.hpp"
#include "io/source/file.hpp"

namespace fingerpost::io {
namespace {

class mrt_updates {
  public:
    mrt_updates(const update_options& options, update_receiver& receiver, update_result& result)
        : peer_(options.choice.peer), cells_of_(options.choice.values), receiver_(receiver), result_(result) {
        receiver.begin(columns_of(options.choice.values));
    }

    void feed(std::string_view bytes) { records_.feed(std::as_bytes(std::span(bytes)), *this); }
    void finish() {
        records_.finish(*this);
        result_.counted = decoder_.counted();
    }

    // Called by the record reader.
    void take(const mrt::record& whole) {
        const mrt::outcome read = decoder_.decode(whole);
        for (const mrt::entry& e : read.entries)
            take(e);
        if (!read.damage.empty())
            receiver_.skip({whole.offset, mrt::header_bytes + whole.body.size(), read.damage});
    }
    void skip(const mrt::damage& gap) {
        decoder_.count_gap(gap);
        receiver_.skip(gap);
    }

  private:
    void take(const mrt::entry& e) {
        if (e.is_multicast)
            ++result_.multicast;
        else if (e.kind == mrt::entry_kind::rib)
            ++result_.routes;
        else if (e.is_local)
            ++result_.sent;
        else if (!is_of(e, peer_))
            ++result_.other_peers;
        else
            pass_on(e);
    }
    void pass_on(const mrt::entry& e) {
        if (result_.peers < 2 && (result_.peers == 0 || e.peer != last_peer_)) {
            ++result_.peers;
            last_peer_ = e.peer;
        }
        ++result_.updates;
        update change{e.where,
                      e.kind == mrt::entry_kind::announce,
                      std::uint64_t{e.seconds} * 1'000'000 + e.microseconds.value_or(0),
                      {}};
        if (change.announced)
            change.cells = cells_of_.of(e);
        receiver_.take(change);
    }

    const peer_choice& peer_;
    entry_cells cells_of_;
    update_receiver& receiver_;
    update_result& result_;
    mrt::record_reader records_;
    mrt::decoder decoder_;
    any_address last_peer_{};
};

class text_updates {
  public:
    text_updates(std::string file, const update_options& options, update_receiver& receiver,
                 update_result& result)
        : file_(std::move(file)), policy_(options.policy), receiver_(receiver), result_(result) {}

    void feed(std::string_view bytes) {
        lines_.feed(
            bytes, [this](std::string_view line, std::uint64_t number) { return take(line, number); },
            [this](std::string_view, std::uint64_t number) {
                return refuse(number, {},
                              "the line has more than " + std::to_string(max_line_bytes) + " bytes");
            });
    }
    void finish() {
        lines_.finish([this](std::string_view line, std::uint64_t number) { return take(line, number); });
        result_.lines = lines_.number();
    }

  private:
    // These functions return whether to continue, which is always true.
    bool refuse(std::uint64_t number, std::string_view text, std::string reason) {
        receiver_.refuse({file_, number, std::string(text), std::move(reason)});
        return true;
    }
    bool take(std::string_view line, std::uint64_t number) {
        constexpr std::string_view byte_order_mark = "\xef\xbb\xbf";
        if (number == 1 && line.starts_with(byte_order_mark))
            line.remove_prefix(byte_order_mark.size());
        const auto cut = cutter_.cut(line);
        if (!cut)
            return refuse(number, line, cut.error());
        if (*cut == update_cutter::line_kind::empty)
            return true;
        // The columns are known at the header, or at the first update if there is none.
        if (!has_begun_) {
            const std::vector<std::string_view> names(cutter_.columns().begin(), cutter_.columns().end());
            receiver_.begin(names);
            has_begun_ = true;
        }
        if (*cut == update_cutter::line_kind::header)
            return true;
        return pass_on(cutter_.update(), number);
    }
    bool pass_on(const update_line& line, std::uint64_t number) {
        auto where = parse_prefix(line.where, host_bits::refuse);
        if (!where && where.error().reason == text_fault::host_bits && policy_ == host_bits::mask) {
            where = where.error().suggestion;
            ++result_.masked;
        }
        if (!where)
            return refuse(number, line.where, message(where.error()));
        update change{*where, line.announced, {}, line.cells};
        // A number too large for microseconds is not a time in seconds.
        if (line.seconds && *line.seconds <= UINT64_MAX / 1'000'000)
            change.microseconds = *line.seconds * 1'000'000;
        ++result_.updates;
        receiver_.take(change);
        return true;
    }

    std::string file_;
    host_bits policy_;
    update_receiver& receiver_;
    update_result& result_;
    line_cutter lines_;
    update_cutter cutter_;
    bool has_begun_ = false;
};

// Feeds the start of the stream and everything after it to the reader.
template <class R>
void read_rest(file_source& source, std::string_view start, R& reader, update_receiver& receiver,
               update_result& result) {
    reader.feed(start);
    for (;;) {
        if (!source.is_regular())
            receiver.pause();
        const auto bytes = source.read();
        if (!bytes)
            result.error = bytes.error();
        if (!bytes || bytes->empty())
            break;
        reader.feed(*bytes);
    }
    reader.finish();
}

// Reads enough bytes to detect the format, or all bytes if there are fewer.
std::string read_start(file_source& source, update_result& result) {
    std::string start;
    while (start.size() < mrt::header_bytes) {
        const auto bytes = source.read();
        if (!bytes)
            result.error = bytes.error();
        if (!bytes || bytes->empty())
            break;
        start += *bytes;
    }
    return start;
}

} // namespace

bool looks_like_mrt(std::string_view start) noexcept {
    return start.find('\0') < 4096;
}

update_result read_updates(const std::string& path, const update_options& options,
                           update_receiver& receiver) {
    update_result result;
    auto source = file_source::open(path);
    if (!source) {
        result.error = source.error();
        return result;
    }
    const std::string start = read_start(*source, result);
    if (result.error)
        return result;
    result.format = options.format.value_or(looks_like_mrt(start) ? update_format::mrt : update_format::text);
    if (result.format == update_format::mrt) {
        mrt_updates reader(options, receiver, result);
        read_rest(*source, start, reader, receiver, result);
    } else {
        text_updates reader(source->name(), options, receiver, result);
        read_rest(*source, start, reader, receiver, result);
    }
    return result;
}

} // namespace fingerpost::io
