// Schemes of which one FIB becomes equal to another for less than what applying the same changes again takes.
#pragma once

#include "fingerpost/fib/patchable.hpp"

namespace fingerpost {

// Of two FIBs that are published by turns, the standby, which no thread reads, takes over what the active one
// has. The active one may be read meanwhile. From then on it may not be changed before it has taken over in
// its turn.
//
// After anything but errc::ok from sync_from() the active FIB answers as before, and the standby may not be
// looked up in. Neither may be changed before it has taken over from another one.
//
// What both read they may share. Then the changes since sync_from() show in lookups from begin_publish() on.
// It is called right before a FIB is published, one that was built as well; the FIB is not changed after it
// before it has taken over again. Until is_publish_finished() some lookups take longer than others;
// finish_publish() ends that once no reader is left in the other FIB.
template <class S, class A>
concept syncable = patchable<S, A> && requires(S s, S active, const S fixed) {
    { s.sync_from(active) } -> std::same_as<errc>;
    { s.begin_publish() } noexcept;
    { fixed.is_publish_finished() } noexcept -> std::same_as<bool>;
    { s.finish_publish() } noexcept;
};

} // namespace fingerpost
