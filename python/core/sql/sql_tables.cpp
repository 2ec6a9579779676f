// DuckDB calls from its own threads, which take the GIL to begin and to end the lookups of a chunk of rows.
#include "python/core/sql/sql_tables.hpp"

#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>

#include <nanobind/stl/string.h>

#include "python/core/module_lock.hpp"
#include "python/core/query.hpp"
#include "python/core/sql/static_registration.hpp"
#include "python/core/table/table_object.hpp"
#include "sql/table_sources.hpp"

namespace fingerpost::python {
namespace nb = nanobind;
namespace {

// A thread's right to the GIL, which it holds only while take() runs its argument.
class gil_access {
  public:
    gil_access() : state_(PyGILState_Ensure()), thread_(PyEval_SaveThread()) {}
    ~gil_access() {
        PyEval_RestoreThread(thread_);
        PyGILState_Release(state_);
    }
    gil_access(const gil_access&) = delete;
    gil_access& operator=(const gil_access&) = delete;

    template <class F>
    void take(F work) {
        PyEval_RestoreThread(thread_);
        struct release {
            gil_access* of;
            ~release() { of->thread_ = PyEval_SaveThread(); }
        } const at_end{this};
        const module_lock lock;
        work();
    }

  private:
    PyGILState_STATE state_;
    PyThreadState* thread_;
};

class table_lookup final : public sql::chunk_lookup {
  public:
    table_lookup(const std::shared_ptr<shared_table>& table, ask what, std::size_t rows) {
        gil_.take([&] { query_.emplace(table, what, rows); });
    }
    ~table_lookup() override {
        gil_.take([&] { query_.reset(); });
    }
    std::unique_ptr<columns::address_reader> reader() override { return query_->join(); }
    void settle() override {
        gil_.take([&] { query_->settle(); });
    }
    const value_view& values(bool is_ipv4) const noexcept override {
        return is_ipv4 ? query_->rows<ipv4_address>() : query_->rows<ipv6_address>();
    }
    const route<ipv4_address>& ipv4_route(next_hop number) const noexcept override {
        return query_->route_of<ipv4_address>(number);
    }
    const route<ipv6_address>& ipv6_route(next_hop number) const noexcept override {
        return query_->route_of<ipv6_address>(number);
    }

  private:
    gil_access gil_;
    std::optional<query> query_;
};

class table_of_python final : public sql::table_source {
  public:
    explicit table_of_python(std::shared_ptr<shared_table> table) : table_(std::move(table)) {}
    // The last thread that uses the source may be one of DuckDB's, and its values need the GIL.
    ~table_of_python() override {
        const nb::gil_scoped_acquire gil;
        table_.reset();
    }
    std::unique_ptr<sql::chunk_lookup> begin(sql::ask what, std::size_t rows) override {
        return std::make_unique<table_lookup>(table_, what == sql::ask::routes ? ask::routes : ask::hops,
                                              rows);
    }
    std::span<const std::string> columns() const override { return table_->columns(); }
    std::span<const column_type> types() const noexcept override { return table_->types(); }
    std::uint32_t first_ipv6_index() const noexcept override {
        const auto& ipv4 = table_->part<ipv4_address>().saved;
        return ipv4 ? static_cast<std::uint32_t>(ipv4->values().rows()) : 0;
    }
    // A change may move the texts of a live table.
    bool has_lasting_texts() const noexcept override { return false; }

  private:
    std::shared_ptr<shared_table> table_;
};

// Stands for a table that was removed, for statements that are still prepared.
class removed_table final : public sql::table_source {
  public:
    explicit removed_table(std::string message) : message_(std::move(message)) {}
    std::unique_ptr<sql::chunk_lookup> begin(sql::ask, std::size_t) override {
        throw std::runtime_error(message_);
    }
    std::span<const std::string> columns() const override { throw std::runtime_error(message_); }
    std::span<const column_type> types() const noexcept override { return {}; }
    std::uint32_t first_ipv6_index() const noexcept override { return 0; }
    bool has_lasting_texts() const noexcept override { return false; }

  private:
    std::string message_;
};

} // namespace

void bind_sql(nb::module_& to) {
    to.def(
        "_register_sql_functions",
        [](const std::string& module_path) {
            const nb::gil_scoped_release free;
            return register_in_module(module_path.c_str());
        },
        nb::arg("module_path"),
        "Registers the SQL functions in all databases that this module of DuckDB opens afterwards. Returns "
        "False if "
        "the module is too old.");
    to.def(
        "_set_sql_table",
        [](std::string name, const table_object& table) {
            sql::set_source(std::move(name), std::make_shared<table_of_python>(table.shared));
        },
        nb::arg("name"), nb::arg("table"), "Makes a table known to the SQL functions under a name.",
        locked());
    to.def(
        "_remove_sql_table",
        [](std::string name, std::string message) {
            sql::set_source(std::move(name), std::make_shared<removed_table>(std::move(message)));
        },
        nb::arg("name"), nb::arg("message"), "Makes SQL functions fail with this message for the name.",
        locked());
}

} // namespace fingerpost::python
