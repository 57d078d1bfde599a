// Lists and maps by the schema of their kind: what definitions may say, and how they are merged.
#pragma once

#include <string>
#include <vector>

#include "apiserver/patch/merge_keys.h"
#include "apiserver/rest/errors.h"
#include "apiserver/schema/structural.h"

namespace bth::apiserver {

// Broken rules of the x-kubernetes-list and -map keywords of one node at `field`.
void CheckListType(const Json& schema, const std::string& field, std::vector<Cause>& causes);

// How the list at `path` ("spec", "parts": member names, without indexes) of an object is merged
// by server-side apply. Atomic where the schema says nothing. The rule's views are into `schema`.
MergeRule RuleOfSchema(const StructuralSchema& schema, const std::vector<std::string>& path);

// Whether the object at `path` is replaced as a whole (x-kubernetes-map-type: atomic).
bool IsAtomicObject(const StructuralSchema& schema, const std::vector<std::string>& path);

}  // namespace bth::apiserver
