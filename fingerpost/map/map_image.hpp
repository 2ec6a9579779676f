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

// An image of one family with its values as objects, one a row; nothing if the file has none of it.
template <class A, class T>
struct opened_family {
    std::optional<image<A>> file;
    std::vector<T> values;
    bool has_within_mapped = false;

    // A forged file may answer with a row that it does not have.
    const T* value_of(next_hop hop) const noexcept {
        return hop.id < values.size() ? &values[hop.id] : nullptr;
    }
    next_hop hop_of(A a) const noexcept { return file ? file->lookup(a) : next_hop::none; }
    std::optional<map_entry<prefix<A>, T>> match(A a) const noexcept {
        const auto best = file ? file->match(a) : std::nullopt;
        const T* const value = best ? value_of(best->hop) : nullptr;
        return value == nullptr ? std::nullopt : std::optional(map_entry<prefix<A>, T>{best->where, value});
    }
};

template <class T>
struct opened_families {
    opened_family<ipv4_address, T> ipv4;
    opened_family<ipv6_address, T> ipv6;

    const auto& of(ipv4_address) const noexcept { return ipv4; }
    const auto& of(ipv6_address) const noexcept { return ipv6; }
    // As of map_state.
    bool has_mapped() const noexcept { return ipv6.has_within_mapped; }
    unsigned mapped_length(ipv6_address a, next_hop) const noexcept {
        const auto best = ipv6.match(a);
        return best ? best->where.length : 0;
    }
    template <class A>
    const T* value_of(A a, next_hop hop) const noexcept {
        return of(a).value_of(hop);
    }
    template <class A>
    auto match(A a) const noexcept {
        return of(a).match(a);
    }
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
            fault = read(std::move(*both->ipv4), made.of_.ipv4);
        if (both->ipv6 && fault == nullptr)
            fault = read(std::move(*both->ipv6), made.of_.ipv6);
        if (fault != nullptr)
            return unexpected{image_error{image_errc::damaged, 0, fault, 0}};
        return made;
    }

    // As those of map.
    template <map_address A>
    const T* lookup(const A& a) const noexcept {
        return detail::lookup_in(of_, a, hops());
    }
    void lookup(std::span<const ipv4_address> in, std::span<const T*> out) const noexcept {
        lookup_in(of_.ipv4, in, out);
    }
    void lookup(std::span<const ipv6_address> in, std::span<const T*> out) const noexcept {
        lookup_in(of_.ipv6, in, out);
    }
    template <map_address A>
    std::optional<entry<detail::prefix_for<A>>> match(const A& a) const noexcept {
        return detail::match_in<A>(of_, a, hops());
    }
    template <map_prefix P>
    const T* find(const P& p) const noexcept {
        return detail::by_family(p, [&](const auto& q) -> const T* {
            const auto& in = of_.of(q.base);
            return in.file ? in.value_of(in.file->get(q)) : nullptr;
        });
    }
    std::size_t size() const noexcept {
        return (of_.ipv4.file ? of_.ipv4.file->size() : 0) + (of_.ipv6.file ? of_.ipv6.file->size() : 0);
    }
    // visit(prefix, value) for each entry, those of IPv4 first, each family in prefix order. So a live map is
    // filled: saved.for_each([&](const auto& where, const T& value) { ... transaction.insert_or_assign ...
    // }).
    template <class Visit>
    void for_each(Visit visit) const {
        visit_in(of_.ipv4, visit);
        visit_in(of_.ipv6, visit);
    }

  private:
    map_image() = default;

    auto hops() const noexcept {
        return [this](auto a) { return of_.of(a).hop_of(a); };
    }

    // Null, or what is wrong.
    template <class A>
    static const char* read(image<A> file, detail::opened_family<A, T>& to) {
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
        if constexpr (A::bits == ipv6_address::bits)
            to.has_within_mapped = file.routes().has_within(mapped_block);
        to.file.emplace(std::move(file));
        to.values = std::move(values);
        return nullptr;
    }
    template <class A>
    void lookup_in(const detail::opened_family<A, T>& in, std::span<const A> wanted,
                   std::span<const T*> out) const noexcept {
        std::array<next_hop, 256> hops_found;
        for (std::size_t done = 0; done < wanted.size(); done += hops_found.size()) {
            const auto some = wanted.subspan(done, std::min(hops_found.size(), wanted.size() - done));
            if (in.file)
                in.file->lookup(some, std::span(hops_found).first(some.size()));
            for (std::size_t i = 0; i < some.size(); ++i)
                out[done + i] = in.file ? in.value_of(hops_found[i]) : nullptr;
        }
        detail::ask_other_forms(of_, wanted, out, hops());
    }
    template <class A, class Visit>
    static void visit_in(const detail::opened_family<A, T>& in, Visit& visit) {
        if (!in.file)
            return;
        for (const route<A> r : in.file->routes())
            if (const T* const value = in.value_of(r.hop); value != nullptr)
                visit(r.where, *value);
    }

    detail::opened_families<T> of_;
};

} // namespace fingerpost
