// Options that describe the rows and their address fields.
#pragma once

#include "cli/enrich/enrich_options.hpp"
#include "terminal/command_line.hpp"

namespace fingerpost::cli::enrich {

// Adds --format, --field, --no-header, --no-quotes, --which and --regex. `options` must outlive the command.
// `which_preset` is the command's default for --which.
void add_input_options(command& to, enrich_options& options, const char* which_preset);

} // namespace fingerpost::cli::enrich
