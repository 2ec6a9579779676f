// The list of commands, in the order in which help shows them.
//
// The file or folder of a command NAME defines `command NAME_command();` in this namespace; see
// docs/inside/hacking.md.
#pragma once

#define FINGERPOST_FOR_EACH_COMMAND(DO)                                                                      \
    DO(lookup)                                                                                               \
    DO(explain)                                                                                              \
    DO(tree)                                                                                                 \
    DO(enrich)                                                                                               \
    DO(grep)                                                                                                 \
    DO(serve)                                                                                                \
    DO(info)                                                                                                 \
    DO(check)                                                                                                \
    DO(diff)                                                                                                 \
    DO(aggregate)                                                                                            \
    DO(convert)                                                                                              \
    DO(image)                                                                                                \
    DO(replay)                                                                                               \
    DO(generate)                                                                                             \
    DO(bench)                                                                                                \
    DO(schemes)                                                                                              \
    DO(strides)                                                                                              \
    DO(report)                                                                                               \
    DO(picture)                                                                                              \
    DO(router)
