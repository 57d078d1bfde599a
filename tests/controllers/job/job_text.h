// Batch jobs and their pods for tests of pure functions.
#pragma once

#include <memory>
#include <string>
#include <utility>

#include "api/types/codec.h"
#include "base/strings.h"
#include "controllers/job/job_book.h"
#include "controllers/job/keys.h"
#include "tests/support/catch.h"

namespace bth::test {

// From the JSON of metadata (without braces), spec and status.
inline types::BatchJob ParseJob(const std::string& spec, const std::string& status = "{}",
                                const std::string& meta = "") {
  const std::string text =
      StrCat(R"({"metadata":{"name":"job1","namespace":"test","uid":"uid-1","resourceVersion":"7")",
             meta.empty() ? "" : ",", meta, R"(},"spec":)", spec, R"(,"status":)", status, "}");
  INFO(text);
  absl::StatusOr<types::BatchJob> job = types::Decode<types::BatchJob>(text);
  REQUIRE(job.status().ToString() == "OK");
  return *std::move(job);
}

inline std::string ContainersText(const std::string& cpu = "") {
  return StrCat(R"({"spec":{"containers":[{"name":"c","image":"img")",
                cpu.empty() ? "" : StrCat(R"(,"resources":{"requests":{"cpu":")", cpu, R"("}})"),
                "}]}}");
}

inline types::Pod MakePod(const std::string& name, const std::string& task,
                          const std::string& phase, const std::string& job_uid = "uid-1") {
  types::Pod pod;
  pod.meta.name = name;
  pod.meta.ns = "test";
  pod.meta.uid = "pod-" + name;
  pod.meta.resource_version = "1";
  pod.meta.annotations.Set(controllers::kJobNameKey, "job1");
  pod.meta.annotations.Set(controllers::kTaskSpecKey, task);
  pod.meta.annotations.Set(controllers::kJobVersionKey, "0");
  types::OwnerReference owner;
  owner.api_version = "batch.volcano.sh/v1alpha1";
  owner.kind = "Job";
  owner.name = "job1";
  owner.uid = job_uid;
  owner.controller = true;
  pod.meta.owner_references.push_back(std::move(owner));
  pod.status.phase = phase;
  return pod;
}

inline controllers::PodPointer Shared(types::Pod pod) {
  return std::make_shared<const types::Pod>(std::move(pod));
}
inline controllers::JobPointer Shared(types::BatchJob job) {
  return std::make_shared<const types::BatchJob>(std::move(job));
}

inline controllers::JobView ViewOf(types::BatchJob job, const std::vector<types::Pod>& pods) {
  controllers::JobBook book;
  REQUIRE(book.Add(Shared(std::move(job))).ok());
  for (const types::Pod& pod : pods) REQUIRE(book.AddPod(Shared(pod)).ok());
  absl::StatusOr<controllers::JobView> view = book.Get("test/job1");
  REQUIRE(view.ok());
  return *std::move(view);
}

}  // namespace bth::test
