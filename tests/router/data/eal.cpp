// Starts DPDK for tests.
#include "tests/router/data/eal.hpp"

#include <cstdio>
#include <cstdlib>
#include <iterator>

#include <rte_eal.h>

namespace fingerpost::router {

void start_eal() {
    static const bool started = [] {
        char words[][16] = {"test", "--no-huge",   "--no-pci",      "-m", "128", "-l",
                            "0",    "--no-shconf", "--no-telemetry"};
        char* arguments[std::size(words)];
        for (std::size_t i = 0; i < std::size(words); ++i)
            arguments[i] = words[i];
        return rte_eal_init(static_cast<int>(std::size(words)), arguments) >= 0;
    }();
    if (!started) {
        std::fprintf(stderr, "DPDK does not start\n");
        std::abort();
    }
}

} // namespace fingerpost::router
