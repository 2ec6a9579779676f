// Builds a tree from the events of nlohmann's parser.
#include "io/format/parts/json/json_tree.hpp"

#if FINGERPOST_HAVE_JSON
#include <nlohmann/json.hpp>
#endif
#include <algorithm>
#include <utility>

#include "io/format/parts/json/json_fault.hpp"

namespace fingerpost::io {

#if FINGERPOST_HAVE_JSON

namespace {

class tree_listener {
  public:
    using json = nlohmann::json;

    explicit tree_listener(json_tree& root) : root_(root) {}
    const std::string& fault() const noexcept { return fault_; }

    bool null() { return take({}); }
    bool boolean(bool value) { return take(value ? "true" : "false"); }
    bool number_integer(json::number_integer_t value) { return take(std::to_string(value)); }
    bool number_unsigned(json::number_unsigned_t value) { return take(std::to_string(value)); }
    bool number_float(json::number_float_t, const std::string& text) { return take(text); }
    bool string(std::string& text) { return take(std::move(text)); }
    bool binary(json::binary_t&) { return false; }
    bool start_object(std::size_t) { return enter(json_tree::kinds::object); }
    bool end_object() { return leave(); }
    bool start_array(std::size_t) { return enter(json_tree::kinds::array); }
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
    // Only the innermost open value grows, so pointers to the others stay valid.
    json_tree& add() {
        json_tree& node = open_.empty() ? root_ : open_.back()->inside.emplace_back();
        node.name = std::exchange(key_, {});
        return node;
    }
    bool take(std::string text) {
        add().text = std::move(text);
        return true;
    }
    bool enter(json_tree::kinds kind) {
        // The destructor recurses once for each level.
        constexpr std::size_t max_depth = 1000;
        if (open_.size() == max_depth) {
            fault_ = "JSON with more than 1000 nested levels";
            return false;
        }
        json_tree& node = add();
        node.kind = kind;
        open_.push_back(&node);
        return true;
    }
    bool leave() {
        open_.pop_back();
        return true;
    }

    json_tree& root_;
    std::vector<json_tree*> open_;
    std::string key_;
    std::string fault_;
};

} // namespace

std::optional<std::string> parse_json(std::string_view text, json_tree& into) {
    into = {};
    tree_listener listener(into);
    if (nlohmann::json::sax_parse(text.begin(), text.end(), &listener))
        return std::nullopt;
    return listener.fault();
}

#else

std::optional<std::string> parse_json(std::string_view, json_tree&) {
    return "JSON, which this build cannot read (nlohmann_json was missing)";
}

#endif

const json_tree* json_tree::find(std::string_view member) const noexcept {
    if (kind != kinds::object)
        return nullptr;
    const auto match = std::find_if(inside.rbegin(), inside.rend(),
                                    [&](const json_tree& node) { return node.name == member; });
    return match == inside.rend() ? nullptr : &*match;
}

std::string_view json_tree::text_of(std::string_view member) const noexcept {
    const json_tree* const node = find(member);
    return node == nullptr ? std::string_view() : std::string_view(node->text);
}

const std::vector<json_tree>& json_tree::elements_of(std::string_view member) const noexcept {
    static const std::vector<json_tree> none;
    const json_tree* const node = find(member);
    return node == nullptr || node->kind != kinds::array ? none : node->inside;
}

} // namespace fingerpost::io
