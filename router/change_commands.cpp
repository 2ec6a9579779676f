// Renders the outcome of a change as DPDK telemetry data.
#include "router/change_commands.hpp"

#include <algorithm>
#include <cerrno>
#include <exception>
#include <mutex>
#include <shared_mutex>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <rte_telemetry.h>

#include "system/log.hpp"

namespace fingerpost::router {
namespace {

// DPDK passes no user data to callbacks and cannot unregister commands, so the object is global. A command
// holds the lock while its change runs, so that the router does not end before it.
std::shared_mutex in_use;
live_changes* changed_by = nullptr;

// DPDK cuts longer strings, and drops everything beyond 16 KiB of an answer.
constexpr std::size_t longest_piece = RTE_TEL_MAX_STRING_LEN - 1;
constexpr std::size_t most_bytes = 12'000;

// The longest prefix of a text that fits into one string and does not cut a UTF-8 character.
std::string_view first_piece(std::string_view text) {
    std::size_t length = std::min(text.size(), longest_piece);
    while (length > 0 && length < text.size() && (static_cast<unsigned char>(text[length]) & 0xc0U) == 0x80)
        --length;
    return text.substr(0, length == 0 ? std::min(text.size(), longest_piece) : length);
}

// Line 3 has the name `3`. If it does not fit into one string, `3_1`, `3_2` ... follow.
void add_lines(rte_tel_data* to, const char* name, const std::vector<std::string>& lines, std::size_t& room) {
    rte_tel_data* const inner = rte_tel_data_alloc();
    if (inner == nullptr)
        return;
    rte_tel_data_start_dict(inner);
    for (std::size_t i = 0; i < lines.size(); ++i) {
        std::string_view rest = lines[i];
        if (rest.size() > room) {
            const std::string left = fmt::format("and {} more", lines.size() - i);
            rte_tel_data_add_dict_string(inner, fmt::format("{}", i).c_str(), left.c_str());
            break;
        }
        room -= rest.size();
        for (std::size_t part = 0; part == 0 || !rest.empty(); ++part) {
            const std::string piece(first_piece(rest));
            const std::string number = part == 0 ? fmt::format("{}", i) : fmt::format("{}_{}", i, part);
            rte_tel_data_add_dict_string(inner, number.c_str(), piece.c_str());
            rest.remove_prefix(piece.size());
        }
    }
    if (rte_tel_data_add_dict_container(to, name, inner, 0) != 0)
        rte_tel_data_free(inner);
}

template <class Change>
int answer(rte_tel_data* to, Change change) {
    const std::shared_lock guard(in_use);
    if (changed_by == nullptr)
        return -EAGAIN;
    change_outcome done;
    try {
        done = change(*changed_by);
    } catch (const std::exception& error) {
        system::log(system::log_level::error, "a change of the configuration failed: {}", error.what());
        return -ENOMEM;
    }
    std::size_t room = most_bytes;
    rte_tel_data_start_dict(to);
    add_lines(to, "errors", done.errors, room);
    add_lines(to, "changed", done.changed, room);
    add_lines(to, "needs_restart", done.needs_restart, room);
    add_lines(to, "warnings", done.warnings, room);
    return 0;
}

int answer_set(const char*, const char* parameters, rte_tel_data* to) {
    std::vector<std::string> assignments;
    std::istringstream lines(parameters == nullptr ? "" : parameters);
    for (std::string line; std::getline(lines, line);)
        if (!line.empty())
            assignments.push_back(line);
    return answer(to, [&](live_changes& by) {
        change_outcome done = by.set(assignments);
        if (done.errors.empty())
            for (const std::string& change : done.changed)
                system::log(system::log_level::info, "changed: {}", change);
        return done;
    });
}

int answer_reload(const char*, const char*, rte_tel_data* to) {
    return answer(to, [](live_changes& by) { return by.reload(); });
}

void register_once() {
    static const bool done = [] {
        rte_telemetry_register_cmd("/fingerpost/set", answer_set,
                                   "Changes settings. Parameter: KEY=VALUE, one per line");
        rte_telemetry_register_cmd("/fingerpost/reload", answer_reload, "Reads the configuration again");
        return true;
    }();
    (void)done;
}

} // namespace

change_commands::change_commands(live_changes& of) {
    {
        const std::lock_guard guard(in_use);
        changed_by = &of;
    }
    register_once();
}

change_commands::~change_commands() {
    const std::lock_guard guard(in_use);
    changed_by = nullptr;
}

} // namespace fingerpost::router
