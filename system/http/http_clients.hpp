// The HTTP connections of one thread, all in one loop.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <unordered_map>

#include "system/event_loop.hpp"
#include "system/http/http_connection.hpp"

namespace fingerpost::system {

class http_clients {
  public:
    // All arguments must outlive this object. `report` gets a sentence about each client that is dropped
    // because of an error.
    http_clients(event_loop& loop, const http_rules& rules, http_handler& handler,
                 const std::function<void(const std::string&)>& report);
    http_clients(const http_clients&) = delete;
    http_clients& operator=(const http_clients&) = delete;
    ~http_clients();

    void add(unique_fd socket);
    // Ends the connection that has waited longest for a request. Returns false if all have unread answers.
    bool evict();
    // Answers the requests that have arrived, and stops the loop when the last connection is over.
    void end();

  private:
    using clients = std::unordered_map<int, std::unique_ptr<http_connection>>; // by descriptor

    // Calls a function of one connection, and removes the connection if it is over.
    void with(int number, bool (http_connection::*call)());
    void watch(const http_connection& connection);
    void remove(int number);
    void expire_all();

    event_loop& loop_;
    const http_rules& rules_;
    http_handler& handler_;
    const std::function<void(const std::string&)>& report_;
    clients clients_;
    event_loop::timer_id timer_ = event_loop::timer_id::none;
    bool is_ending_ = false;
};

} // namespace fingerpost::system
