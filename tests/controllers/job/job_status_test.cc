// What is written as the status of a job is what the server gives back.
#include "controllers/job/job_status.h"

#include <memory>
#include <string>
#include <utility>

#include "api/types/codec.h"
#include "base/strings.h"
#include "controllers/core/status_patch.h"
#include "tests/controllers/job/job_text.h"
#include "tests/support/api_bed.h"
#include "tests/support/catch.h"

namespace bth::test {
namespace {

using controllers::JobPointer;
using controllers::ObjectStore;
using types::BatchJob;

constexpr const char* kJobsPath = "/apis/batch.volcano.sh/v1alpha1/namespaces/default/jobs";

// Half a second and a bit, so that rounding to the nearest second would be seen as well.
const absl::Time kNow = absl::FromUnixMillis(1'767'225'600'750);

net::Awaitable<void> Write(ApiBed& bed, ObjectStore<BatchJob>& store, JobPointer before,
                           BatchJob after, controllers::Known<BatchJob>* answer) {
  *answer = co_await controllers::WriteStatus(*bed.api, store, std::move(before), std::move(after));
}

TEST_CASE("job status: a stamp is in whole seconds, as the server keeps it", "[controllers][job]") {
  ApiBed bed;
  bed.Create(kJobsPath, R"({"metadata":{"name":"j"},"spec":{"queue":"default","minAvailable":1,)"
                        R"("tasks":[{"name":"a","replicas":1,"template":{"spec":{"containers":[)"
                        R"({"name":"c","image":"i"}]}}}]}})");
  absl::StatusOr<BatchJob> made =
      types::Decode<BatchJob>(std::string_view(bed.Call("GET", StrCat(kJobsPath, "/j")).text));
  REQUIRE(made.ok());
  BatchJob wanted = *made;
  wanted.status.state.phase = types::JobPhase::kPending;
  controllers::StampStatus(kNow, &wanted.status);
  CHECK(wanted.status.state.last_transition_time == absl::FromUnixSeconds(1'767'225'600));
  REQUIRE(wanted.status.conditions.size() == 1);

  ObjectStore<BatchJob> store;
  controllers::Known<BatchJob> answer;
  net::Spawn(bed.executor, Write(bed, store, Shared(*std::move(made)), wanted, &answer));
  REQUIRE(bed.executor.RunUntilIdle());
  REQUIRE(answer.status().ToString() == "OK");
  CHECK((*answer)->status == wanted.status);
  // And what is read again, by a process that starts anew, is no reason to write.
  absl::StatusOr<BatchJob> read =
      types::Decode<BatchJob>(std::string_view(bed.Call("GET", StrCat(kJobsPath, "/j")).text));
  REQUIRE(read.ok());
  CHECK_FALSE(controllers::StatusPatch(*read, wanted).has_value());
  // The store has it without a watch.
  const JobPointer known = store.Find("default", "j");
  REQUIRE(known != nullptr);
  CHECK(known->status == wanted.status);
}

}  // namespace
}  // namespace bth::test
