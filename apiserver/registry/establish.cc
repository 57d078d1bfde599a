// What the server itself writes into a CustomResourceDefinition.
#include <algorithm>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "absl/strings/ascii.h"
#include "apiserver/registry/registry.h"
#include "apiserver/schema/definition_rules.h"
#include "base/strings.h"

namespace bth::apiserver {
namespace {

// What became of the names: those that are free, and the last conflict, if any.
struct Names {
  Json accepted = Json::MakeObject();
  std::string reason = "NoConflicts";
  std::string message = "no conflicts found";
  bool free = true;

  void Take(const Json& names, const char* key, const char* conflict,
            const std::set<std::string>& taken) {
    const std::string name(names[key].AsString());
    if (!taken.contains(name)) {
      accepted.Set(key, name);
      return;
    }
    Refuse(conflict, name);
  }
  void Refuse(const char* conflict, const std::string& name) {
    free = false;
    reason = conflict;
    message = StrCat("\"", name, "\" is already in use");
  }
};

Names Negotiate(const Json& names, const TakenNames& taken) {
  Names result;
  result.Take(names, "plural", "PluralConflict", taken.resources);
  result.Take(names, "singular", "SingularConflict", taken.resources);
  bool short_free = true;
  for (const Json& name : names["shortNames"].items()) {
    if (!taken.resources.contains(std::string(name.AsString()))) continue;
    result.Refuse("ShortNamesConflict", std::string(name.AsString()));
    short_free = false;
  }
  if (short_free && !names["shortNames"].empty()) {
    result.accepted.Set("shortNames", names["shortNames"]);
  }
  result.Take(names, "kind", "KindConflict", taken.kinds);
  result.Take(names, "listKind", "ListKindConflict", taken.kinds);
  if (!names["categories"].empty()) result.accepted.Set("categories", names["categories"]);
  return result;
}

// A condition that says what it said before keeps its time.
Json Condition(const Json& before, const char* type, bool holds, const std::string& reason,
               const std::string& message, std::string_view now) {
  const char* status = holds ? "True" : "False";
  for (const Json& present : before.items()) {
    if (present["type"].AsString() == type && present["status"].AsString() == status &&
        present["reason"].AsString() == reason) {
      return present;
    }
  }
  return Json::MakeObject({{"lastTransitionTime", now},
                           {"message", message},
                           {"reason", reason},
                           {"status", status},
                           {"type", type}});
}

}  // namespace

void DefaultDefinition(Json& definition) {
  Json& names = definition.MutableAt({"spec", "names"});
  const std::string kind(std::as_const(names)["kind"].AsString());
  if (std::as_const(names)["singular"].AsString().empty()) {
    names.Set("singular", absl::AsciiStrToLower(kind));
  }
  if (std::as_const(names)["listKind"].AsString().empty() && !kind.empty()) {
    names.Set("listKind", kind + "List");
  }
  Json& conversion = definition.MutableAt({"spec", "conversion"});
  if (!conversion.is_object()) conversion = Json::MakeObject({{"strategy", "None"}});
}

void EstablishDefinition(Json& definition, const TakenNames& taken, std::string_view now) {
  const Json& given = definition;
  Names names = Negotiate(given["spec"]["names"], taken);
  const bool was_established = IsEstablished(given);
  const Json before = given["status"]["conditions"];
  Json::Array conditions;
  conditions.push_back(
      Condition(before, "NamesAccepted", names.free, names.reason, names.message, now));
  // What clients rely on is not taken away from them.
  const bool established = names.free || was_established;
  conditions.push_back(Condition(
      before, "Established", established, established ? "InitialNamesAccepted" : "NotAccepted",
      established ? "the initial names have been accepted" : "not all names are accepted", now));
  Json::Array stored = given["status"]["storedVersions"].items();
  for (const Json& version : given["spec"]["versions"].items()) {
    const bool known = std::find(stored.begin(), stored.end(), version["name"]) != stored.end();
    if (version["storage"].AsBool() && !known) stored.push_back(version["name"]);
  }
  Json& status = definition["status"];
  status.Set("conditions", Json(std::move(conditions)));
  status.Set("acceptedNames", std::move(names.accepted));
  status.Set("storedVersions", Json(std::move(stored)));
}

}  // namespace bth::apiserver
