// Sources by name, and images.
#include "sql/table_sources.hpp"

#include <atomic>
#include <map>
#include <mutex>
#include <optional>
#include <shared_mutex>
#include <stdexcept>
#include <utility>
#include <vector>

#include "fingerpost/image/images_reader.hpp"
#include "fingerpost/registry/registry.hpp"
#include "io/format/parts/printable.hpp"

namespace fingerpost::sql {
namespace {

// The routes of a family and a FIB in which the next hop of each route is its number.
template <class A>
struct numbered_routes {
    std::vector<route<A>> sorted;
    fib_pointer<A> fib;

    explicit numbered_routes(const std::optional<image<A>>& of) {
        if (!of)
            return;
        sorted = of->copy_routes();
        std::vector<route<A>> numbers = sorted;
        for (std::size_t i = 0; i < numbers.size(); ++i)
            numbers[i].hop = {static_cast<std::uint32_t>(i)};
        auto built = default_scheme<A>().build(routes<A>(std::move(numbers)), {});
        if (!built)
            throw std::bad_alloc();
        fib = std::move(*built);
    }
};

struct numbered_images {
    explicit numbered_images(const both_images& of) : ipv4(of.ipv4), ipv6(of.ipv6) {}
    numbered_routes<ipv4_address> ipv4;
    numbered_routes<ipv6_address> ipv6;
};

// Looks up numbers of routes. Other questions than the result of an address go to the images.
class number_reader final : public images_reader {
  public:
    number_reader(const both_images& of, const numbered_images& numbered)
        : images_reader(of.ipv4, of.ipv6), numbered_(numbered) {}
    void lookup(std::span<const ipv4_address> in, std::span<next_hop> out) override {
        lookup_in(numbered_.ipv4, in, out);
    }
    void lookup(std::span<const ipv6_address> in, std::span<next_hop> out) override {
        lookup_in(numbered_.ipv6, in, out);
    }

  private:
    template <class A>
    static void lookup_in(const numbered_routes<A>& routes, std::span<const A> in, std::span<next_hop> out) {
        if (routes.fib)
            return routes.fib->lookup(in, out);
        std::fill_n(out.begin(), in.size(), next_hop::none);
    }

    const numbered_images& numbered_;
};

struct matches {
    std::vector<route<ipv4_address>> ipv4;
    std::vector<route<ipv6_address>> ipv6;
};

// Looks up one by one in the routes of the images, and numbers routes in the order of their matches.
class match_reader final : public images_reader {
  public:
    match_reader(const both_images& of, matches& to)
        : images_reader(of.ipv4, of.ipv6), images_(of), matches_(to) {}
    void lookup(std::span<const ipv4_address> in, std::span<next_hop> out) override {
        match_in(images_.ipv4, matches_.ipv4, in, out);
    }
    void lookup(std::span<const ipv6_address> in, std::span<next_hop> out) override {
        match_in(images_.ipv6, matches_.ipv6, in, out);
    }

  private:
    template <class A>
    static void match_in(const std::optional<image<A>>& from, std::vector<route<A>>& to,
                         std::span<const A> in, std::span<next_hop> out) {
        for (std::size_t i = 0; i < in.size(); ++i) {
            const auto longest = from ? from->match(in[i]) : std::nullopt;
            out[i] = longest ? next_hop{static_cast<std::uint32_t>(to.size())} : next_hop::none;
            if (longest)
                to.push_back(*longest);
        }
    }

    const both_images& images_;
    matches& matches_;
};

class image_lookup final : public chunk_lookup {
  public:
    image_lookup(const both_images& of, ask what, const numbered_images* numbered)
        : images_(of), what_(what), numbered_(numbered) {}
    std::unique_ptr<columns::address_reader> reader() override {
        if (what_ == ask::hops)
            return std::make_unique<images_reader>(images_.ipv4, images_.ipv6);
        if (numbered_ != nullptr)
            return std::make_unique<number_reader>(images_, *numbered_);
        return std::make_unique<match_reader>(images_, matches_);
    }
    const value_view& values(bool is_ipv4) const noexcept override {
        static const value_view none;
        if (is_ipv4)
            return images_.ipv4 ? images_.ipv4->values() : none;
        return images_.ipv6 ? images_.ipv6->values() : none;
    }
    const route<ipv4_address>& ipv4_route(next_hop number) const noexcept override {
        return numbered_ != nullptr ? numbered_->ipv4.sorted[number.id] : matches_.ipv4[number.id];
    }
    const route<ipv6_address>& ipv6_route(next_hop number) const noexcept override {
        return numbered_ != nullptr ? numbered_->ipv6.sorted[number.id] : matches_.ipv6[number.id];
    }

