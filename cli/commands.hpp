// The lists of commands in the order of the help, each with its group.
//
// The file or folder of a command NAME defines `command NAME_command();` in this namespace; see
// docs/inside/hacking.md. Commands of the second list belong to `fingerpost lab`.
#pragma once

#define FINGERPOST_FOR_EACH_COMMAND(DO)                                                                      \
    DO(lookup, "Look up")                                                                                    \
    DO(enrich, "Look up")                                                                                    \
    DO(grep, "Look up")                                                                                      \
    DO(explain, "Look up")                                                                                   \
    DO(info, "Tables")                                                                                       \
    DO(tree, "Tables")                                                                                       \
    DO(convert, "Tables")                                                                                    \
    DO(diff, "Tables")                                                                                       \
    DO(aggregate, "Tables")                                                                                  \
    DO(replay, "Tables")                                                                                     \
    DO(image, "Tables")                                                                                      \
    DO(serve, "Serve")                                                                                       \
    DO(schemes, "Schemes")                                                                                   \
    DO(lab, "Schemes")                                                                                       \
    DO(router, "Router")

// `python -m fingerpost` has these.
#define FINGERPOST_FOR_EACH_PACKAGE_COMMAND(DO)                                                              \
    DO(lookup, "Look up")                                                                                    \
    DO(enrich, "Look up")                                                                                    \
    DO(info, "Tables")                                                                                       \
    DO(convert, "Tables")

#define FINGERPOST_FOR_EACH_LAB_COMMAND(DO)                                                                  \
    DO(bench)                                                                                                \
    DO(check)                                                                                                \
    DO(generate)                                                                                             \
    DO(strides)                                                                                              \
    DO(report)                                                                                               \
    DO(picture)
