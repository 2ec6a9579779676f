// Writes metrics as the text that Prometheus reads (exposition format 0.0.4). The caller serves the text.
//
//      metrics_writer out;
//      out.begin("fingerpost_dropped_packets_total", metric_kind::counter, "Packets dropped, by reason.");
//      out.sample({{"reason", "ttl"}}, 12);
//      serve(std::move(out).text());
//
// The format: https://prometheus.io/docs/instrumenting/exposition_formats/
#pragma once

#include <cstdint>
#include <initializer_list>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace fingerpost::system {

inline constexpr const char* metrics_content_type = "text/plain; version=0.0.4; charset=utf-8";

enum class metric_kind : std::uint8_t { counter, gauge, histogram };

// Names come from the program; values may be any text.
using label = std::pair<std::string_view, std::string_view>;
using labels = std::initializer_list<label>;

class metrics_writer {
  public:
    // Begins a metric; its samples follow. The format requires all samples of a name together, so each name
    // may be used only once. Invalid and repeated names are errors of the program, which are asserted.
    void begin(std::string_view name, metric_kind kind, std::string_view help);

    // Writes a sample of a counter or gauge.
    void sample(labels of, std::uint64_t value);
    void sample(labels of, double value);

    // Writes a histogram. `bounds` are ascending. `counts` has one number for each bound, of the observations
    // above the previous bound and up to this one, and one more for those above all bounds.
    void histogram(labels of, std::span<const double> bounds, std::span<const std::uint64_t> counts,
                   double sum);

    std::string text() && { return std::move(text_); }

  private:
    void line(std::string_view suffix, labels of, const label* last, std::string_view value);

    std::string text_;
    std::string name_;
    metric_kind kind_ = metric_kind::gauge;
    std::set<std::string, std::less<>> names_;
};

} // namespace fingerpost::system
