// Registers lookups by number, and opens the images of expressions from other processes.
#include "python/core/polars/held_lookup.hpp"

#include <cstdint>
#include <map>
#include <mutex>
#include <sys/stat.h>
#include <utility>
#include <vector>

#include <nanobind/stl/string.h>

#include "fingerpost/base/keyed_hash.hpp"
#include "python/core/arrow/array_layout.hpp"
#include "python/core/arrow/arrow_column.hpp"
#include "python/core/arrow/owned.hpp"
#include "python/core/module_lock.hpp"
#include "python/core/raise.hpp"
#include "python/core/table/table_object.hpp"
#include "python/core/table/table_source.hpp"
#include "python/core/vectors/results/arrow_results.hpp"

namespace fingerpost::python {
namespace nb = nanobind;
namespace {

std::string describe(const arrow::column_type& type) {
    arrow::owned<arrow::ArrowSchema> schema;
    arrow::export_type(type, *schema.out());
    return describe_format(*schema);
}

// The existing lookups of this process. Lives as long as the process.
class registry {
  public:
    static registry& get() {
        static auto* const lookups = new registry;
        return *lookups;
    }

    // Numbers are random, so that an expression of another process does not find a lookup here.
    std::int64_t add(const std::shared_ptr<held_lookup>& lookup) {
        const std::lock_guard guard(mutex_);
        for (;;) {
            const auto number = static_cast<std::int64_t>(hash_key::random().seed() >> 1U);
            if (known_.try_emplace(number, lookup).second)
                return number;
        }
    }
    void remove(std::int64_t number) noexcept {
        const std::lock_guard guard(mutex_);
        known_.erase(number);
    }
    std::shared_ptr<held_lookup> find(std::int64_t number) {
        const std::lock_guard guard(mutex_);
        const auto at = known_.find(number);
        return at == known_.end() ? nullptr : at->second.lock();
    }

  private:
    std::mutex mutex_;
    std::map<std::int64_t, std::weak_ptr<held_lookup>> known_;
};

// A number and its lookup, owned by the memory of a column. Polars may free a column in any thread.
struct held_number {
    std::int64_t number = 0;
    std::shared_ptr<held_lookup> lookup;

    held_number() = default;
    held_number(const held_number&) = delete;
    held_number& operator=(const held_number&) = delete;
    ~held_number() {
        registry::get().remove(number);
        if (Py_IsInitialized() == 0) {
            // The objects of the interpreter are gone.
            static_cast<void>(new std::shared_ptr<held_lookup>(std::move(lookup)));
            return;
        }
        const PyGILState_STATE gil = PyGILState_Ensure();
        lookup.reset();
        PyGILState_Release(gil);
    }
};

// Opened images by their paths. Lives as long as the process.
class opened_images {
  public:
    static opened_images& get() {
        static auto* const images = new opened_images;
        return *images;
    }

    std::shared_ptr<shared_table> open(nb::handle path_object) {
        const std::string path = path_of(path_object);
        const std::vector<std::int64_t> version = version_of(path);
        {
            const std::lock_guard guard(mutex_);
            const image& known = known_[path];
            if (known.table != nullptr && known.version == version)
                return known.table;
        }
        image opened{version, open_image(path_object)};
        const std::lock_guard guard(mutex_);
        std::swap(known_[path], opened);
        return known_[path].table;
    }

  private:
    struct image {
        std::vector<std::int64_t> version;
        std::shared_ptr<shared_table> table;
    };

    static std::vector<std::int64_t> version_of(const std::string& path) {
        struct stat facts {};
        if (::stat(path.c_str(), &facts) != 0)
            return {};
        return {static_cast<std::int64_t>(facts.st_dev), static_cast<std::int64_t>(facts.st_ino),
                facts.st_size, facts.st_mtim.tv_sec, facts.st_mtim.tv_nsec};
    }

    std::mutex mutex_;
    std::map<std::string, image> known_;
};

// Returns the number of a lookup, the path of its image or None, and a column of one row that keeps it alive.
nb::tuple hold_lookup(const table_object& table, nb::handle want, nb::handle missed, nb::handle on_error,
                      nb::handle threads) {
    const auto held = std::make_shared<held_number>();
    held->lookup = std::make_shared<held_lookup>(options_of(table.shared, want, missed, on_error, threads));
    // Raise the exceptions of a lookup now.
    static_cast<void>(type_of_results(held->lookup->options()));
    held->number = registry::get().add(held->lookup);
    arrow::chunk row;
    row.type = arrow::kind::int64;
    row.length = 1;
    row.values = std::shared_ptr<const void>(held, &held->number);
    const arrow::column_type type{arrow::kind::int64, {}, {}};
    nb::object path = nb::none();
    if (const std::string& name = table.shared->path(); !name.empty())
        path = nb::steal(PyUnicode_DecodeFSDefaultAndSize(name.data(), static_cast<Py_ssize_t>(name.size())));
    return nb::make_tuple(
        held->number, path,
        nb::cast(arrow::column(type, {std::make_shared<const arrow::chunk>(std::move(row))}, false)));
}

} // namespace

arrow::column_type held_lookup::type() {
    arrow::column_type now = type_of_results(options_);
    require_type(now);
    return now;
}

void held_lookup::require_type(const arrow::column_type& now) {
    std::string name = describe(now);
    if (!known_type_)
        known_type_ = std::move(name);
    else if (*known_type_ != name)
        raise(PyExc_TypeError, "the values of the table had type " + *known_type_ +
                                   " when the expression was first used, but have type " + name +
                                   " now: create the expression again");
}

void bind_held_lookups(nb::module_& to) {
    to.def("_hold_lookup", &hold_lookup, nb::arg("table"), nb::arg("want").none(), nb::arg("default").none(),
           nb::arg("on_error").none(), nb::arg("threads").none(),
           "Returns the number of a lookup for a Polars expression, the path of the image or None, and a "
           "column that keeps the lookup alive.",
           locked());
}

std::shared_ptr<held_lookup> find_lookup(nb::bytes options) {
    const nb::object fields = nb::module_::import_("pickle").attr("loads")(options);
    if (auto known = registry::get().find(nb::cast<std::int64_t>(fields["number"])))
        return known;
    if (fields["image"].is_none())
        raise(PyExc_ValueError, "the table of this expression is in the memory of another process: save it "
                                "with Table.save(), and "
                                "create the expression with Table.open(path)");
    auto table = opened_images::get().open(fields["image"]);
    return std::make_shared<held_lookup>(options_of(std::move(table), fields["want"], fields["default"],
                                                    fields["on_error"], fields["threads"]));
}

} // namespace fingerpost::python
