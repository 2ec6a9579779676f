// A map in a file: save_map() writes an image, and map_image opens it for lookups. It is an ordinary image
// with the values as its column `value`, so the command line and the other languages can read it too.
//
//      save_map("sites.image", sites);
//      auto saved = map_image<std::string>::open("sites.image");    checked, mapped, read-only
//      const std::string* site = saved->lookup(address);
//      sites.merge(*saved);                                         back into a live map
//
// Any number of threads may use a map_image concurrently. Links all schemes, because the file selects its
// scheme by name.
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

// Routes of one family, and the rows that their next hops number.
template <class A>
struct saved_family {
    std::vector<route<A>> routes;
    value_rows rows{std::array<std::string_view, 1>{"value"}};

    template <class T, class Codec>
    void add(const prefix<A>& where, const T& value) {
        routes.push_back({where, rows.intern(std::string_view(Codec::write(value)))});
    }
};

// Image of one family with one object for each row. Empty if the file does not have the family.
template <class A, class T>
struct opened_family {
    std::optional<image<A>> file;
    std::vector<T> values;
    image_routes<A> routes; // routes in the file
};

// The view() of an image (map_queries.hpp).
template <class T>
struct opened_families {
    opened_family<ipv4_address, T> ipv4;
    opened_family<ipv6_address, T> ipv6;
    bool has_within_mapped = false;

    const auto& of(ipv4_address) const noexcept { return ipv4; }
    const auto& of(ipv6_address) const noexcept { return ipv6; }
    template <class A>
    next_hop hop_of(A a) const noexcept {
        return of(a).file ? of(a).file->lookup(a) : next_hop::none;
    }
    template <class A>
    void hops_of(std::span<const A> in, std::span<next_hop> out) const noexcept {
        if (of(A{}).file)
            of(A{}).file->lookup(in, out);
        else
            std::fill(out.begin(), out.end(), next_hop::none);
    }
    // The FIB of a forged file may return a row number that does not exist.
    template <class A>
    const T* value_of(A a, next_hop hop) const noexcept {
        return hop.id < of(a).values.size() ? &of(a).values[hop.id] : nullptr;
    }
    template <class A, class Ask>
    decltype(auto) with_routes(Ask ask) const {
        return ask(of(A{}).routes);
    }
    template <class A>
    image_routes<A> covered(const prefix<A>& p) const noexcept {
        return of(A{}).routes.covered(p);
    }
    template <class A>
    auto begin_routes() const noexcept {
        return of(A{}).routes.begin();
    }
    std::size_t size() const noexcept { return ipv4.routes.size() + ipv6.routes.size(); }
    bool has_mapped() const noexcept { return has_within_mapped; }
    unsigned mapped_length(ipv6_address a, next_hop) const noexcept {
        const auto best = ipv6.routes.match(a);
        return best ? best->where.length : 0;
    }
};

} // namespace detail

// Must be called by the writer's thread. On an error an old file is unchanged; see image<A>::save(). Throws
// exceptions from the codec, std::bad_alloc, and std::length_error if there are too many rows.
template <class T, map_values Storage, class Codec = map_codec<T>>
[[nodiscard]] image_error save_map(path_ref path, const map<T, Storage>& from) {
    detail::saved_family<ipv4_address> four;
    detail::saved_family<ipv6_address> six;
    for (const auto& entry : from.covered(ipv4_prefix{}))
        four.template add<T, Codec>(entry.where, *entry.value);
    for (const auto& entry : from.covered(ipv6_prefix{}))
        six.template add<T, Codec>(entry.where, *entry.value);
    return save_both_images(path, routes(std::move(four.routes)), four.rows.view(),
                            routes(std::move(six.routes)), six.rows.view());
}

template <class T, class Codec = map_codec<T>>
class map_image : public map_queries<map_image<T, Codec>, T> {
  public:
    using iterator = detail::map_iterator<detail::opened_families<T>, T>;

    // Maps the file and checks all of it. Reads each different value once. An image of one family is a map of
    // that family. image_errc::damaged, with the reason, if there is no column `value` or a text is not a
    // valid T. Throws exceptions from the codec, and std::bad_alloc.
    static expected<map_image, image_error> open(path_ref path, const build_options& options = {}) {
        auto both = open_both_images(path, options);
        if (!both)
            return unexpected{both.error()};
        map_image image;
        const char* fault = nullptr;
        if (both->ipv4)
            fault = read(std::move(*both->ipv4), image.of_.ipv4);
        if (both->ipv6 && fault == nullptr)
            fault = read(std::move(*both->ipv6), image.of_.ipv6);
        image.of_.has_within_mapped = !image.of_.ipv6.routes.covered(mapped_block).empty();
        if (fault != nullptr)
            return unexpected{image_error{image_errc::damaged, 0, fault, 0}};
        return image;
    }

    // All entries as map_entry<any_prefix, T>, IPv4 first, each family in prefix order.
    iterator begin() const noexcept { return iterator(of_); }
    end_of_routes end() const noexcept { return {}; }

  private:
    friend class map_queries<map_image, T>;

    map_image() = default;
    const detail::opened_families<T>& view() const noexcept { return of_; }

    // Returns a reason if the image is invalid, else null.
    template <class A>
    static const char* read(image<A> file, detail::opened_family<A, T>& to) {
        const value_view& rows = file.values();
        const auto column = rows.find("value");
        if (!column)
            return "the image has no column `value`, so it is not a map";
        std::vector<T> values;
        values.reserve(rows.rows());
        for (std::uint32_t row = 0; row < rows.rows(); ++row) {
            auto value = Codec::read(rows.cell({row}, *column));
            if (!value)
                return "a value of the image is not of this type";
            values.push_back(std::move(*value));
        }
        to.routes = file.routes();
        to.file.emplace(std::move(file));
        to.values = std::move(values);
        return nullptr;
    }

    detail::opened_families<T> of_;
};

} // namespace fingerpost
