// Manifests as text, turned into JSON documents the way `kubectl` reads them. Pure functions.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "api/types/json.h"

namespace bth::manifests {

struct ManifestLimits {
  size_t bytes_max = size_t{256} << 20;  // Of the whole text.
  size_t documents_max = 1'000'000;
  size_t document_bytes_max = size_t{64} << 20;
  size_t values_max = 4'000'000;  // Of one document, after aliases are expanded.
  int depth_max = 64;
};

struct Document {
  types::Json json;
  int number = 0;  // From 1, empty documents counted.
  int line = 0;    // Where it begins, from 1.
};

// Reads YAML documents separated by `---` lines; JSON is YAML too. Plain scalars mean what they
// mean in YAML 1.1 (`yes` is true, 010 is 8), quoted ones are strings, keys become strings. A
// text that begins as JSON objects do is read as one or more JSON values. Documents without
// content are left out.
//
// Errors (kInvalidArgument) begin with `document N: line L: `: syntax, a key given twice, anything
// beyond `limits`.
absl::StatusOr<std::vector<Document>> ParseManifest(std::string_view text,
                                                    const ManifestLimits& limits = {});

// The same where every document must be a map, as objects are; errors name `origin` too.
absl::StatusOr<std::vector<types::Json>> ObjectsFromYaml(std::string_view text,
                                                         std::string_view origin);

}  // namespace bth::manifests
