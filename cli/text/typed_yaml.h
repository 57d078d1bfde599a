// Objects in YAML that people wrote, with the types that Go's clients read into them. Pure
// functions, any thread.
#pragma once

#include <string_view>

#include "absl/status/statusor.h"
#include "api/types/json.h"
#include "api/types/resource.h"

namespace bth::cli {

// What guides the reading of such objects: the schema of the kind's definition, and metadata.
types::Json MakeYamlSchema(const types::ResourceType& type);

// Made when it is asked for first: it takes milliseconds.
template <class T>
const types::Json& YamlSchema() {
  static const types::Json schema = MakeYamlSchema(types::ResourceTraits<T>::type());
  return schema;
}

// One document. Kind and version are not looked at, and what is neither metadata nor spec is left
// out. Where the schema has a text, a number or a boolean becomes the text that Go prints for it,
// and null among texts an empty one; where it has an integer, 1.0 becomes 1. Types are not checked
// otherwise. `words` say what should stand there, "job template". Nothing at all is an object
// without members; kInvalidArgument for other values than maps.
absl::StatusOr<types::Json> ObjectFromYaml(std::string_view text, const types::Json& schema,
                                           std::string_view words);

}  // namespace bth::cli