  private:
    const both_images& images_;
    ask what_;
    const numbered_images* numbered_;
    matches matches_;
};

// Columns of both families, which have the same names. A column with different types has the joined type.
struct image_columns {
    std::vector<std::string> names;
    std::vector<column_type> types;

    explicit image_columns(const both_images& of) {
        static const value_view none;
        const value_view& ipv4 = of.ipv4 ? of.ipv4->values() : none;
        const value_view& ipv6 = of.ipv6 ? of.ipv6->values() : none;
        if (of.ipv4 && of.ipv6 && !has_same_names(ipv4, ipv6))
            throw std::runtime_error("the images of the two families have different columns");
        const value_view& either = of.ipv4 ? ipv4 : ipv6;
        for (std::size_t i = 0; i < either.columns(); ++i) {
            names.emplace_back(either.name(i));
            types.push_back(of.ipv4 && of.ipv6 ? joined(ipv4.type(i), ipv6.type(i)) : either.type(i));
        }
    }

  private:
    static bool has_same_names(const value_view& a, const value_view& b) {
        bool is_same = a.columns() == b.columns();
        for (std::size_t i = 0; is_same && i < a.columns(); ++i)
            is_same = a.name(i) == b.name(i);
        return is_same;
    }
};

bool has_utf8_texts(const both_images& of) {
    const auto is_valid = [](const auto& in) {
        if (!in)
            return true;
        const value_view& values = in->values();
        std::uint64_t start = 0;
        for (const std::uint64_t end : values.ends()) {
            if (!io::is_utf8({values.bytes().data() + start, end - start}))
                return false;
            start = end;
        }
        return true;
    };
    return is_valid(of.ipv4) && is_valid(of.ipv6);
}

class image_source final : public table_source {
  public:
    explicit image_source(both_images images)
        : images_(std::move(images)), columns_(images_), has_utf8_(has_utf8_texts(images_)) {}
    std::unique_ptr<chunk_lookup> begin(ask what, std::size_t rows) override {
        return std::make_unique<image_lookup>(images_, what, what == ask::routes ? numbered(rows) : nullptr);
    }
    std::span<const std::string> columns() const override { return columns_.names; }
    std::span<const column_type> types() const noexcept override { return columns_.types; }
    std::uint32_t first_ipv6_index() const noexcept override {
        return images_.ipv4 ? static_cast<std::uint32_t>(images_.ipv4->values().rows()) : 0;
    }
    bool has_lasting_texts() const noexcept override { return has_utf8_; }
    const both_images* images() const noexcept override { return &images_; }

  private:
    // Numbering all routes pays off once more rows than 1/16 of the routes have been looked up.
    static constexpr std::size_t routes_per_row = 16;

    const numbered_images* numbered(std::size_t rows) {
        const std::size_t routes =
            (images_.ipv4 ? images_.ipv4->size() : 0) + (images_.ipv6 ? images_.ipv6->size() : 0);
        if (rows_.fetch_add(rows, std::memory_order_relaxed) + rows < routes / routes_per_row)
            return nullptr;
        const std::lock_guard guard(mutex_);
        if (!numbered_)
            numbered_.emplace(images_);
        return &*numbered_;
    }

    both_images images_;
    image_columns columns_;
    bool has_utf8_;
    std::atomic<std::size_t> rows_ = 0;
    std::mutex mutex_; // guards `numbered_` until it exists
    std::optional<numbered_images> numbered_;
};

struct named_sources {
    std::shared_mutex mutex;
    std::map<std::string, std::shared_ptr<table_source>, std::less<>> by_name;
};

// It is never destroyed, because DuckDB may still use texts of images at the end of the process.
named_sources& sources() {
    static auto* const all = new named_sources;
    return *all;
}

} // namespace

std::shared_ptr<table_source> source_named(std::string_view name) {
    named_sources& in = sources();
    {
        const std::shared_lock guard(in.mutex);
        if (const auto known = in.by_name.find(name); known != in.by_name.end())
            return known->second;
    }
    auto opened = open_both_images(std::string(name));
    if (!opened)
        throw std::runtime_error(std::string(name) + ": " + to_string(opened.error()));
    auto source = std::make_shared<image_source>(std::move(*opened));
    const std::lock_guard guard(in.mutex);
    return in.by_name.try_emplace(std::string(name), std::move(source)).first->second;
}

std::shared_ptr<table_source> open_images(const std::string& path) {
    auto source = source_named(path);
    if (source->images() == nullptr)
        throw std::runtime_error(path + " is not an image");
    return source;
}

void set_source(std::string name, std::shared_ptr<table_source> source) {
    named_sources& in = sources();
    // The old source is destroyed last, without the lock.
    const std::lock_guard guard(in.mutex);
    in.by_name[std::move(name)].swap(source);
}

} // namespace fingerpost::sql
