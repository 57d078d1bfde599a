#include "controllers/job/names.h"

#include "absl/strings/numbers.h"
#include "base/rng.h"
#include "base/strings.h"
#include "controllers/core/seed.h"

namespace bth::controllers {
namespace {

constexpr int kNameSuffixLength = 12;

}  // namespace

std::string PodName(std::string_view job, std::string_view task, int32_t index) {
  return StrCat(job, "-", task, "-", index);
}

bool IsReplica(std::string_view name, std::string_view job, std::string_view task,
               int32_t replicas) {
  const size_t prefix = job.size() + task.size() + 2;
  int32_t index = 0;
  return name.size() > prefix && SimpleAtoi(name.substr(prefix), &index) && index >= 0 &&
         index < replicas && name == PodName(job, task, index);
}

std::string PodGroupName(const types::BatchJob& job) {
  return StrCat(job.meta.name, "-", job.meta.uid);
}

std::string NameWithSuffix(std::string_view prefix, std::string_view seed,
                           const std::function<bool(const std::string&)>& is_taken) {
  Rng rng(SeedOf(seed));
  std::string name;
  do {
    name.assign(prefix);
    for (int i = 0; i < kNameSuffixLength; ++i) {
      name += "0123456789abcdefghijklmnopqrstuvwxyz"[rng.Below(36)];
    }
  } while (is_taken(name));
  return name;
}

}  // namespace bth::controllers
