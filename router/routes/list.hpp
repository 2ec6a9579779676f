// The list of route sources, in the order in which they are shown. The first one is the default.
//
// The folder of a source defines the route_source NAME_source (router/routes/source/route_source.hpp).
#pragma once

#define FINGERPOST_FOR_EACH_ROUTE_SOURCE(DO)                                                                 \
    DO(fpm)                                                                                                  \
    DO(kernel)                                                                                               \
    DO(file)
