// Queries of the C interface about the routes of a table. Walks copy the routes first and make callbacks
// without a lock.
#include "capi/queries.hpp"

using namespace fingerpost;
using namespace fingerpost::capi;

extern "C" {

size_t fingerpost_count(const fingerpost_table* of) {
    return count_of(of);
}

int fingerpost_get(const fingerpost_table* of, const fingerpost_prefix* where, uint32_t* next_hop) {
    return get(of, where, next_hop);
}

int fingerpost_match(const fingerpost_table* of, const void* address, fingerpost_route* told) {
    return match(of, address, told);
}

int fingerpost_match_both(const fingerpost_table* ipv4, const fingerpost_table* ipv6, int family,
                          const void* address, fingerpost_route* told, int* told_family) {
    return match_both(ipv4, ipv6, family, address, told, told_family);
}

int fingerpost_cover(const fingerpost_table* of, const fingerpost_prefix* where, fingerpost_route* told) {
    return cover(of, where, told);
}

int fingerpost_for_each(const fingerpost_table* of, fingerpost_visit visit, void* context) {
    if (of == nullptr || visit == nullptr)
        return FINGERPOST_INVALID;
    return guarded([&]() -> int {
        return std::visit([&](const auto& one) { return walk(one.copy_routes(), visit, context); }, of->self);
    });
}

int fingerpost_for_each_covering(const fingerpost_table* of, const fingerpost_prefix* where,
                                 fingerpost_visit visit, void* context) {
    if (visit == nullptr)
        return FINGERPOST_INVALID;
    return with_prefix(of, where,
                       [&](const auto& one, const auto& p) { return walk(one.covering(p), visit, context); });
}

int fingerpost_for_each_covered(const fingerpost_table* of, const fingerpost_prefix* where,
                                fingerpost_visit visit, void* context) {
    if (visit == nullptr)
        return FINGERPOST_INVALID;
    return with_prefix(of, where,
                       [&](const auto& one, const auto& p) { return walk(one.covered(p), visit, context); });
}

} // extern "C"
