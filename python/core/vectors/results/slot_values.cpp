// Determines the common type of all values.
#include "python/core/vectors/results/slot_values.hpp"

#include <string>

#include "python/core/keys.hpp"
#include "python/core/raise.hpp"

namespace fingerpost::python {
namespace {

// The kind of a value, according to its type or base type. A bool is not an integer here.
enum class sort : std::uint8_t { none, text, integer, floating, other };

sort sort_of(PyObject* value) {
    if (value == Py_None)
        return sort::none;
    if (PyUnicode_Check(value))
        return sort::text;
    if (PyLong_Check(value) && !PyBool_Check(value))
        return sort::integer;
    return PyFloat_Check(value) ? sort::floating : sort::other;
}

[[noreturn]] void refuse(const std::string& why) {
    raise(PyExc_TypeError,
          "the values of this table are objects, and " + why +
              ": an Arrow column needs values that are all str, all 64-bit int, or all int or "
              "float (None is null); want='index', 'length' and 'prefix' always work");
}

class reader {
  public:
    explicit reader(std::size_t slots) {
        values_.texts.resize(slots);
        values_.integers.resize(slots);
        values_.floats.resize(slots);
        values_.is_null.resize(slots);
    }

    void add(std::size_t slot, PyObject* value) {
        const sort what = sort_of(value);
        switch (what) {
        case sort::none:
            values_.is_null[slot] = 1;
            values_.any_null = true;
            return;
        case sort::text: {
            const auto text = text_of(value);
            if (!text)
                refuse(shown(value) + " is not valid Unicode");
            values_.texts[slot] = texts_.add(*text);
            break;
        }
        case sort::integer:
            values_.integers[slot] = PyLong_AsLongLong(value);
            if (values_.integers[slot] == -1 && PyErr_Occurred() != nullptr) {
                PyErr_Clear();
                refuse(shown(value) + " is too large");
            }
            values_.floats[slot] = static_cast<double>(values_.integers[slot]);
            break;
        case sort::floating:
            values_.floats[slot] = PyFloat_AsDouble(value);
            break;
        case sort::other:
            refuse(shown(value) + " has type " + type_name(value));
        }
        has_sort_[static_cast<std::size_t>(what)] = true;
    }

    slot_values finish() {
        const bool text = has_sort_[static_cast<std::size_t>(sort::text)];
        const bool floating = has_sort_[static_cast<std::size_t>(sort::floating)];
        const bool integer = has_sort_[static_cast<std::size_t>(sort::integer)];
        if (text && (floating || integer))
            refuse("some are text and some are numbers");
        values_.type = floating  ? arrow::kind::float64
                       : integer ? arrow::kind::int64
                                 : arrow::kind::utf8_view;
        if (values_.type != arrow::kind::utf8_view)
            values_.texts = {};
        if (values_.type != arrow::kind::int64)
            values_.integers = {};
        if (values_.type != arrow::kind::float64)
            values_.floats = {};
        std::move(texts_).finish(values_.buffers);
        return std::move(values_);
    }

  private:
    slot_values values_;
    arrow::text_store texts_;
    bool has_sort_[5] = {};
};

} // namespace

std::shared_ptr<const slot_values> read_slots(shared_table& of, function_ref<std::vector<bool>()> name) {
    const object_slots& objects = of.values().objects();
    const bool may_be_kept = !objects.has_waiting() && !of.is_committing();
    if (may_be_kept && of.known_slots() != nullptr)
        return of.known_slots();
    const std::vector<bool> named = objects.has_waiting() ? name() : std::vector<bool>();
    reader values(objects.size());
    for (std::size_t slot = 0; slot < objects.size(); ++slot) {
        const next_hop hop{static_cast<std::uint32_t>(slot)};
        if (objects.is_used(hop) || (slot < named.size() && named[slot]))
            values.add(slot, objects[hop]);
    }
    auto result = std::make_shared<const slot_values>(values.finish());
    if (may_be_kept)
        of.known_slots() = result;
    return result;
}

} // namespace fingerpost::python
