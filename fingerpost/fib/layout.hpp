// Base class for schemes that list their arrays and define one lookup. Memory figures, traces, saving and
// opening are derived from these.
//
// A class that derives from laid_out has
//
//     template <class Self, class Visit>
//     static void for_each_array(Self& of, Visit visit);   calls visit(name, member) in file order for every
//                                                          array, codec and number; arrays with the same
//                                                          name are one part of memory
//     template <class Read>
//     next_hop find(Read&& read, A a) const;               one lookup, which reads all arrays through `read`
//     void visit(node_visitor<A> each) const;              see inspectable.hpp
//     void check(const layout_check& in) const;            see layout_check
//     void ready(const build_options& options);            optional: chooses kernels, creates views
//
// and gets memory_bytes(), memory_parts(), trace(), save() and open(). A member is one of these:
//
//     aligned_array, node_pool, block_pool, std::vector   an array: memory, and a section of a file
//     next_hop_codec, hash_key                            saved as its list of next hops, or its seed
//     a trivially copyable number                         a section; its memory belongs to the object
//     std::array, anything else with memory_bytes()       only memory: tables that all FIBs share, and data
//                                                         that only changes need
//
// The reader defines the effect of a read. With plain_reads it is only the load: find() is then the lookup,
// or the scalar reference for a lookup with vectors. With tracing_reads, each read becomes a step of trace(),
// to which `read.tell()` adds information that only find() has. A FIB may pass its arrays as pointers,
// because a read is identified by its address.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "fingerpost/base/keyed_hash.hpp"
#include "fingerpost/fib/inspectable.hpp"
#include "fingerpost/fib/parts/answers/next_hop_codec.hpp"
#include "fingerpost/fib/plain_reads.hpp"
#include "fingerpost/fib/saveable.hpp"

namespace fingerpost {

// Calls visit() with the memory of each piece of an array, in order, as bytes.
template <class T, class Visit>
void for_each_piece(const T& array, Visit visit) {
    if constexpr (requires { array.chunks(); })
        for (const auto chunk : array.chunks())
            visit(std::as_bytes(chunk));
    else
        visit(std::as_bytes(std::span(array.data(), array.size())));
}
template <class T>
concept layout_codec = std::same_as<std::remove_const_t<T>, next_hop_codec>;
template <class T>
concept layout_array = (!layout_codec<T> && requires(const T& array) {
                           array.data();
                           array.size();
                       }) || requires(const T& array) { array.chunks(); };
// Members that are counted but not saved.
template <class T>
concept layout_unsaved =
    (layout_array<T> && requires { std::tuple_size<std::remove_const_t<T>>::value; }) ||
    (!layout_array<T> && !layout_codec<T> && requires(const T& of) { of.memory_bytes(); });

// Contiguous memory in a part of a FIB.
struct layout_piece {
    std::string_view part;
    std::span<const std::byte> bytes;
    std::size_t offset = 0; // position of the piece in the part
    bool grows = false;     // may have grown in place, so its end is not checked
};
template <class F>
std::vector<layout_piece> pieces_of(const F& fib) {
    std::vector<layout_piece> pieces;
    F::for_each_array(fib, [&](std::string_view name, const auto& member) {
        using type = std::remove_cvref_t<decltype(member)>;
        std::size_t offset = 0;
        const auto add = [&](std::span<const std::byte> piece) {
            pieces.push_back({name, piece, offset});
            offset += piece.size();
        };
        if constexpr (layout_codec<type>)
            add(std::as_bytes(member.decoder().hops));
        else if constexpr (layout_array<type>)
            for_each_piece(member, add);
        else if constexpr (!layout_unsaved<type>)
            pieces.push_back({"object", std::as_bytes(std::span(&member, 1))});
    });
    return pieces;
}

// A step of a trace. find() fills it through these functions, so kernels need not include this header.
struct traced_step : trace_step {
    std::vector<std::uint64_t> held{};

