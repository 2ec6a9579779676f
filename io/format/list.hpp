// The list of table formats, in the order in which they are shown. Inputs are tested from its end to its
// start. So if an input of format A could be mistaken for one of format B, A comes after B.
//
// The folder of each format defines the format_entry NAME_format (io/format/parts/format_entry.hpp).
#pragma once

#include "fingerpost/base/cxx20.hpp"

#define FINGERPOST_FOR_EACH_FORMAT(DO)                                                                       \
    DO(text)                                                                                                 \
    DO(csv)                                                                                                  \
    DO(tsv)                                                                                                  \
    DO(json)                                                                                                 \
    DO(bgpdump)                                                                                              \
    DO(ip_route)                                                                                             \
    DO(ip_route_json)                                                                                        \
    DO(show_bgp)                                                                                             \
    DO(show_route)                                                                                           \
    DO(bird)                                                                                                 \
    DO(ipset)                                                                                                \
    DO(nft)                                                                                                  \
    DO(delegated)                                                                                            \
    DO(pyasn)                                                                                                \
    DO(vrps_csv)                                                                                             \
    DO(vrps_json)                                                                                            \
    DO(cloud)                                                                                                \
    DO(frr_route)                                                                                            \
    DO(frr_bgp)                                                                                              \
    DO(mmdb)                                                                                                 \
    DO(mrt)                                                                                                  \
    DO(image)
