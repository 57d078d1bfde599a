// What the protobuf messages of the built-in kinds tell about their JSON: the names of all fields.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "api/types/json.h"
#include "api/types/protobuf/schema.h"

namespace bth::apiserver {

// The fields of a message by their JSON names, with those that are inlined; sorted. Empty when the
// message is not known. Lifetime: the program's.
const std::vector<types::ProtoField>& FieldsOfMessage(std::string_view name);

// Null when there is none of that name; `fields` are sorted.
const types::ProtoField* FieldNamed(const std::vector<types::ProtoField>& fields,
                                    std::string_view name);

// The paths of the first fields of `object` that its built-in kind does not have, sorted. Empty
// for kinds whose messages are not known.
std::vector<std::string> UnknownFields(std::string_view group, std::string_view kind,
                                       const types::Json& object);

}  // namespace bth::apiserver