    // Bits past the end of the address are not counted.
    void looks_at(unsigned from, unsigned count) noexcept {
        first_bit = from;
        bits = count;
    }
    void compares_keys(std::uint64_t sought, std::vector<std::uint64_t> keys) {
        with = compared::keys;
        key = sought;
        held = std::move(keys);
    }
    // `slot` is the number of the bit that determines the next step.
    void tests_bitmaps(std::uint64_t slot, std::vector<std::uint64_t> words) {
        with = compared::bitmap;
        key = slot;
        held = std::move(words);
    }
    void misses() noexcept { result = outcome::missed; }
};

// Converts each read to a step. A read outside all arrays throws std::out_of_range; it means that check() has
// accepted a damaged file.
class tracing_reads {
  public:
    tracing_reads(std::vector<layout_piece> pieces, unsigned address_bits, step_visitor each)
        : pieces_(std::move(pieces)), address_bits_(address_bits), each_(each) {
        // In a file, an empty piece begins at the same position as the next one.
        std::erase_if(pieces_, [](const layout_piece& piece) { return piece.bytes.empty(); });
        std::sort(pieces_.begin(), pieces_.end(), [](const layout_piece& a, const layout_piece& b) {
            return std::less<>()(a.bytes.data(), b.bytes.data());
        });
    }

    template <class Array>
    decltype(auto) operator()(const Array& from, std::size_t index) {
        const auto* const at = std::addressof(from[index]);
        begin(at, sizeof *at, index);
        return *at;
    }
    template <class T>
    const T* operator()(const T* from, std::size_t index, std::size_t count) {
        if (count > 0) // an empty read is not a step
            begin(from + index, count * sizeof(T), index);
        return from + index;
    }
    // Calls `tell` with the traced_step of the last read, to complete it.
    template <class Tell>
    void tell(Tell tell) {
        tell(step_);
    }
    next_hop answer(const next_hop_decoder& hops, std::uint32_t number) {
        if (hops.hops.empty() || number == next_hop::none.id)
            return next_hop{number};
        return (*this)(hops.hops, number);
    }
    // Call it after the lookup.
    void end() {
        if (step_.result == outcome::goes_on)
            step_.result = outcome::answered;
        send();
    }

  private:
    void begin(const void* at, std::size_t bytes, std::size_t index) {
        send();
        // std::less is defined even for pointers into different arrays.
        const auto* const first = static_cast<const std::byte*>(at);
        auto piece = std::upper_bound(pieces_.begin(), pieces_.end(), first,
                                      [](const std::byte* place, const layout_piece& p) {
                                          return std::less<>()(place, p.bytes.data());
                                      });
        if (piece == pieces_.begin())
            throw std::out_of_range("a lookup reads outside the arrays");
        --piece;
        const auto inside = static_cast<std::size_t>(first - piece->bytes.data());
        if (!piece->grows && (inside > piece->bytes.size() || bytes > piece->bytes.size() - inside))
            throw std::out_of_range("a lookup reads outside the arrays");
        step_ = {};
        step_.part = piece->part;
        step_.at = at;
        step_.offset = piece->offset + inside;
        step_.bytes = static_cast<std::uint32_t>(bytes);
        step_.key = index;
    }
    void send() {
        if (step_.at == nullptr)
            return;
        step_.first_bit = std::min(step_.first_bit, address_bits_);
        step_.bits = std::min(step_.bits, address_bits_ - step_.first_bit);
        step_.values = step_.held;
        each_(step_);
    }

