// Schemes in which a FIB can become equal to another at a lower cost than applying the changes again.
#pragma once

#include "fingerpost/fib/patchable.hpp"

namespace fingerpost {

// Two FIBs are published alternately. sync_from() makes the standby, which no thread reads, equal to the
// active FIB, which may be read meanwhile. After that, the active FIB must not be changed before its own
// sync_from().
//
// After any error of sync_from(), the active FIB is unchanged, and the standby must not be used for lookups.
// Neither may be changed before it has synced from another one.
//
// They may share unchanged memory. Then lookups see the changes since sync_from() after begin_publish(). It
// is called directly before a FIB is published, even a newly built one. After it the FIB is not changed
// before its next sync_from(). Until is_publish_finished(), some lookups are slower; finish_publish() ends
// that when no reader of the other FIB is left.
template <class S, class A>
concept syncable = patchable<S, A> && requires(S s, S active, const S fixed) {
    { s.sync_from(active) } -> std::same_as<errc>;
    { s.begin_publish() } noexcept;
    { fixed.is_publish_finished() } noexcept -> std::same_as<bool>;
    { s.finish_publish() } noexcept;
};

} // namespace fingerpost
