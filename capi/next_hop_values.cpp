// Values of next hops, and tables in files.
#include "capi/next_hop_values.hpp"

#include <array>
#include <optional>
#include <span>

#include "capi/queries.hpp"
#include "fingerpost/image/any_image.hpp"
#include "fingerpost/values/rows.hpp"

using namespace fingerpost;
using namespace fingerpost::capi;

namespace {

constexpr std::string_view only_column = "value";

// Returns an empty view if the file does not have the family.
template <class A>
value_view values_of(const mapped_table& of) noexcept {
    const image<A>* const file = of.file<A>();
    return file == nullptr ? value_view() : file->values();
}

// Returns all texts of the values, each followed by a zero. Throws std::bad_alloc.
std::vector<char> with_zeros(const value_view& values) {
    std::vector<char> texts;
    if (values.columns() == 0)
        return texts;
    const std::span<const std::uint64_t> ends = values.ends();
    texts.reserve(values.bytes().size() + ends.size());
    std::uint64_t from = 0;
    for (const std::uint64_t end : ends) {
        const auto text = values.bytes().subspan(from, end - from);
        texts.insert(texts.end(), text.begin(), text.end());
        texts.push_back('\0');
        from = end;
    }
    return texts;
}

// Returns the text of a cell by its position among all cells. The column names are the first cells.
template <class A>
const char* give(const mapped_table& of, const value_view& values, std::size_t cell,
                 std::size_t* size) noexcept {
    const std::uint32_t number = values.cells()[cell];
    const std::uint64_t start = number == 0 ? 0 : values.ends()[number - 1];
    if (size != nullptr)
        *size = values.ends()[number] - start;
    return of.texts<A>().data() + start + number;
}
const char* give(std::string_view text, std::size_t* size) noexcept {
    if (size != nullptr)
        *size = text.size();
    return text.data();
}

// Calls visit(prefix, bytes) for each route until it returns an error.
template <class A, class F>
status visit_live(const bytes_table& of, F& visit) {
    for (const route<A>& r : of.live().of<A>().copy_routes())
        if (const errc failure = visit(r.where, std::string_view(*of.value_of(A{}, r.hop)));
            failure != errc::ok)
            return failure;
    return {};
}
template <class A, class F>
status visit_mapped(const mapped_table& of, F& visit) {
    const image<A>* const file = of.file<A>();
    if (file == nullptr || file->size() == 0)
        return {};
    const value_view& values = file->values();
    const auto column = values.columns() == 1 ? std::optional(std::size_t{0}) : values.find(only_column);
    if (!column)
        return fail(FINGERPOST_UNSUPPORTED, {"the table has no column 'value'"});
    for (const route<A> r : file->routes())
        if (const errc failure = visit(r.where, file->value(r.hop, *column)); failure != errc::ok)
            return failure;
    return {};
}
template <class F>
status visit_bytes(const fingerpost_table& of, F visit) {
    if (const mapped_table* const mapped = of.mapped(); mapped != nullptr) {
        const status four = visit_mapped<ipv4_address>(*mapped, visit);
        return four.code != FINGERPOST_OK ? four : visit_mapped<ipv6_address>(*mapped, visit);
    }
    bytes_table* const bytes = of.of_bytes();
    if (bytes == nullptr)
        return fail(FINGERPOST_UNSUPPORTED, {"the other table has next hops instead of bytes"});
    // Another thread may be changing the table.
    auto reader = bytes->live().reader();
    if (!reader)
        return reader.error();
    const auto snapshot = reader->pin();
    snapshot.retain_later();
    const status four = visit_live<ipv4_address>(*bytes, visit);
    return four.code != FINGERPOST_OK ? four : visit_live<ipv6_address>(*bytes, visit);
}

// Routes of one family to save in a file.
template <class A>
struct saved_routes {
    std::vector<route<A>> list;
    value_rows rows{std::array{only_column}};
    value_view values{};

    void add(const prefix<A>& where, std::string_view bytes) { list.push_back({where, rows.intern(bytes)}); }
};

// Saves the families that have routes.
image_error write_image(const char* path, saved_routes<ipv4_address>& four, saved_routes<ipv6_address>& six) {
    const bool has_ipv4 = !four.list.empty(), has_ipv6 = !six.list.empty();
    const routes<ipv4_address> ipv4(std::move(four.list));
    const routes<ipv6_address> ipv6(std::move(six.list));
    if (has_ipv4 && !has_ipv6)
        return ipv4_image::save(path, ipv4, four.values);
    if (has_ipv6 && !has_ipv4)
        return ipv6_image::save(path, ipv6, six.values);
    return save_both_images(path, ipv4, four.values, ipv6, six.values);
}

status save(const fingerpost_table& of, const char* path) {
    saved_routes<ipv4_address> four;
    saved_routes<ipv6_address> six;
    if (of.of_bytes() != nullptr) {
        const status read = visit_bytes(of, [&]<class A>(const prefix<A>& where, std::string_view bytes) {
            if constexpr (A::bits == ipv4_address::bits)
                four.add(where, bytes);
            else
                six.add(where, bytes);
            return errc::ok;
        });
        if (read.code != FINGERPOST_OK)
            return read;
        four.values = four.rows.view();
        six.values = six.rows.view();
    } else {
        four.list = covered(of, ipv4_prefix{});
        six.list = covered(of, ipv6_prefix{});
        if (const mapped_table* const mapped = of.mapped(); mapped != nullptr) {
            four.values = values_of<ipv4_address>(*mapped);
            six.values = values_of<ipv6_address>(*mapped);
        }
    }
    const image_error why = write_image(path, four, six);
    return why.failed() ? fail(path, why) : status();
}

} // namespace

