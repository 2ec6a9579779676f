// Handles the events and deadlines of connections.
#include "system/http/http_clients.hpp"

#include <chrono>
#include <exception>
#include <stdexcept>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace fingerpost::system {
namespace {

// Deadlines may be noticed this late. One timer for all connections costs less than one per request.
constexpr auto deadline_step = std::chrono::milliseconds(50);

} // namespace

http_clients::http_clients(event_loop& loop, const http_rules& rules, http_handler& handler,
                           const std::function<void(const std::string&)>& report)
    : loop_(loop), rules_(rules), handler_(handler), report_(report) {}

http_clients::~http_clients() {
    while (!clients_.empty())
        remove(clients_.begin()->first);
}

void http_clients::watch(const http_connection& connection) {
    const int number = connection.descriptor();
    const auto call = [this, number](std::uint32_t) { with(number, &http_connection::step); };
    if (const auto fault = loop_.watch(number, connection.events(), call))
        throw std::runtime_error(fault->reason);
}

void http_clients::add(unique_fd socket) {
    const int number = socket.get();
    clients_.emplace(number, std::make_unique<http_connection>(std::move(socket), rules_, handler_));
    if (clients_.size() == 1)
        timer_ = loop_.every(deadline_step, [this] { expire_all(); });
    try {
        watch(*clients_.at(number));
    } catch (const std::exception& error) {
        report_(fmt::format("connection dropped: {}", error.what()));
        remove(number);
        return;
    }
    // Most clients have already sent their request.
    with(number, is_ending_ ? &http_connection::end : &http_connection::step);
}

void http_clients::with(int number, bool (http_connection::*call)()) {
    http_connection& connection = *clients_.at(number);
    const std::uint32_t before = connection.events();
    bool goes_on = false;
    try {
        goes_on = (connection.*call)();
        if (goes_on && connection.events() != before)
            watch(connection);
    } catch (const std::exception& error) {
        report_(fmt::format("connection dropped: {}", error.what()));
        goes_on = false;
    }
    if (!goes_on)
        remove(number);
}

void http_clients::remove(int number) {
    loop_.unwatch(number);
    clients_.erase(number);
    handler_.closed();
    if (!clients_.empty())
        return;
    loop_.cancel(timer_);
    if (is_ending_)
        loop_.stop();
}

void http_clients::expire_all() {
    const auto now = http_connection::clock::now();
    std::vector<int> late;
    for (const auto& [number, connection] : clients_)
        if (connection->deadline() <= now)
            late.push_back(number);
    for (const int number : late)
        with(number, &http_connection::expire);
}

bool http_clients::evict() {
    const http_connection* oldest = nullptr;
    for (const auto& [number, connection] : clients_)
        if (connection->is_waiting() &&
            (oldest == nullptr || connection->waits_since() < oldest->waits_since()))
            oldest = connection.get();
    if (oldest == nullptr)
        return false;
    remove(oldest->descriptor());
    return true;
}

void http_clients::end() {
    is_ending_ = true;
    std::vector<int> numbers;
    for (const auto& [number, connection] : clients_)
        numbers.push_back(number);
    for (const int number : numbers)
        with(number, &http_connection::end);
    if (clients_.empty())
        loop_.stop();
}

} // namespace fingerpost::system
