// Looks up columns of addresses in the images of a table.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "fingerpost/columns/address_reader.hpp"
#include "fingerpost/image/image.hpp"

namespace fingerpost {

// The images must outlive the reader. A family without an image has no routes.
class images_reader : public columns::address_reader {
  public:
    images_reader(const std::optional<ipv4_image>& ipv4, const std::optional<ipv6_image>& ipv6,
                  ipv4_aliases aliases = {}) noexcept
        : ipv4_(ipv4 ? &*ipv4 : nullptr), ipv6_(ipv6 ? &*ipv6 : nullptr), aliases_(aliases),
          has_ipv4_(ipv4_ != nullptr && ipv4_->size() != 0),
          has_mapped_(ipv6_ != nullptr && !ipv6_->routes().covered(mapped_block).empty()) {}

    void lookup(std::span<const ipv4_address> in, std::span<next_hop> out) override {
        lookup_in(ipv4_, in, out);
    }
    void lookup(std::span<const ipv6_address> in, std::span<next_hop> out) override {
        lookup_in(ipv6_, in, out);
    }
    void lookup_halves(std::span<const std::uint64_t> first, std::span<const std::uint64_t> low,
                       std::span<next_hop> out) override {
        if (ipv6_ != nullptr)
            return columns::look_up_halves(*ipv6_, first, low, out);
        std::fill_n(out.begin(), first.size(), next_hop::none);
    }
    void match_prefixes(std::span<const ipv4_prefix> in, std::span<next_hop> out) override {
        match_in(ipv4_, in, out);
    }
    void match_prefixes(std::span<const ipv6_prefix> in, std::span<next_hop> out) override {
        match_in(ipv6_, in, out);
    }
    bool may_answer(ipv4_address) const noexcept override { return has_mapped_; }
    bool may_answer(ipv6_address) const noexcept override { return has_ipv4_; }
    unsigned match_length(ipv6_address a) override {
        const auto longest = ipv6_ != nullptr ? ipv6_->match(a) : std::nullopt;
        return longest ? unsigned{longest->where.length} : 0U;
    }
    ipv4_aliases aliases() const noexcept override { return aliases_; }

  private:
    template <class A>
    static void lookup_in(const image<A>* in_image, std::span<const A> in, std::span<next_hop> out) {
        if (in_image != nullptr)
            return in_image->lookup(in, out);
        std::fill_n(out.begin(), in.size(), next_hop::none);
    }
    template <class A>
    static void match_in(const image<A>* in_image, std::span<const prefix<A>> in, std::span<next_hop> out) {
        for (std::size_t i = 0; i < in.size(); ++i) {
            const auto longest = in_image != nullptr ? in_image->routes().match_prefix(in[i]) : std::nullopt;
            out[i] = longest ? longest->hop : next_hop::none;
        }
    }

    const ipv4_image* ipv4_;
    const ipv6_image* ipv6_;
    ipv4_aliases aliases_;
    bool has_ipv4_;
    bool has_mapped_;
};

} // namespace fingerpost
