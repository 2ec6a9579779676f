// Options of `fingerpost serve`, from the command line and the configuration.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/serve/endpoint.hpp"
#include "cli/serve/limits.hpp"
#include "cli/serve/log/access_line.hpp"
#include "system/log.hpp"
#include "terminal/table/table_choice.hpp"

namespace fingerpost::cli {

struct serve_options {
    table_choice table;
    std::string config;
    std::string scheme;
    std::optional<endpoint> http;
    std::vector<std::string> hosts;
    std::string socket;
    std::string access_log; // empty: no log
    access_format format = access_format::text;
    system::log_level level = system::log_level::info;
    serve_limits limits;
    unsigned seconds = 10;
    bool no_watch = false;
    bool allow_empty = false;
    bool checks = false; // only reads options and tables
};

// Serves until a signal ends it, or only reads the tables. Returns the exit code. Throws failure and
// usage_error.
int run_server(serve_options options);

} // namespace fingerpost::cli
