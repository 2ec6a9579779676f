// A commit that changes the tables of both families.
#include "fingerpost/base/reason.hpp"
#include "fingerpost/table/transaction.inl.hpp"

namespace fingerpost {

expected<both_commits> commit_both(transaction<ipv4_address>& ipv4, transaction<ipv6_address>& ipv6) noexcept
    try {
    detail::table_core<ipv4_address>& four = *ipv4.in_;
    detail::table_core<ipv6_address>& six = *ipv6.in_;
    both_commits did;
    did.ipv4.version = four.out().version();
    did.ipv6.version = six.out().version();
    if (ipv4.size() == 0 || ipv6.size() == 0) {
        const bool is_four = ipv6.size() == 0;
        const auto done = is_four ? ipv4.commit() : ipv6.commit();
        if (!done)
            return unexpected{done.error()};
        (is_four ? did.ipv4 : did.ipv6) = *done;
        return did;
    }
    const auto ipv4_edits = ipv4.sorted_edits();
    const auto ipv6_edits = ipv6.sorted_edits();
    if (const errc failure = four.make(ipv4_edits); failure != errc::ok)
        return unexpected{failure};
    if (const errc failure = six.make(ipv6_edits); failure != errc::ok) {
        four.take_back();
        return unexpected{failure};
    }
    const auto shown = four.show();
    if (!shown) {
        six.take_back();
        four.take_back();
        return unexpected{shown.error()};
    }
    did.ipv4 = *shown;
    const auto second = six.show();
    did.ipv6 = second ? *second : six.defer();
    ipv4.rollback();
    ipv6.rollback();
    return did;
} catch (...) {
    return unexpected{reason_of_exception()};
}

} // namespace fingerpost
