// A map in a file: save_map() writes an image of it, map_image opens one and looks up in it. The image is one
// like any other, with the values as its column `value`, so the program and the other languages read it too.
//
//      save_map("sites.image", sites);
//      auto saved = map_image<std::string>::open("sites.image");    checked, mapped, never changes
//      const std::string* site = saved->lookup(address);
//
// Any number of threads may use a map_image at once. Links all schemes, because the file names its own.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "fingerpost/image/any_image.hpp"
#include "fingerpost/map/map.hpp"
#include "fingerpost/map/map_codec.hpp"
#include "fingerpost/values/rows.hpp"

namespace fingerpost {

namespace detail {

// The routes of one family, and the rows that their next hops number.
template <class A>
struct saved_family {
    std::vector<route<A>> routes;
    value_rows rows{std::array<std::string_view, 1>{"value"}};

    template <class T, class Codec>
    void add(const prefix<A>& where, const T& value) {
        routes.push_back({where, rows.intern(std::string_view(Codec::write(value)))});
    }
};

// An image of one family with its values as objects, one a row.
template <class A, class T>
struct opened_family {
    image<A> file;
    std::vector<T> values;

    // A forged file may answer with a row that it does not have.
    const T* find(next_hop hop) const noexcept { return hop.id < values.size() ? &values[hop.id] : nullptr; }
};

} // namespace detail

// For the writer's thread. An error leaves an old file as it was; see image<A>::save(). Throws what the codec
// throws, std::bad_alloc, and std::length_error when the numbers of rows run out.
template <class T, map_values kept, class Codec = map_codec<T>>
[[nodiscard]] image_error save_map(path_ref path, const map<T, kept>& from) {
    detail::saved_family<ipv4_address> four;
    detail::saved_family<ipv6_address> six;
    for (const auto& one : from.covered(ipv4_prefix{}))
        four.template add<T, Codec>(one.where, *one.value);
    for (const auto& one : from.covered(ipv6_prefix{}))
        six.template add<T, Codec>(one.where, *one.value);
    return save_both_images(path, routes(std::move(four.routes)), four.rows.view(),
                            routes(std::move(six.routes)), six.rows.view());
}

template <class T, class Codec = map_codec<T>>
class map_image {
    template <class A>
    using part = std::optional<detail::opened_family<A, T>>;

  public:
    template <class P>
    using entry = map_entry<P, T>;

    // Checks the whole file and maps it; reads each different value once. An image of one family is the map
    // of that family. image_errc::damaged, with the reason, if the file has no column `value` or a text in it
    // is no T. Throws what the codec throws, and std::bad_alloc.
    static expected<map_image, image_error> open(path_ref path, const build_options& options = {}) {
        auto both = open_both_images(path, options);
        if (!both)
            return unexpected{both.error()};
        map_image made;
        const char* fault = nullptr;
        if (both->ipv4)
            fault = made.read(std::move(*both->ipv4), made.ipv4_);
        if (both->ipv6 && fault == nullptr)
            fault = made.read(std::move(*both->ipv6), made.ipv6_);
        if (fault != nullptr)
            return unexpected{image_error{image_errc::damaged, 0, fault, 0}};
        return made;
    }

    // As those of map.
    template <map_address A>
    const T* lookup(const A& a) const noexcept {
        return detail::by_family(a, [&](const auto& b) -> const T* {
            const auto& in = of(b);
            return in ? in->find(in->file.lookup(b)) : nullptr;
        });
    }
    void lookup(std::span<const ipv4_address> in, std::span<const T*> out) const noexcept {
        lookup_in(ipv4_, in, out);
    }
    void lookup(std::span<const ipv6_address> in, std::span<const T*> out) const noexcept {
        lookup_in(ipv6_, in, out);
    }
    template <map_address A>
    std::optional<entry<detail::prefix_for<A>>> match(const A& a) const noexcept {
        using found = std::optional<entry<detail::prefix_for<A>>>;
        return detail::by_family(a, [&](const auto& b) -> found {
            const auto& in = of(b);
            const auto best = in ? in->file.match(b) : std::nullopt;
            const T* const value = best ? in->find(best->hop) : nullptr;
            return value == nullptr ? found() : found({best->where, value});
        });
    }
    template <map_prefix P>
    const T* find(const P& p) const noexcept {
        return detail::by_family(p, [&](const auto& q) -> const T* {
            const auto& in = of(q.base);
            return in ? in->find(in->file.get(q)) : nullptr;
        });
    }
    std::size_t size() const noexcept {
        return (ipv4_ ? ipv4_->file.size() : 0) + (ipv6_ ? ipv6_->file.size() : 0);
    }
    // visit(prefix, value) for each entry, those of IPv4 first, each family in prefix order. So a live map is
    // filled: saved.for_each([&](const auto& where, const T& value) { ... transaction.insert_or_assign ...
    // }).
    template <class Visit>
    void for_each(Visit visit) const {
        visit_in(ipv4_, visit);
        visit_in(ipv6_, visit);
    }

  private:
    map_image() = default;

    const part<ipv4_address>& of(ipv4_address) const noexcept { return ipv4_; }
    const part<ipv6_address>& of(ipv6_address) const noexcept { return ipv6_; }

    // Null, or what is wrong.
    template <class A>
    const char* read(image<A> file, part<A>& to) {
        const value_view& rows = file.values();
        std::size_t column = 0;
        while (column < rows.columns() && rows.name(column) != "value")
            ++column;
        if (column == rows.columns())
            return "the image has no column `value`, so it is none of a map";
        std::vector<T> values;
        values.reserve(rows.rows());
        for (std::uint32_t row = 0; row < rows.rows(); ++row) {
            auto value = Codec::read(rows.cell({row}, column));
            if (!value)
                return "a value of the image is none of this type";
            values.push_back(std::move(*value));
        }
        to.emplace(detail::opened_family<A, T>{std::move(file), std::move(values)});
        return nullptr;
    }
    template <class A>
    static void lookup_in(const part<A>& in, std::span<const A> wanted, std::span<const T*> out) noexcept {
        std::array<next_hop, 256> hops;
        for (std::size_t done = 0; done < wanted.size(); done += hops.size()) {
            const auto some = wanted.subspan(done, std::min(hops.size(), wanted.size() - done));
            if (in)
                in->file.lookup(some, std::span(hops).first(some.size()));
            for (std::size_t i = 0; i < some.size(); ++i)
                out[done + i] = in ? in->find(hops[i]) : nullptr;
        }
    }
    template <class A, class Visit>
    static void visit_in(const part<A>& in, Visit& visit) {
        if (!in)
            return;
        for (const route<A> r : in->file.routes())
            if (const T* const value = in->find(r.hop); value != nullptr)
                visit(r.where, *value);
    }

    part<ipv4_address> ipv4_;
    part<ipv6_address> ipv6_;
};

} // namespace fingerpost
