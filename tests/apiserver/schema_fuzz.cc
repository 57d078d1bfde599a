// Feeds schemas and objects to the code that definitions and custom resources pass. The first byte
// chooses what is tried; the rest is a schema and, after a zero byte, an object. Nothing may crash;
// whatever CheckStructural accepts can be compiled; an object that was pruned and completed stays
// as it is when that is done again.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "apiserver/rest/duplicate_keys.h"
#include "apiserver/schema/coerce.h"
#include "apiserver/schema/definition_rules.h"
#include "apiserver/schema/list_rules.h"
#include "apiserver/schema/rule_run.h"
#include "apiserver/schema/structural.h"
#include "apiserver/schema/structural_rules.h"
#include "apiserver/schema/validate.h"
#include "base/check.h"

namespace bth::apiserver::testing {
namespace {

constexpr int kDepthMax = 60;

void TryObject(const StructuralSchema& schema, const Json& object) {
  Json kept = object;
  std::vector<std::string> unknown;
  PruneFields(schema, kept, &unknown);
  BTH_CHECK(unknown.size() <= kUnknownMax);
  const bool typed = CoerceMetadata(schema, kept, &unknown).ok();
  DefaultFields(schema.root(), kept);
  Json again = kept;
  unknown.clear();
  PruneFields(schema, again, &unknown);
  DefaultFields(schema.root(), again);
  BTH_CHECK(again == kept || !typed || !unknown.empty());
  const std::vector<Cause> causes = CheckValue({schema.root(), kept, nullptr, ""});
  BTH_CHECK(causes.size() <= kCausesMax);
  // What does not change is never refused.
  BTH_CHECK(CheckValue({schema.root(), kept, &kept, ""}).empty());
  BTH_CHECK(CheckUniqueItems({schema.root(), kept, &kept, ""}).empty());
  CheckValue({schema.root(), kept, &object, "status"});
  BTH_CHECK(RunRules(schema, kept, &object).causes.size() <= kCausesMax);
}

void TrySchema(std::string_view schema_text, std::string_view object_text) {
  const absl::StatusOr<Json> text = Json::Parse(schema_text, {.depth_max = kDepthMax});
  if (!text.ok() || !CheckKeywords(*text).ok()) return;
  const std::vector<Cause> causes = CheckStructural(*text, "schema");
  SchemaWarnings(*text);
  const absl::StatusOr<StructuralSchemaPtr> schema = StructuralSchema::Compile(*text);
  BTH_CHECK(schema.ok() || !causes.empty());
  if (!schema.ok()) return;
  RuleOfSchema(**schema, {"spec", "a"});
  const absl::StatusOr<Json> object = Json::Parse(object_text, {.depth_max = kDepthMax});
  if (object.ok()) TryObject(**schema, *object);
}

void TryDefinition(std::string_view text, std::string_view old_text) {
  const absl::StatusOr<Json> definition = Json::Parse(text, {.depth_max = kDepthMax});
  if (!definition.ok() || !CheckDefinitionKeywords(*definition).ok()) return;
  const absl::StatusOr<Json> old = Json::Parse(old_text, {.depth_max = kDepthMax});
  CheckDefinition(*definition, old.ok() ? &*old : nullptr);
  DefinitionWarnings(*definition);
}

}  // namespace
}  // namespace bth::apiserver::testing

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* bytes, size_t size) {
  using namespace bth::apiserver::testing;
  if (size < 2 || size > (1 << 16)) return 0;
  const std::string_view rest(reinterpret_cast<const char*>(bytes) + 1, size - 1);
  const size_t zero = rest.find('\0');
  const std::string_view first = rest.substr(0, zero);
  const std::string_view second = zero == rest.npos ? "" : rest.substr(zero + 1);
  if (bytes[0] == 's') TrySchema(first, second);
  if (bytes[0] == 'k') bth::apiserver::DuplicateKeys(rest);
  if (bytes[0] == 'd') TryDefinition(first, second);
  return 0;
}
