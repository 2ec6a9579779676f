// Starts, reads and ends sessions.
#include "router/trace/watch_sessions.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

#include <fmt/format.h>

namespace fingerpost::router {
namespace {

// Maximum number of descriptions waiting for the reader. Further packets stay in the trace's records; when
// these are full, packets are missed.
constexpr std::size_t most_reports = 256;

// The reason why no other session of this kind can start.
template <class Data>
std::string why_busy(std::string_view kind, const watch_session<Data>& by,
                     std::chrono::steady_clock::time_point now) {
    if (const auto unread = by.unread(now))
        return fmt::format("another {} is not being read (for {} s); it will be given up in {} s", kind,
                           unread->count(), by.left(now).count());
    return fmt::format("another {} is running, for at most {} s", kind, by.left(now).count());
}

} // namespace

watch_sessions::watch_sessions(engine& of, std::vector<std::string> ports)
    : engine_(&of), ports_(std::move(ports)), trace_(of.watch().trace, of.tables().old()),
      capture_(of.watch().capture, of.tables().old()) {}

expected<std::uint64_t, std::string> watch_sessions::start_trace(const trace_filter& filter,
                                                                 std::chrono::milliseconds most) {
    const auto now = clock::now();
    if (!trace_.is_free(now))
        return unexpected{why_busy("trace", trace_, now)};
    if (!mark_)
        mark_ = trace_mark::reserve();
    if (!mark_)
        return unexpected{std::string("DPDK has no free mbuf field for the trace mark")};
    if (!reporter_) {
        auto created = packet_reporter::create(*engine_, ports_);
        if (!created)
            return unexpected{std::string(message(created.error()))};
        reporter_.emplace(std::move(*created));
    }
    trace_number_ = ++last_session_;
    finished_ = 0;
    reports_.clear();
    trace_.start(std::make_shared<packet_trace>(filter, *mark_, static_cast<std::uint16_t>(trace_number_)),
                 most, now);
    return trace_number_;
}

expected<std::uint64_t, std::string> watch_sessions::start_capture(std::uint64_t count,
                                                                   std::chrono::milliseconds most) {
    const auto now = clock::now();
    if (!capture_.is_free(now))
        return unexpected{why_busy("capture", capture_, now)};
    capture_number_ = ++last_session_;
    capture_.start(std::make_shared<drop_capture>(count), most, now);
    return capture_number_;
}

std::optional<std::uint16_t> watch_sessions::find_port(std::string_view name) const {
    const auto match = std::find(ports_.begin(), ports_.end(), name);
    if (match == ports_.end())
        return std::nullopt;
    return static_cast<std::uint16_t>(match - ports_.begin());
}

std::optional<watch_reading<packet_report>> watch_sessions::read_trace(std::uint64_t session) {
    if (trace_.data() == nullptr || session != trace_number_)
        return std::nullopt;
    trace_.note_reader(clock::now());
    poll();
    watch_reading<packet_report> reading;
    reading.missed = trace_.data()->missed();
    if (!reports_.empty()) {
        reading.packet = std::move(reports_.front());
        reports_.pop_front();
    } else if (trace_.is_retired()) {
        reading.has_ended = true;
        trace_.forget();
    }
    return reading;
}

std::optional<watch_reading<dropped_packet>> watch_sessions::read_capture(std::uint64_t session) {
    if (capture_.data() == nullptr || session != capture_number_)
        return std::nullopt;
    capture_.note_reader(clock::now());
    poll();
    watch_reading<dropped_packet> reading;
    reading.missed = capture_.data()->missed();
    capture_.data()->take([&](const dropped_packet& packet) {
        reading.packet = packet;
        return false;
    });
    if (!reading.packet && capture_.is_retired()) {
        reading.has_ended = true;
        capture_.forget();
    }
    return reading;
}

void watch_sessions::stop(std::uint64_t session) {
    if (session == trace_number_)
        trace_.stop();
    else if (session == capture_number_)
        capture_.stop();
}

void watch_sessions::poll() {
    if (packet_trace* const records = trace_.data()) {
        collect(trace_.is_retired());
        trace_.poll(clock::now(), finished_ >= records->filter().count);
    }
    if (const drop_capture* const copies = capture_.data())
        capture_.poll(clock::now(), copies->begun() >= copies->count());
}

void watch_sessions::collect(bool unfinished) {
    const auto add = [this](const trace_record& record) {
        reports_.push_back(reporter_->describe(record));
        ++finished_;
        return reports_.size() < most_reports;
    };
    if (reports_.size() < most_reports)
        trace_.data()->take(add);
    if (unfinished && reports_.size() < most_reports)
        trace_.data()->take_unfinished(add);
}

} // namespace fingerpost::router
