// Commits that change the tables of both families.
#include "fingerpost/base/reason.hpp"
#include "fingerpost/table/table.inl.hpp"
#include "fingerpost/table/transaction.inl.hpp"

namespace fingerpost {
namespace {

// All routes of a table, or only what changes.
template <class A>
struct wanted {
    std::vector<edit<A>> edits{};
    std::optional<std::vector<route<A>>> all{};
};

template <class A>
errc make(detail::table_core<A>& core, wanted<A>& news) noexcept {
    return news.all ? core.make(std::move(*news.all)) : core.make(news.edits, true);
}

template <class First, class Second>
errc get_ready(First& first, Second& second) noexcept {
    const errc failure = first.get_ready();
    return failure == errc::ok ? second.get_ready() : failure;
}

expected<both_commits> commit(detail::table_core<ipv4_address>& four, wanted<ipv4_address> news4,
                              detail::table_core<ipv6_address>& six, wanted<ipv6_address> news6) noexcept {
    if (const errc failure = make(four, news4); failure != errc::ok)
        return unexpected{failure};
    errc failure = make(six, news6);
    if (failure == errc::ok) {
        // Readers see at once what is made in place, so that is made last.
        failure = four.is_in_place() ? get_ready(six, four) : get_ready(four, six);
        if (failure != errc::ok)
            six.take_back();
    }
    if (failure != errc::ok) {
        four.take_back();
        return unexpected{failure};
    }
    both_commits did;
    did.ipv4 = four.show_ready();
    did.ipv6 = six.show_ready();
    return did;
}

} // namespace

expected<both_commits> commit_both(transaction<ipv4_address>& ipv4, transaction<ipv6_address>& ipv6) noexcept
    try {
    detail::table_core<ipv4_address>& four = *ipv4.in_;
    detail::table_core<ipv6_address>& six = *ipv6.in_;
    if (ipv4.size() == 0 || ipv6.size() == 0) {
        both_commits did;
        did.ipv4.version = four.out().version();
        did.ipv6.version = six.out().version();
        const bool is_four = ipv6.size() == 0;
        const auto done = is_four ? ipv4.commit() : ipv6.commit();
        if (!done)
            return unexpected{done.error()};
        (is_four ? did.ipv4 : did.ipv6) = *done;
        return did;
    }
    const auto done = commit(four, {ipv4.sorted_edits()}, six, {ipv6.sorted_edits()});
    if (done) {
        ipv4.rollback();
        ipv6.rollback();
    }
    return done;
} catch (...) {
    return unexpected{reason_of_exception()};
}

expected<both_commits> replace_both(ipv4_table& ipv4, std::vector<route<ipv4_address>> ipv4_routes,
                                    ipv6_table& ipv6, std::vector<route<ipv6_address>> ipv6_routes) noexcept
    try {
    const auto news_of = []<class A>(const table<A>& now,
                                     std::vector<route<A>> routes) -> expected<wanted<A>> {
        wanted<A> news;
        replace_counts ignored;
        if ((now.size() == 0) != routes.empty()) {
            news.all = std::move(routes);
            return news;
        }
        auto edits = now.differences(std::move(routes), ignored);
        if (!edits)
            return unexpected{edits.error()};
        news.edits = std::move(*edits);
        return news;
    };
    auto news4 = news_of(ipv4, std::move(ipv4_routes));
    auto news6 = news_of(ipv6, std::move(ipv6_routes));
    if (!news4 || !news6)
        return unexpected{news4 ? news6.error() : news4.error()};
    return commit(*ipv4.core_, std::move(*news4), *ipv6.core_, std::move(*news6));
} catch (...) {
    return unexpected{reason_of_exception()};
}

} // namespace fingerpost