namespace fingerpost::capi {

status load_bytes(bytes_table& to, const fingerpost_table& from, commit_result& done) {
    struct rollback {
        bytes_table& in;
        ip_transaction changes;
        ~rollback() { in.roll_back(changes); }
    } pending{to, to.live().begin()};
    const auto erase = [&]<class A>(A) {
        errc failure = errc::ok;
        for (const route<A>& r : to.live().of<A>().copy_routes())
            if (failure == errc::ok)
                failure = to.stage_erase(pending.changes, r.where);
        return failure;
    };
    for (const errc failure : {erase(ipv4_address{}), erase(ipv6_address{})})
        if (failure != errc::ok)
            return failure;
    const status staged = visit_bytes(from, [&](const auto& where, std::string_view bytes) {
        return to.stage(pending.changes, where, bytes);
    });
    if (staged.code != FINGERPOST_OK)
        return staged;
    const auto commit = to.commit(pending.changes);
    if (commit)
        done = *commit;
    return commit ? errc::ok : commit.error();
}

std::size_t file_bytes(const mapped_table& of) noexcept {
    const auto& [four, six] = of.files;
    if (four && six) // from the same file
        return four->memory_bytes() + six->memory_bytes() - four->mapped_bytes();
    return four ? four->memory_bytes() : six->memory_bytes();
}

} // namespace fingerpost::capi

extern "C" {

int fingerpost_save(const fingerpost_table* of, const char* path) {
    return guarded([&] { return of == nullptr || path == nullptr ? null_pointer() : save(*of, path); });
}

int fingerpost_open(const char* path, const char* isa, fingerpost_table** opened) {
    return guarded([&]() -> status {
        if (path == nullptr || opened == nullptr)
            return null_pointer();
        build_options options;
        if (const status chosen = choose_isa(isa, options); chosen.code != FINGERPOST_OK)
            return chosen;
        auto files = open_both_images(path, options);
        if (!files)
            return fail(path, files.error());
        mapped_table table{std::move(*files)};
        table.ipv4_texts = with_zeros(values_of<ipv4_address>(table));
        table.ipv6_texts = with_zeros(values_of<ipv6_address>(table));
        *opened = new fingerpost_table{std::move(table), options.isa};
        return {};
    });
}

const char* fingerpost_value(const fingerpost_reader* by, int family, uint32_t hop, size_t column,
                             size_t* size) {
    if (by == nullptr)
        return nullptr;
    if (const mapped_table* const mapped = by->of->mapped(); mapped != nullptr)
        return with_family<const char*>(family, nullptr, [&]<class A>(A) {
            const value_view values = values_of<A>(*mapped);
            const bool is_there = hop < values.rows() && column < values.columns();
            return is_there
                       ? give<A>(*mapped, values, (std::size_t{hop} + 1) * values.columns() + column, size)
                       : nullptr;
        });
    const bytes_table* const bytes = by->of->of_bytes();
    if (bytes == nullptr || column != 0 || hop == FINGERPOST_NO_ROUTE)
        return nullptr;
    if (!by->held)
        return (void)fail(FINGERPOST_INVALID, {"the reader is not pinned"}), nullptr;
    return give(*bytes->value_of(ipv4_address{}, next_hop{hop}), size);
}

size_t fingerpost_columns(const fingerpost_table* of, int family) {
    return of == nullptr ? 0 : with_family<size_t>(family, 0, [&]<class A>(A) -> size_t {
        return of->mapped() != nullptr ? values_of<A>(*of->mapped()).columns() : of->of_bytes() != nullptr;
    });
}

size_t fingerpost_rows(const fingerpost_table* of, int family) {
    return of == nullptr || of->mapped() == nullptr ? 0 : with_family<size_t>(family, 0, [&]<class A>(A) {
        return values_of<A>(*of->mapped()).rows();
    });
}

const char* fingerpost_column_name(const fingerpost_table* of, int family, size_t column, size_t* size) {
    if (column >= fingerpost_columns(of, family))
        return nullptr;
    if (of->mapped() == nullptr)
        return give(only_column, size);
    return with_family<const char*>(family, nullptr, [&]<class A>(A) {
        return give<A>(*of->mapped(), values_of<A>(*of->mapped()), column, size);
    });
}

} // extern "C"
