// Iterates over a Table. Copies its routes at the start, and creates texts and values one by one.
#include <utility>

#include "python/core/module_lock.hpp"
#include "python/core/raise.hpp"
#include "python/core/table/table_object.hpp"

namespace fingerpost::python {
namespace nb = nanobind;
namespace {

class route_walk {
  public:
    route_walk(nb::handle table, walk_over what, bool backwards)
        : table_(nb::borrow(table)), kept_(std::make_unique<kept_values>(shared())), what_(what),
          backwards_(backwards), ipv4_(shared()->copy_routes<ipv4_address>()),
          ipv6_(shared()->copy_routes<ipv6_address>()) {}

    // Releases values that the table no longer uses while it holds the lock.
    ~route_walk() {
        const module_lock lock;
        finish();
    }
    route_walk(const route_walk&) = delete;
    route_walk& operator=(const route_walk&) = delete;

    nb::object next() {
        if (left() == 0) {
            finish();
            throw nb::stop_iteration();
        }
        const std::size_t at = backwards_ ? left() - 1 : at_;
        ++at_;
        return at < ipv4_.size() ? item(ipv4_[at]) : item(ipv6_[at - ipv4_.size()]);
    }
    std::size_t left() const noexcept { return kept_ == nullptr ? 0 : ipv4_.size() + ipv6_.size() - at_; }

    int traverse(visitproc visit, void* with) const {
        return table_.is_valid() ? visit(table_.ptr(), with) : 0;
    }
    // Releases everything, including values that the table no longer uses.
    void finish() {
        ipv4_ = {};
        ipv6_ = {};
        // Destroying these runs Python code, so the state must be consistent before.
        const nb::object table = std::move(table_);
        const auto values_guard = std::move(kept_);
    }

  private:
    std::shared_ptr<shared_table> shared() const { return nb::cast<const table_object&>(table_).shared; }
    template <class A>
    nb::object item(const route<A>& entry) const {
        if (what_ == walk_over::prefixes)
            return nb::steal(new_text(entry.where));
        nb::object value = nb::steal(kept_->table().value_of<A>(entry.hop));
        if (what_ == walk_over::values)
            return value;
        return nb::make_tuple(nb::steal(new_text(entry.where)), value);
    }

    nb::object table_;
    std::unique_ptr<kept_values> kept_;
    walk_over what_;
    bool backwards_;
    std::vector<route<ipv4_address>> ipv4_;
    std::vector<route<ipv6_address>> ipv6_;
    std::size_t at_ = 0;
};

int traverse_walk(PyObject* self, visitproc visit, void* arg) {
    Py_VISIT(Py_TYPE(self));
    return nb::inst_ready(self) ? nb::inst_ptr<route_walk>(self)->traverse(visit, arg) : 0;
}

int clear_walk(PyObject* self) {
    const module_lock lock;
    if (nb::inst_ready(self))
        nb::inst_ptr<route_walk>(self)->finish();
    return 0;
}

PyType_Slot walk_slots[] = {{Py_tp_traverse, reinterpret_cast<void*>(traverse_walk)},
                            {Py_tp_clear, reinterpret_cast<void*>(clear_walk)},
                            {0, nullptr}};

} // namespace

nb::object iterate(nb::handle table, walk_over what, bool backwards) {
    const module_lock lock;
    return nb::cast(new route_walk(table, what, backwards), nb::rv_policy::take_ownership);
}

void bind_iterator(nb::module_& to) {
    nb::class_<route_walk>(to, "_RouteIterator", nb::type_slots(walk_slots),
                           "Iterates over the routes that the table had at the start of the iteration.")
        .def("__iter__", [](nb::handle self) { return nb::borrow(self); })
        .def("__next__", &route_walk::next, locked())
        .def("__length_hint__", &route_walk::left, locked());
}

} // namespace fingerpost::python
