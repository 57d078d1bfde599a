// Objects as the API server gives them, in short, and compiled.
#pragma once

#include <string>
#include <string_view>

#include "api/types/codec.h"
#include "base/interner.h"
#include "base/strings.h"
#include "cache/intake/compile.h"
#include "cache/intake/compile_hyper_node.h"
#include "tests/support/catch.h"

namespace bth::cache::testing {

template <typename T>
T Read(std::string_view json) {
  absl::StatusOr<T> object = types::Decode<T>(json);
  INFO(json);
  REQUIRE(object.status().ToString() == "OK");
  return *std::move(object);
}

template <typename T>
absl::Status RefusalOf(std::string_view json) {
  Interner symbols;
  const T object = Read<T>(json);
  if constexpr (std::is_same_v<T, types::Pod>) {
    return Compile(object, Responsibility(), symbols).status();
  } else if constexpr (std::is_same_v<T, types::Node>) {
    return Compile(object, symbols).status();
  } else {
    return Compile(object).status();
  }
}

// A pod "ns/<name>" of UID "u-<name>" that asks for `cpu`. `meta`, `spec` and `status` are more
// members, each ending with a comma; `group` may be empty.
struct PodText {
  std::string name = "p";
  std::string group = "g";
  std::string cpu = "1";
  std::string meta;
  std::string spec;
  std::string status = R"("phase":"Pending",)";
  std::string annotations;

  std::string Json() const {
    const std::string of_group =
        group.empty() ? "" : StrCat(R"("scheduling.k8s.io/group-name":")", group, R"(",)");
    return StrCat(R"({"apiVersion":"v1","kind":"Pod","metadata":{"namespace":"ns","name":")", name,
                  R"(","uid":"u-)", name, R"(","creationTimestamp":"2026-01-01T00:00:00Z",)", meta,
                  R"("annotations":{)", of_group, annotations, R"("z":""}},"spec":{)", spec,
                  R"("schedulerName":"volcano","containers":[{"name":"c","image":"i","resources":)",
                  R"({"requests":{"cpu":")", cpu, R"("}}}]},"status":{)", status,
                  R"("message":""}})");
  }
};

inline CompiledPod MakePod(const PodText& text, Interner& symbols) {
  absl::StatusOr<CompiledPod> pod =
      Compile(Read<types::Pod>(text.Json()), Responsibility(), symbols);
  REQUIRE(pod.status().ToString() == "OK");
  return *std::move(pod);
}

inline CompiledNode MakeNode(const std::string& name, std::string_view allocatable,
                             Interner& symbols) {
  absl::StatusOr<CompiledNode> node =
      Compile(Read<types::Node>(StrCat(R"({"apiVersion":"v1","kind":"Node","metadata":{"name":")",
                                       name, R"("},"status":{"allocatable":)", allocatable, "}}")),
              symbols);
  REQUIRE(node.status().ToString() == "OK");
  return *std::move(node);
}

inline CompiledPodGroup MakeGroup(const std::string& name, int min_member,
                                  std::string_view more_spec = "", std::string_view status = "{}") {
  absl::StatusOr<CompiledPodGroup> group = Compile(Read<types::PodGroup>(
      StrCat(R"({"apiVersion":"scheduling.volcano.sh/v1beta1","kind":"PodGroup","metadata":)",
             R"({"namespace":"ns","name":")", name, R"(","uid":"u-)", name,
             R"(","resourceVersion":"7"},"spec":{)", more_spec, R"("minMember":)", min_member,
             R"(},"status":)", status, "}")));
  REQUIRE(group.status().ToString() == "OK");
  return *std::move(group);
}

inline CompiledQueue MakeQueue(const std::string& name, std::string_view spec = "{}",
                               std::string_view status = "{}") {
  absl::StatusOr<CompiledQueue> queue = Compile(Read<types::Queue>(
      StrCat(R"({"apiVersion":"scheduling.volcano.sh/v1beta1","kind":"Queue","metadata":{"name":")",
             name, R"("},"spec":)", spec, R"(,"status":)", status, "}")));
  REQUIRE(queue.status().ToString() == "OK");
  return *std::move(queue);
}

}  // namespace bth::cache::testing
