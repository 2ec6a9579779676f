// Splits a range of addresses into the fewest prefixes that cover it exactly.
#pragma once

#include "fingerpost/base/bits.hpp"
#include "fingerpost/net/prefix.hpp"

namespace fingerpost {

// Calls visit(prefix) for each prefix, in order. `last` is included and is not below `first`.
template <class A, class F>
void for_each_block(A first, A last, F&& visit) {
    using value = typename A::value_type;
    for (value at = first.value;;) {
        // Find the largest block that begins at `first` and does not exceed `last`.
        unsigned free_bits = 0;
        while (free_bits < A::bits) {
            const value block = low_mask<value>(free_bits + 1);
            if ((at & block) != 0 || block > static_cast<value>(last.value - at))
                break;
            ++free_bits;
        }
        visit(prefix<A>::make(A{at}, A::bits - free_bits));
        const auto end = static_cast<value>(at | low_mask<value>(free_bits));
        if (end == last.value)
            return;
        at = static_cast<value>(end + 1);
    }
}

} // namespace fingerpost