    std::vector<layout_piece> pieces_;
    unsigned address_bits_;
    step_visitor each_;
    traced_step step_{}; // not sent yet; `at` is null before the first read
};

// std::lower_bound over `count` ascending items: returns the index of the first item that is not below
// `sought`. Items are compared with `bits` bits of the address. number(item) is the number shown in a step.
template <class T, class Read, class Number>
std::size_t search_sorted(Read& read, const T* sorted, std::size_t count, const T& sought, unsigned bits,
                          Number number) {
    std::size_t first = 0;
    while (count > 0) {
        const std::size_t half = count / 2;
        const T& probed = read(sorted, first + half);
        read.tell([&](auto& step) {
            step.looks_at(0, bits);
            step.compares_keys(number(sought), {number(probed)});
        });
        if (probed < sought) {
            first += half + 1;
            count -= half + 1;
        } else {
            count = half;
        }
    }
    return first;
}

// A fault in arrays from a file: thrown by check(), caught by open().
struct layout_fault {
    const void* at;
    const char* reason;
};

// For check(), which verifies the arrays of an opened FIB. It throws layout_fault unless lookups of all
// addresses end and read nothing outside the arrays. It does not verify that results are right for some
// table. It takes time linear in the size of the arrays, whatever they contain.
struct layout_check {
    static void require(bool holds, const void* at, const char* reason) {
        if (!holds)
            throw layout_fault{at, reason};
    }
    // Requires that the reference at `at` leads to `count` items of an array from `index`.
    template <class Array>
    static void leads_into(const Array& to, std::size_t index, std::size_t count, const void* at) {
        require(index <= to.size() && count <= to.size() - index, at, "an index is outside its array");
    }
    static void is_code(const next_hop_codec& codec, std::uint32_t code, const void* at) {
        require(codec.has_code(code), at, "a code has no next hop");
    }
};

namespace detail {

constexpr std::uint32_t layout_kind(std::size_t ordinal) noexcept {
    return first_own_section + static_cast<std::uint32_t>(ordinal);
}

// `Strict` refuses types with padding. It is set for the widths that users can save.
template <bool Strict>
class layout_writer {
  public:
    template <layout_unsaved T>
    void operator()(std::string_view, const T&) {}
    template <class T>
    void operator()(std::string_view, const T& member) {
        saved_section section{};
        section.kind = layout_kind(to.sections.size());
        if constexpr (layout_codec<T>) {
            section.detail = member.bytes();
            put(section, member.decoder().hops);
        } else if constexpr (layout_array<T>) {
            if constexpr (requires { member.chunks(); })
                for (const auto chunk : member.chunks())
                    put(section, chunk);
            else
                put(section, std::span(member.data(), member.size()));
        } else if constexpr (std::same_as<T, hash_key>) {
            put(section, std::span(&member.seed(), 1));
        } else {
            put(section, std::span(&member, 1));
        }
        to.sections.push_back(std::move(section));
    }

    saved_arrays to;

  private:
    template <class T>
    static void put(saved_section& to, std::span<const T> items) {
        static_assert(!Strict || std::has_unique_object_representations_v<T>, "no padding gets into a file");
        to.item_bytes = to.value_bytes = sizeof(T);
        if (to.bytes.empty())
            to.bytes = std::as_bytes(items);
        else
            to.rest.push_back(std::as_bytes(items));
    }
};

// Makes arrays refer to the sections of a file.
class layout_reader {
  public:
    explicit layout_reader(const saved_arrays& from) noexcept : from_(from) {}

    template <layout_unsaved T>
    void operator()(std::string_view, T&) {}
    template <class T>
    void operator()(std::string_view, T& member) {
        const std::size_t number = next_++;
        if (fault)
            return;
        if (number >= from_.sections.size())
            fault = {saved_fault::part::section_count, 0, nullptr, "sections are missing"};
        else if (from_.sections[number].kind != layout_kind(number))
            fault = {saved_fault::part::section, number, nullptr, "a section of another kind belongs here"};
        else if (!take(from_.sections[number], member))
            fault = {saved_fault::part::section, number, nullptr, "a section has another size"};
    }
    void expect_end() {
        if (!fault && next_ != from_.sections.size())
            fault = {saved_fault::part::section_count, 0, nullptr, "there are too many sections"};
    }

    std::optional<saved_fault> fault;

