// Reads parameters, calls the control thread, and renders traced and dropped packets.
#include "router/watch_telemetry.hpp"

#include <atomic>
#include <cerrno>
#include <charconv>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "fingerpost/net/text.hpp"
#include "router/telemetry_data.hpp"

namespace fingerpost::router {
namespace {

std::atomic<service*> watched{nullptr};

// The packet of the last trace_next, for trace_steps. DPDK serves each connection in its own thread.
struct last_packet {
    std::mutex lock;
    std::uint64_t session = 0;
    std::vector<lookup_step> steps;
};
last_packet last;

// Space for steps in an answer, in bytes, in addition to the rest of the packet; and the maximum number of
// values of one step.
constexpr std::size_t step_room = 8000;
constexpr std::size_t most_values = 250;

// Splits at commas into at most `most` fields; the last field contains the rest.
std::vector<std::string_view> fields_of(const char* parameters, std::size_t most) {
    std::string_view rest = parameters == nullptr ? "" : parameters;
    std::vector<std::string_view> fields;
    while (fields.size() + 1 < most) {
        const std::size_t comma = rest.find(',');
        if (comma == std::string_view::npos)
            break;
        fields.push_back(rest.substr(0, comma));
        rest.remove_prefix(comma + 1);
    }
    fields.push_back(rest);
    return fields;
}

// Returns 0 if the text is not a number. No parameter may be 0.
std::uint64_t number_of(std::string_view text) {
    std::uint64_t number = 0;
    const auto [stop, fault] = std::from_chars(text.data(), text.data() + text.size(), number);
    return fault == std::errc{} && stop == text.data() + text.size() ? number : 0;
}

// Calls ask(sessions) in the control thread. Returns false if it does not answer.
template <class F>
bool call(F ask) {
    service* const of = watched.load();
    return of != nullptr && of->call([&] { ask(of->watching()); });
}

int answer_session(const expected<std::uint64_t, std::string>& started, rte_tel_data* to) {
    rte_tel_data_start_dict(to);
    if (started)
        add(to, "session", *started);
    else
        add(to, "error", started.error());
    return 0;
}

int answer_error(std::string_view words, rte_tel_data* to) {
    rte_tel_data_start_dict(to);
    add(to, "error", words);
    return 0;
}

// The error is a sentence about the parameter.
expected<trace_filter, std::string> filter_of(std::string_view prefix, std::string_view port,
                                              const watch_sessions& sessions) {
    trace_filter filter;
    if (port != "-") {
        filter.port = sessions.find_port(port);
        if (!filter.port) {
            std::string names;
            for (const std::string& name : sessions.ports())
                names += (names.empty() ? "" : ", ") + name;
            return unexpected{fmt::format("there is no port '{}'; ports: {}", port, names)};
        }
    }
    if (prefix == "-")
        return filter;
    const auto destinations = parse_prefix(prefix);
    if (!destinations)
        return unexpected{message(destinations.error())};
    filter.to = *destinations;
    return filter;
}

int answer_trace_start(const char*, const char* parameters, rte_tel_data* to) {
    const auto fields = fields_of(parameters, 5);
    if (fields.size() != 5)
        return answer_error("the parameters are COUNT,EVERY,MILLISECONDS,PREFIX,PORT", to);
    const std::uint64_t count = number_of(fields[0]), every = number_of(fields[1]),
                        most = number_of(fields[2]);
    if (count == 0 || every == 0 || most == 0 || most > 86'400'000)
        return answer_error("COUNT, EVERY and MILLISECONDS must be at least 1, MILLISECONDS at most a day",
                            to);
    expected<std::uint64_t, std::string> started = 0;
    const bool answered = call([&](watch_sessions& sessions) {
        auto filter = filter_of(fields[3], fields[4], sessions);
        if (!filter) {
            started = unexpected{filter.error()};
            return;
        }
        filter->count = count;
        filter->every = every;
        started = sessions.start_trace(*filter, std::chrono::milliseconds(most));
    });
    return answered ? answer_session(started, to) : -EAGAIN;
}

int answer_drops_start(const char*, const char* parameters, rte_tel_data* to) {
    const auto fields = fields_of(parameters, 2);
    if (fields.size() != 2)
        return answer_error("the parameters are COUNT,MILLISECONDS", to);
    const std::uint64_t count = number_of(fields[0]), most = number_of(fields[1]);
    if (count == 0 || most == 0 || most > 86'400'000)
        return answer_error("COUNT and MILLISECONDS must be at least 1, MILLISECONDS at most a day", to);
    expected<std::uint64_t, std::string> started = 0;
    const bool answered = call([&](watch_sessions& sessions) {
        started = sessions.start_capture(count, std::chrono::milliseconds(most));
    });
    return answered ? answer_session(started, to) : -EAGAIN;
}

void add_facts(rte_tel_data* to, const packet_facts& facts) {
    for (const auto& [name, value] : facts)
        std::visit([&, name = name](const auto& item) { add(to, name, item); }, value);
}

std::string_view name_of(compared with) {
    return with == compared::keys ? "keys" : with == compared::bitmap ? "bitmap" : "nothing";
}
std::string_view name_of(outcome result) {
    return result == outcome::goes_on ? "goes on" : result == outcome::missed ? "missed" : "answered";
}

void add_step(rte_tel_data* to, std::size_t number, const lookup_step& step) {
    add_group(to, fmt::format("step{}", number), [&](rte_tel_data* in) {
        add(in, "part", step.part);
        add(in, "at", step.at);
        add(in, "offset", step.offset);
        add(in, "bytes", std::uint64_t{step.bytes});
        add(in, "first_bit", std::uint64_t{step.first_bit});
        add(in, "bits", std::uint64_t{step.bits});
        add(in, "compared", name_of(step.with));
        add(in, "key", step.key);
        add(in, "result", name_of(step.result));
        if (step.has_best)
            add(in, "best", step.best);
        if (step.counted.words != 0) {
            add(in, "counted_first_word", std::uint64_t{step.counted.first_word});
            add(in, "counted_words", std::uint64_t{step.counted.words});
            add(in, "counted_base", step.counted.base);
            add(in, "counted_rank", step.counted.rank);
            add(in, "counted_unit", std::uint64_t{step.counted.unit});
        }
        if (step.matched) {
            add(in, "matched_bit", std::uint64_t{step.matched->bit});
            add(in, "matched_length", std::uint64_t{step.matched->length});
            add(in, "matched_part", step.matched_part);
            add(in, "matched_entry", step.matched->entry);
        }
        add(in, "value_count", std::uint64_t{step.values.size()});
        add_list(in, "values", RTE_TEL_U64_VAL, [&](rte_tel_data* list) {
            for (std::size_t i = 0; i < std::min(step.values.size(), most_values); ++i)
                rte_tel_data_add_array_u64(list, step.values[i]);
        });
    });
}

// Adds as many steps as fit.
void add_steps(rte_tel_data* to, const std::vector<lookup_step>& steps, std::size_t first) {
    constexpr std::size_t most_of_step = 800, most_of_value = 22;
    add(to, "steps", std::uint64_t{steps.size()});
    std::size_t room = step_room;
    for (std::size_t i = first; i < steps.size(); ++i) {
        const std::size_t bytes =
            most_of_step + most_of_value * std::min(steps[i].values.size(), most_values);
        if (bytes > room && i != first)
            return;
        add_step(to, i, steps[i]);
        room -= std::min(room, bytes);
    }
}

int answer_trace_next(const char*, const char* parameters, rte_tel_data* to) {
    const std::uint64_t session = number_of(fields_of(parameters, 1)[0]);
    std::optional<watch_reading<packet_report>> read;
    if (!call([&](watch_sessions& sessions) { read = sessions.read_trace(session); }))
        return -EAGAIN;
    if (!read)
        return answer_error("there is no such trace, or it was given up because it was not read", to);
    rte_tel_data_start_dict(to);
    add(to, "ended", std::uint64_t{read->has_ended});
    add(to, "missed", read->missed);
    if (!read->packet)
        return 0;
    add_group(to, "packet", [&](rte_tel_data* in) { add_facts(in, read->packet->facts); });
    add(to, "events", std::uint64_t{read->packet->events.size()});
    for (std::size_t i = 0; i < read->packet->events.size(); ++i)
        add_group(to, fmt::format("event{}", i), [&, &event = read->packet->events[i]](rte_tel_data* in) {
            add(in, "what", event.what);
            add(in, "thread", event.thread);
            add(in, "after_ns", event.after);
            add_facts(in, event.facts);
        });
    add_steps(to, read->packet->steps, 0);
    const std::lock_guard guard(last.lock);
    last.session = session;
    last.steps = std::move(read->packet->steps);
    return 0;
}

int answer_trace_steps(const char*, const char* parameters, rte_tel_data* to) {
    const auto fields = fields_of(parameters, 2);
    const std::uint64_t first = fields.size() == 2 ? number_of(fields[1]) : 0;
    const std::lock_guard guard(last.lock);
    if (first == 0 || last.session != number_of(fields[0]))
        return answer_error("the parameters are SESSION,FIRST, and SESSION must be the session read last",
                            to);
    rte_tel_data_start_dict(to);
    add_steps(to, last.steps, first);
    return 0;
}

int answer_drops_next(const char*, const char* parameters, rte_tel_data* to) {
    const std::uint64_t session = number_of(fields_of(parameters, 1)[0]);
    std::optional<watch_reading<dropped_packet>> read;
    std::uint64_t time = 0;
    std::string port;
    const bool answered = call([&](watch_sessions& sessions) {
        read = sessions.read_capture(session);
        if (!read || !read->packet)
            return;
        time = sessions.clock_of_packets().time(read->packet->cycles);
        if (read->packet->port < sessions.ports().size())
            port = sessions.ports()[read->packet->port];
    });
    if (!answered)
        return -EAGAIN;
    if (!read)
        return answer_error("there is no such capture, or it was given up because it was not read", to);
    rte_tel_data_start_dict(to);
    add(to, "ended", std::uint64_t{read->has_ended});
    add(to, "missed", read->missed);
    if (!read->packet)
        return 0;
    const dropped_packet& packet = *read->packet;
    add(to, "time_ns", time);
    add(to, "reason", facts_of(packet.why).name);
    add(to, "sentence", facts_of(packet.why).sentence);
    add(to, "port", port);
    add(to, "outbound", std::uint64_t{packet.is_outbound});
    add(to, "length", std::uint64_t{packet.length});
    add_list(to, "bytes", RTE_TEL_STRING_VAL, [&](rte_tel_data* list) {
        constexpr std::size_t bytes_a_text = 60;
        for (std::size_t at = 0; at < packet.bytes_copied; at += bytes_a_text) {
            std::string text;
            for (std::size_t i = at; i < std::min<std::size_t>(packet.bytes_copied, at + bytes_a_text); ++i)
                text += fmt::format("{:02x}", packet.bytes[i]);
            rte_tel_data_add_array_string(list, text.c_str());
        }
    });
    return 0;
}

int answer_stop(const char*, const char* parameters, rte_tel_data* to) {
    const std::uint64_t session = number_of(fields_of(parameters, 1)[0]);
    if (!call([&](watch_sessions& sessions) { sessions.stop(session); }))
        return -EAGAIN;
    rte_tel_data_start_dict(to);
    add(to, "session", session);
    return 0;
}

void register_watch_commands() {
    static const bool done = [] {
        rte_telemetry_register_cmd(
            "/fingerpost/trace_start", answer_trace_start,
            "Traces packets. Parameters: count, one in how many, time limit in milliseconds, prefix, port");
        rte_telemetry_register_cmd("/fingerpost/trace_next", answer_trace_next,
                                   "The next packet of a trace. Parameter: the session");
        rte_telemetry_register_cmd("/fingerpost/trace_steps", answer_trace_steps,
                                   "More steps of the packet. Parameters: the session, the first step");
        rte_telemetry_register_cmd("/fingerpost/drops_start", answer_drops_start,
                                   "Copies dropped packets. Parameters: count, time limit in milliseconds");
        rte_telemetry_register_cmd("/fingerpost/drops_next", answer_drops_next,
                                   "The next dropped packet. Parameter: the session");
        rte_telemetry_register_cmd("/fingerpost/watch_stop", answer_stop,
                                   "Ends a trace or a capture. Parameter: the session");
        return true;
    }();
    (void)done;
}

} // namespace

void serve_watch_commands(service* of) {
    watched.store(of);
    register_watch_commands();
}

} // namespace fingerpost::router
