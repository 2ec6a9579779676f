// The set of packed-leaves kernels, compiled once for each instruction set over that set's `vec`.
//
// A batch takes three stages in blocks: the index, both levels of nodes, and the leaves. Each stage is
// straight-line code for 16 addresses without branches on single addresses, unless the root answers nearly
// all of a block. An address that the index has answered passes lines without keys and reaches code 0, and
// the codes of index and leaf are added. If the index has answered a whole block, the other stages are
// skipped.
#pragma once

#include <cstddef>

#include "fingerpost/schemes/packed_leaves/batches.inl.hpp"

namespace fingerpost::packed_leaves {
namespace {

constexpr kernel_set make_kernels() {
    kernel_set set{.batch = {}, .single = {look_up_one<1>, look_up_one<2>, look_up_one<4>}};
    set.batch[static_cast<std::size_t>(input_form::key64)] = look_up_batch<input_form::key64>;
    set.batch[static_cast<std::size_t>(input_form::ipv6)] = look_up_batch<input_form::ipv6>;
    set.batch[static_cast<std::size_t>(input_form::ipv4)] = look_up_batch<input_form::ipv4>;
    return set;
}

constinit const kernel_set all_kernels = make_kernels();

} // namespace
} // namespace fingerpost::packed_leaves
