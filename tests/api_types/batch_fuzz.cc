// Objects of the batch kinds: nothing crashes, what is read can be written and read again, reading
// in place equals reading from a tree, by events and the short way, and what is kept raw stays as
// it was.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "api/types/batch_job.h"
#include "api/types/codec.h"
#include "api/types/command.h"
#include "api/types/cron_job.h"
#include "api/types/fragment_view.h"
#include "api/types/job_flow.h"
#include "base/check.h"

namespace {

// What views leave out.
void ForgetRaws(bth::types::BatchJobSpec* spec) {
  for (bth::types::BatchTask& task : spec->tasks) task.pod_template.raw = nullptr;
  for (bth::types::BatchVolume& volume : spec->volumes) volume.claim.raw = nullptr;
}
void ForgetRaws(bth::types::RawView<bth::types::BatchJobSpec>* spec) {
  spec->raw = nullptr;
  ForgetRaws(&spec->view);
}
void ForgetRaws(bth::types::BatchJob* job) {
  ForgetRaws(&job->spec);
}
void ForgetRaws(bth::types::CronJob* job) {
  ForgetRaws(&job->spec.job_template.spec);
}
void ForgetRaws(bth::types::JobTemplate* job_template) {
  ForgetRaws(&job_template->spec);
}
void ForgetRaws(bth::types::JobFlow* flow) {
  for (bth::types::Flow& one : flow->spec.flows) ForgetRaws(&one.patch);
}
void ForgetRaws(bth::types::Command*) {}

template <class T>
void RoundTripBatch(const std::string& text) {
  using namespace bth::types;
  (void)DecodeList<T>(text);
  (void)DecodeWatchEvent<T>(text);
  const auto object = Decode<T>(text);
  if (!object.ok()) return;
  const std::string encoded = Encode(*object);
  const auto again = Decode<T>(encoded);
  BTH_CHECK(again.ok());
  BTH_CHECK(Encode(*again) == encoded);
  BTH_CHECK(*FragmentFromJson<ObjectMeta>(FragmentToJson(object->meta)) == object->meta);
  if (const auto tree = Json::Parse(text); tree.ok()) {
    // Written out once, because the text itself may repeat keys, and a tree does not.
    const auto from_tree = Decode<T>(*tree);
    const auto from_text = Decode<T>(tree->Dump());
    BTH_CHECK(from_tree.ok() == from_text.ok());
    if (from_tree.ok()) BTH_CHECK(*from_tree == *from_text);
    auto fragment = FragmentFromJson<T>(*tree);
    auto view = FragmentViewFromJson<T>(*tree);
    BTH_CHECK(view.status() == fragment.status());
    const auto outline = FragmentOutlineFromJson<T>(*tree);
    BTH_CHECK(outline.status() == fragment.status());
    if (!view.ok()) return;
    ForgetRaws(&*fragment);
    ForgetRaws(&*view);
    BTH_CHECK(*view == *fragment);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace bth::types;
  const std::string text(reinterpret_cast<const char*>(data), size);
  // The kinds differ, so a text that names its kind is an object of one of them only.
  RoundTripBatch<BatchJob>(text);
  RoundTripBatch<CronJob>(text);
  RoundTripBatch<JobFlow>(text);
  RoundTripBatch<JobTemplate>(text);
  RoundTripBatch<Command>(text);
  return 0;
}
