// Handles the events of nlohmann's parser, without building a tree.
#include "io/format/parts/json/json_members.hpp"

#if FINGERPOST_HAVE_JSON
#include <nlohmann/json.hpp>
#endif
#include <algorithm>
#include <cstdint>
#include <utility>

#include "io/format/parts/json/json_fault.hpp"

namespace fingerpost::io {

#if FINGERPOST_HAVE_JSON

class json_listener {
  public:
    using json = nlohmann::json;

    json_listener(json_members& into, std::string_view nested) : into_(into), nested_(nested) {}
    const std::string& fault() const noexcept { return fault_; }

    bool null() { return take({}, std::nullopt); }
    bool boolean(bool value) { return take(value ? "true" : "false", column_type::boolean); }
    bool number_integer(json::number_integer_t value) {
        return take(std::to_string(value), column_type::integer);
    }
    bool number_unsigned(json::number_unsigned_t value) {
        return take(std::to_string(value), column_type::integer);
    }
    bool number_float(json::number_float_t, const std::string& text) {
        return take(text, column_type::number);
    }
    bool string(std::string& text) { return take(std::move(text), column_type::text); }
    bool binary(json::binary_t&) { return false; }

    bool start_object(std::size_t) {
        ++depth_;
        parent_ = key_;
        if (depth_ == 3 && in_nested_)
            into_.elements_.emplace_back();
        return true;
    }
    bool end_object() { return leave(); }
    bool start_array(std::size_t) {
        ++depth_;
        in_nested_ = in_nested_ || (depth_ == 2 && !nested_.empty() && key_ == nested_);
        return true;
    }
    bool end_array() { return leave(); }
    bool key(std::string& name) {
        key_ = std::move(name);
        return true;
    }
    bool parse_error(std::size_t, const std::string&, const json::exception& error) {
        fault_ = json_fault(error.what());
        return false;
    }

  private:
    bool leave() {
        --depth_;
        in_nested_ = in_nested_ && depth_ >= 2;
        return true;
    }
    bool take(std::string text, json_type type) {
        if (depth_ == 1) {
            json_member& member = into_.add();
            member.name = std::move(key_);
            member.text = std::move(text);
            member.type = type;
        } else if (depth_ == 3 && in_nested_ && !into_.elements_.empty()) {
            into_.elements_.back().push_back({std::move(key_), std::move(text), type});
        } else if (depth_ == 2 && !nested_.empty()) {
            into_.add() = {parent_ + "." + key_, std::move(text), type};
        } else if (depth_ == 4 && in_nested_ && !into_.elements_.empty()) {
            into_.elements_.back().push_back({parent_ + "." + key_, std::move(text), type});
        }
        return true;
    }

    json_members& into_;
    std::string_view nested_;
    std::string key_;
    std::string parent_; // key of the object that was entered last
    std::string fault_;
    std::size_t depth_ = 0;
    bool in_nested_ = false;
};

std::optional<std::string> json_members::parse(std::string_view object, std::string_view nested) {
    used_ = 0;
    elements_.clear();
    json_listener listener(*this, nested);
    if (nlohmann::json::sax_parse(object.begin(), object.end(), &listener))
        return std::nullopt;
    return listener.fault();
}

#else

std::optional<std::string> json_members::parse(std::string_view, std::string_view) {
    return "JSON, which this build cannot read (nlohmann_json was missing)";
}

#endif

json_member& json_members::add() {
    if (used_ == members_.size())
        members_.emplace_back();
    return members_[used_++];
}

std::string_view json_members::text_of(std::string_view name) const noexcept {
    for (std::size_t i = used_; i > 0; --i)
        if (members_[i - 1].name == name)
            return members_[i - 1].text;
    return {};
}

std::string_view text_of(const std::vector<json_member>& members, std::string_view name) noexcept {
    const auto match = std::find_if(members.rbegin(), members.rend(),
                                    [&](const json_member& member) { return member.name == name; });
    return match == members.rend() ? std::string_view() : std::string_view(match->text);
}

} // namespace fingerpost::io
