#include "sim/expectation.h"

#include <string_view>
#include <utility>

#include "base/strings.h"

namespace bth::sim {
namespace {

using types::Json;

// Members of a cycle that an expectation names whole.
bool IsWhole(std::string_view member) {
  return member == "binds" || member == "claims" || member == "devices" || member == "pipelined" ||
         member == "pending" || member == "volumes";
}

// Puts `found` into the short spelling that `expected` uses for it.
Json Shortened(const Json& expected, const Json& found) {
  if (expected.is_string() && found.is_object()) {
    return found.Find("phase") != nullptr ? found["phase"] : found["message"];
  }
  if (expected.is_object() && found.is_array()) {  // Conditions by type.
    Json out = Json::MakeObject();
    for (const Json& item : found.items()) {
      const std::string_view type = item["type"].AsString();
      out.Set(type, Shortened(expected[type], item));
    }
    return out;
  }
  return found;
}

void Compare(const Json& expected, const Json& found, const std::string& path,
             std::vector<std::string>* failures) {
  if (expected.is_null()) return;
  Json actual = Shortened(expected, found);
  if (expected.is_object() && actual.is_object()) {
    for (const auto& [key, value] : expected.members()) {
      const std::string inner = StrCat(path, ".", key);
      if (const Json* member = actual.Find(key)) {
        Compare(value, *member, inner, failures);
      } else {
        failures->push_back(StrCat(inner, ": expected ", value.Dump(), ", found nothing"));
      }
    }
    return;
  }
  if (expected != actual) {
    failures->push_back(StrCat(path, ": expected ", expected.Dump(), ", found ", actual.Dump()));
  }
}

Json Project(const Json& expected, const Json& found, bool whole) {
  if (expected.is_null()) return Json();
  Json actual = Shortened(expected, found);
  if (!expected.is_object() || !actual.is_object()) return actual;
  Json out = Json::MakeObject();
  for (const auto& [key, value] : actual.members()) {
    const Json* before = expected.Find(key);
    if (before != nullptr) {
      out.Set(key, Project(*before, value, false));
    } else if (whole) {
      out.Set(key, Shortened(Json(""), value));
    }
  }
  return out;
}

}  // namespace

void CompareCycle(const Json& expected, const Json& cycle, const std::string& path,
                  std::vector<std::string>* failures) {
  for (const auto& [key, value] : expected.members()) {
    const std::string inner = StrCat(path, ".", key);
    const Json* member = cycle.Find(key);
    if (member == nullptr) {
      failures->push_back(StrCat(inner, ": a cycle has no such member"));
      continue;
    }
    Compare(value, *member, inner, failures);
    if (!IsWhole(key) || value.is_null()) continue;
    for (const auto& [name, extra] : member->members()) {
      if (value.Find(name) != nullptr) continue;
      failures->push_back(StrCat(inner, ".", name, ": not expected, found ", extra.Dump()));
    }
  }
}

Json Reworded(const Json& expected, const Json& cycle) {
  Json out = Json::MakeObject();
  for (const auto& [key, value] : expected.members()) {
    if (const Json* member = cycle.Find(key)) out.Set(key, Project(value, *member, IsWhole(key)));
  }
  return out;
}

}  // namespace bth::sim
