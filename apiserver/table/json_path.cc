#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/strings/numbers.h"
#include "apiserver/table/table.h"
#include "base/strings.h"

namespace bth::apiserver {
namespace {

constexpr size_t kPathBytesMax = 1024;

// Reads one path from left to right while walking the object.
class Path {
 public:
  explicit Path(std::string_view text) : rest_(text) {}

  Json Evaluate(const Json& object) {
    const Json* at = &object;
    while (!rest_.empty() && at != nullptr) {
      if (rest_.front() == '.') {
        at = Member(*at);
      } else if (rest_.front() == '[') {
        at = Bracket(*at);
      } else {
        return {};
      }
    }
    return at == nullptr ? Json() : *at;
  }

 private:
  const Json* Member(const Json& at) {
    rest_.remove_prefix(1);
    std::string name;
    while (!rest_.empty() && rest_.front() != '.' && rest_.front() != '[') {
      // "a\.b" is one name with a dot.
      if (rest_.front() == '\\' && rest_.size() > 1) rest_.remove_prefix(1);
      name.push_back(rest_.front());
      rest_.remove_prefix(1);
    }
    if (name.empty()) return &at;
    return at.Find(name);
  }

  const Json* Bracket(const Json& at) {
    const size_t close = rest_.starts_with("[?(") ? rest_.find(")]") : rest_.find(']');
    if (close == rest_.npos) return nullptr;
    const bool filter = rest_.starts_with("[?(");
    const std::string_view inside =
        filter ? rest_.substr(3, close - 3) : rest_.substr(1, close - 1);
    rest_.remove_prefix(close + (filter ? 2 : 1));
    if (filter) return Filtered(at, inside);
    if (inside.size() >= 2 && (inside.front() == '\'' || inside.front() == '"')) {
      return at.Find(inside.substr(1, inside.size() - 2));
    }
    int64_t index = 0;
    if (inside == "*") {
      index = 0;
    } else if (!SimpleAtoi(inside, &index)) {
      return nullptr;
    }
    if (index < 0) index += static_cast<int64_t>(at.size());
    if (!at.is_array() || index < 0 || index >= static_cast<int64_t>(at.size())) return nullptr;
    return &at[static_cast<size_t>(index)];
  }

  // @.type=="Ready": the first item of which it holds.
  static const Json* Filtered(const Json& at, std::string_view condition) {
    const size_t sign = condition.find("==");
    if (!condition.starts_with("@.") || sign == condition.npos) return nullptr;
    std::string_view name = condition.substr(2, sign - 2);
    std::string_view value = condition.substr(sign + 2);
    while (name.ends_with(' ')) name.remove_suffix(1);
    while (value.starts_with(' ')) value.remove_prefix(1);
    if (value.size() < 2) return nullptr;
    value = value.substr(1, value.size() - 2);
    for (const Json& item : at.items()) {
      if (item[name].AsString() == value) return &item;
    }
    return nullptr;
  }

  std::string_view rest_;
};

}  // namespace

Json EvaluateJsonPath(const Json& object, std::string_view path) {
  if (path.starts_with('{') && path.ends_with('}')) path = path.substr(1, path.size() - 2);
  if (path.size() > kPathBytesMax) return {};
  return Path(path).Evaluate(object);
}

}  // namespace bth::apiserver