  private:
    template <class T>
    static bool items_of(const saved_section& from, std::span<const T>& items) noexcept {
        items = {reinterpret_cast<const T*>(from.bytes.data()), from.bytes.size() / sizeof(T)};
        return from.bytes.size() % sizeof(T) == 0;
    }
    template <class T>
    static bool take(const saved_section& from, T& to) {
        if constexpr (layout_codec<T>) {
            std::span<const next_hop> hops;
            return items_of(from, hops) && to.open(from.detail, hops);
        } else if constexpr (layout_array<T>) {
            std::span<const typename T::value_type> items;
            if (!items_of(from, items))
                return false;
            if constexpr (requires { T::borrow(items); })
                to = T::borrow(items);
            else
                to.assign(items.begin(), items.end());
            return true;
        } else {
            std::span<const std::conditional_t<std::same_as<T, hash_key>, std::uint64_t, T>> items;
            if (!items_of(from, items) || items.size() != 1)
                return false;
            to = T(items.front());
            return true;
        }
    }

    const saved_arrays& from_;
    std::size_t next_ = 0;
};

} // namespace detail

template <class F, class A>
class laid_out {
  public:
    using opened_fib = F;

    // Memory in a mapped file is not counted.
    std::size_t memory_bytes() const noexcept {
        std::size_t sum = sizeof(F);
        F::for_each_array(self(), [&](std::string_view, const auto& member) {
            bool is_borrowed = false;
            if constexpr (requires { member.is_borrowed(); })
                is_borrowed = member.is_borrowed();
            sum += (is_borrowed ? 0 : bytes_of(member)) + overhead_of(member);
        });
        return sum;
    }
    std::vector<memory_part> memory_parts() const {
        std::vector<memory_part> parts;
        std::size_t object = sizeof(F);
        F::for_each_array(self(), [&](std::string_view name, const auto& member) {
            using type = std::remove_cvref_t<decltype(member)>;
            if constexpr (layout_codec<type> || layout_array<type> || layout_unsaved<type>) {
                const auto same = [&](const memory_part& part) { return part.name == name; };
                const auto at = std::find_if(parts.begin(), parts.end(), same);
                (at != parts.end() ? *at : parts.emplace_back(memory_part{name})).bytes += bytes_of(member);
            }
            object += overhead_of(member);
        });
        parts.push_back({"object", object});
        return parts;
    }

    next_hop trace(A a, step_visitor each) const {
        tracing_reads read(pieces_of(self()), A::bits, each);
        const next_hop hop = self().find(read, a);
        read.end();
        return hop;
    }

    saved_arrays save() const {
        detail::layout_writer<A::bits == 32 || A::bits == 128> write;
        F::for_each_array(self(), write);
        return std::move(write.to);
    }
    static expected<F, saved_fault> open(const saved_arrays& from, const build_options& options) try {
        F fib;
        detail::layout_reader read(from);
        F::for_each_array(fib, read);
        read.expect_end();
        if (read.fault)
            return unexpected{*read.fault};
        fib.check(layout_check{});
        if constexpr (requires { fib.ready(options); })
            fib.ready(options);
        return fib;
    } catch (const layout_fault& wrong) {
        return unexpected{saved_fault{saved_fault::part::contents, 0, wrong.at, wrong.reason}};
    }

  private:
    const F& self() const noexcept { return static_cast<const F&>(*this); }

    template <class T>
    static std::size_t bytes_of(const T& member) noexcept {
        if constexpr (requires { member.node_bytes(); })
            return member.node_bytes();
        else if constexpr (requires { member.memory_bytes(); })
            return member.memory_bytes();
        else if constexpr (layout_array<T>)
            return member.size() * sizeof member.data()[0];
        else
            return 0;
    }
    // Memory of an array in addition to its items.
    template <class T>
    static std::size_t overhead_of(const T& member) noexcept {
        if constexpr (requires { member.node_bytes(); })
            return member.memory_bytes() - member.node_bytes();
        else
            return 0;
    }
};

} // namespace fingerpost
