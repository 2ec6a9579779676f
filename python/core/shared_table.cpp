// Creates tables, commits plans, and releases values.
#include "python/core/shared_table.hpp"

#include <algorithm>
#include <chrono>
#include <limits>
#include <thread>

#include "fingerpost/base/near_name.hpp"
#include "fingerpost/registry/registry.hpp"
#include "python/core/raise.hpp"

namespace fingerpost::python {
namespace nb = nanobind;
namespace {

// Changes that take less time than releasing the GIL and reacquiring it from busy threads.
constexpr std::size_t few_changes = 64;
// Number of routes that takes so long to copy that other threads should run meanwhile.
constexpr std::size_t many_routes = 4096;

// Names of the schemes of both families in order, without variants for study.
std::vector<std::string> scheme_names() {
    std::vector<std::string> names;
    const auto add = [&](const auto& entries) {
        for (const auto& entry : entries)
            if (entry.facts.is_standard() &&
                std::find(names.begin(), names.end(), entry.facts.name) == names.end())
                names.emplace_back(entry.facts.name);
    };
    add(schemes<ipv4_address>());
    add(schemes<ipv6_address>());
    return names;
}

[[noreturn]] void refuse_scheme(const std::string& name) {
    if (const std::string missing = why_not_built(name); !missing.empty())
        raise(PyExc_ValueError, missing + " (pip install . -C cmake.define.FINGERPOST_SCHEMES=all)");
    const std::vector<std::string> names = scheme_names();
    std::string known;
    for (const std::string& scheme : names)
        known.append(known.empty() ? "" : ", ").append(scheme);
    raise(PyExc_ValueError, "'" + name + "' is not one of " + known + did_you_mean(name, names));
}

template <class A>
std::vector<std::string> columns_of(const std::optional<image<A>>& of) {
    std::vector<std::string> names;
    for (std::size_t i = 0; of && i < of->values().columns(); ++i)
        names.emplace_back(of->values().name(i));
    return names;
}

} // namespace

template <class A>
std::vector<route<A>> family_part<A>::covering(const prefix<A>& p) const {
    return with_routes([&](const auto& in) {
        std::vector<route<A>> routes;
        in.covering(p, [&](const route<A>& route) { routes.push_back(route); });
        if (const next_hop own = in.get(p); own != next_hop::none)
            routes.push_back({p, own});
        return routes;
    });
}

template <class A>
std::vector<route<A>> family_part<A>::covered(const prefix<A>& p) const {
    if (live)
        return live->covered(p);
    return saved ? saved->routes().covered(p).copy() : std::vector<route<A>>();
}

template <class A>
std::vector<route<A>> family_part<A>::children(const prefix<A>& p) const {
    return with_routes([&](const auto& in) {
        std::vector<route<A>> routes;
        in.children(p, [&](const route<A>& route) { routes.push_back(route); });
        return routes;
    });
}

template <class A>
bool family_part<A>::has_within(const prefix<A>& p) const {
    return with_routes([&](const auto& in) { return in.covered(p).begin() != end_of_routes{}; });
}

template struct family_part<ipv4_address>;
template struct family_part<ipv6_address>;

std::shared_ptr<shared_table> shared_table::make(std::unique_ptr<value_store> values,
                                                 const std::string& scheme) {
    table_options options;
    options.scheme = scheme;
    // Vector lookups pin a version only for a batch, so publication need not be deferred for them.
    options.most_old_versions = std::numeric_limits<std::size_t>::max();
    auto live = ip_table::create(options);
    if (!live && live.error() == errc::not_found)
        refuse_scheme(scheme);
    if (!live)
        raise_errc(live.error());
    auto by_gil = live->reader();
    if (!by_gil)
        raise_errc(by_gil.error());
    const std::shared_ptr<shared_table> table(new shared_table);
    table->values_ = std::move(values);
    table->scheme_ = scheme.empty() ? std::string(default_scheme<ipv6_address>().facts.name) : scheme;
    table->live_.emplace(std::move(*live));
    table->by_gil_.emplace(std::move(*by_gil));
    const auto set = [&]<class A>(family_part<A>& part) {
        part.live = &table->live_->of<A>();
        part.by_gil = &*table->by_gil_;
    };
    set(table->ipv4_);
    set(table->ipv6_);
    return table;
}

std::shared_ptr<shared_table> shared_table::make(both_images images, std::string path) {
    const std::shared_ptr<shared_table> table(new shared_table);
    const auto four = columns_of(images.ipv4);
    const auto six = columns_of(images.ipv6);
    if (images.ipv4 && images.ipv6 && four != six)
        raise_input_error(path + ": the images of the two families have different columns");
    table->mapped_columns_ = images.ipv4 ? four : six;
    for (std::size_t i = 0; i < table->mapped_columns_.size(); ++i)
        table->mapped_types_.push_back(
            !images.ipv6   ? images.ipv4->values().type(i)
            : !images.ipv4 ? images.ipv6->values().type(i)
                           : joined(images.ipv4->values().type(i), images.ipv6->values().type(i)));
    table->mapped_kind_ = table->mapped_columns_.empty() ? value_kind::integer : value_kind::rows;
    table->scheme_ = images.ipv4 ? images.ipv4->scheme().facts.name : images.ipv6->scheme().facts.name;
    table->ipv4_.saved = std::move(images.ipv4);
    table->ipv6_.saved = std::move(images.ipv6);
    table->has_mapped_ = table->ipv6_.has_within(mapped_block);
    table->path_ = std::move(path);
    return table;
}

shared_table::~shared_table() {
    clear();
}

void shared_table::clear() {
    if (is_mapped())
        return;
    known_slots_.reset();
    for (PyObject* const object : values_->objects().take_all())
        Py_DECREF(object);
}

int shared_table::traverse(visitproc visit, void* with) const {
    return is_mapped() ? 0 : values_->objects().traverse(visit, with);
}

std::size_t shared_table::size() const {
    return exact([this] { return ipv4_.size() + ipv6_.size(); });
}

template <class A>
std::vector<route<A>> shared_table::copy_routes() const {
    return exact([this] { return part<A>().covered(prefix<A>{}); }, size() > many_routes);
}
template std::vector<route<ipv4_address>> shared_table::copy_routes() const;
template std::vector<route<ipv6_address>> shared_table::copy_routes() const;

// Returns the routes that the plan replaces.
template <class A>
std::vector<route<A>> shared_table::replaced_by(const plan<A>& changes) const {
    const family_table<A>& live = *part<A>().live;
    if (changes.whole)
        return live.copy_routes();
    std::vector<route<A>> before;
    before.reserve(changes.routes.size());
    for (const route<A>& r : changes.routes)
        before.push_back({r.where, live.get(r.where)});
    return before;
}

namespace {

template <class A>
errc add_to(ip_transaction& changes, const plan<A>& planned) {
    std::vector<edit<A>> edits;
    edits.reserve(planned.routes.size());
    for (const route<A>& r : planned.routes)
        edits.push_back({r.where, r.hop});
    return changes.change(edits).failure;
}

// Publication is deferred while a reader has pinned the standby FIB. But the thread that changes a table must
// see its change afterwards, so this retries: after the time that building a FIB takes, the table builds a
// new one. If memory runs out, publication stays deferred.
void publish_now(ip_table& live) {
    while (live.pending() != 0 && live.publish() && live.pending() != 0)
        std::this_thread::sleep_for(std::chrono::microseconds(20));
}

} // namespace

// Changes both families or neither.
errc shared_table::run(const plan<ipv4_address>& ipv4, const plan<ipv6_address>& ipv6) {
    const auto reason = [](const auto& result) { return result ? errc::ok : result.error(); };
    if (ipv4.whole)
        return reason(live_->replace_all(ipv4.routes, ipv6.routes));
    auto changes = live_->begin();
    errc failure = add_to(changes, ipv4);
    if (failure == errc::ok)
        failure = add_to(changes, ipv6);
    return failure == errc::ok ? reason(changes.commit()) : failure;
}

template <class A>
void shared_table::settle(const plan<A>& changes, const std::vector<route<A>>& before,
                          bool is_committed) noexcept {
    for (const route<A>& r : is_committed ? before : changes.routes)
        if (r.hop != next_hop::none)
            values_->let_go(r.hop);
}

errc shared_table::apply(plan<ipv4_address> ipv4, plan<ipv6_address> ipv6) {
    std::vector<route<ipv4_address>> before4;
    std::vector<route<ipv6_address>> before6;
    if (frozen_) {
        settle(ipv4, before4, false);
        settle(ipv6, before6, false);
        return errc::unsupported;
    }
    errc failure = errc::ok;
    const bool changes_mapped =
        ipv6.whole || std::any_of(ipv6.routes.begin(), ipv6.routes.end(),
                                  [](const auto& r) { return is_ipv4_mapped(r.where); });
    // Readers must see this before they see the first mapped route, and until the last one is withdrawn.
    if (changes_mapped)
        has_mapped_ = true;
    const auto commit = [&] {
        failure = or_reason([&] {
            before4 = replaced_by(ipv4);
            before6 = replaced_by(ipv6);
            return run(ipv4, ipv6);
        });
        if (failure == errc::ok)
            publish_now(*live_);
    };
    // A rebuild takes long even for few changes, and a commit may have to wait for a reader without the GIL.
    const bool is_quick = ipv4.routes.size() + ipv6.routes.size() <= few_changes && !ipv4.whole &&
                          ipv4_.live->update_policy() != policy::rebuild &&
                          ipv6_.live->update_policy() != policy::rebuild && read_by_ == 0;
    if (is_quick) {
        commit();
    } else {
        committing_ = true;
        {
            const nb::gil_scoped_release free;
            commit();
        }
        committing_ = false;
    }
    if (changes_mapped)
        has_mapped_ = ipv6_.has_within(mapped_block);
    ++commits_;
    ipv4_.numbered.reset();
    ipv6_.numbered.reset();
    known_slots_.reset();
    deferred_ = live_->pending() != 0;
    settle(ipv4, before4, failure == errc::ok);
    settle(ipv6, before6, failure == errc::ok);
    return failure;
}

void shared_table::reclaim() noexcept {
    if (is_mapped() || keepers_ != 0 || deferred_ || !values_->objects().has_waiting())
        return;
    dropped_objects dropped;
    // If memory runs out, the next call reclaims them.
    if (or_reason([&] { return values_->objects().reclaim(dropped), errc::ok; }) != errc::ok)
        return;
    for (PyObject* const object : dropped)
        Py_DECREF(object);
}

write_turn::write_turn(shared_table& of) : of_(&of) {
    if (of_->writers_.try_lock())
        return;
    const nb::gil_scoped_release free;
    of_->writers_.lock();
}

write_turn::~write_turn() {
    of_->writers_.unlock();
    of_->reclaim();
}

} // namespace fingerpost::python
