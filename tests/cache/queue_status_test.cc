// What the scheduler writes into the status of queues.
#include "absl/strings/match.h"
#include "tests/cache/writer_bed.h"

namespace bth::cache {
namespace {

using client::testing::Answer;
using testing::MakeQueue;
using testing::Refusal;
using testing::WriterBed;
using types::Json;

constexpr char kStatus[] = "/queues/default/status";

// Queue "default", in the versions that the server gave it.
struct QueueStatusBed : WriterBed {
  explicit QueueStatusBed(std::function<net::Response()> answer) {
    server.script = [this, answer = std::move(answer)](const net::Request& request) {
      return absl::EndsWith(request.target, kStatus) ? answer() : Serve(request);
    };
    Show("7", 0);
  }
  void Show(const std::string& version, int64_t milli_cpu) {
    CompiledQueue queue = MakeQueue("default");
    queue.row.uid = "u-queue";
    queue.shown = {version, {{"cpu", milli_cpu}}};
    mirror.PutQueue(std::move(queue));
  }
  void Tell(int64_t milli_cpu) {
    framework::CycleReport report{.snapshot = mirror.Publish(), .session_uid = "s"};
    framework::QueueReport& queue = report.queues.emplace_back();
    queue.queue = report.snapshot->queues_by_name->front();
    queue.allocated[model::kCpu] = milli_cpu;
    effects.Report(std::move(report));
    executor.Advance(absl::Seconds(10));
  }
  // "VERSION CPU" of the last write, and how many there were.
  std::string Last() const {
    const Json body = LastBody(kStatus);
    return StrCat(std::string(body["metadata"]["resourceVersion"].AsString()), " ",
                  std::string(body.At({"status", "allocated", "cpu"}).AsString()), ", ",
                  Sent("PATCH", kStatus).size());
  }
};

TEST_CASE("queue status: what is shown late and is not true is told again", "[cache]") {
  QueueStatusBed bed([version = 9]() mutable {
    return Answer(200, StrCat(R"({"metadata":{"name":"default","resourceVersion":")", ++version,
                              R"("},"spec":{}})"));
  });
  bed.Tell(0);
  bed.Show("8", 0);
  CHECK_FALSE(bed.mirror.statuses_changed());
  // An earlier scheduler has written this, and the list that this one began with was older.
  bed.Show("9", 2000);
  CHECK(bed.mirror.statuses_changed());
  CHECK_FALSE(bed.mirror.changed());
  bed.Tell(0);
  CHECK(bed.Last() == "9 0, 1");
  // Our own write comes back; then a queue of that name is another one.
  bed.Show("10", 0);
  CHECK_FALSE(bed.mirror.statuses_changed());
  bed.mirror.RemoveQueue("default");
  bed.mirror.Publish();
  bed.Show("12", 2000);
  bed.mirror.Publish();
  bed.Show("13", 3000);
  CHECK_FALSE(bed.mirror.statuses_changed());
}

TEST_CASE("queue status: a write rests on the version before it", "[cache]") {
  QueueStatusBed bed([version = 7]() mutable {
    return Answer(200, StrCat(R"({"metadata":{"name":"default","resourceVersion":")", ++version,
                              R"("},"spec":{}})"));
  });
  bed.Tell(2000);
  CHECK(bed.Last() == "7 2, 1");
  bed.Tell(2000);
  CHECK(bed.Last() == "7 2, 1");
  bed.Tell(3000);  // The watch has shown neither.
  CHECK(bed.Last() == "8 3, 2");
  bed.Show("8", 2000);
  bed.Tell(3000);
  CHECK(bed.Last() == "8 3, 2");
  bed.Show("12", 1000);  // Somebody else's.
  bed.Tell(3000);
  CHECK(bed.Last() == "12 3, 3");
  CHECK(bed.writer.idle());
}

TEST_CASE("queue status: what is refused goes on top of what the watch shows then", "[cache]") {
  QueueStatusBed bed([first = true]() mutable {
    return std::exchange(first, false)
               ? Refusal(409, "Conflict")
               : Answer(200, R"({"metadata":{"name":"default","resourceVersion":"10"},"spec":{}})");
  });
  bed.executor.RunAfter(absl::Seconds(1) + absl::Milliseconds(500),
                        [&bed] { bed.Show("9", 1000); });
  bed.Tell(2000);
  CHECK(bed.Last() == "9 2, 2");
  bed.Show("10", 2000);
  bed.executor.Advance(absl::Minutes(1));
  CHECK(bed.Last() == "9 2, 2");
  CHECK(bed.writer.idle());
}

TEST_CASE("queue status: what was counted for a queue is not for another of its name", "[cache]") {
  QueueStatusBed bed([] { return Answer(200, "{}"); });
  framework::CycleReport report{.snapshot = bed.mirror.Publish(), .session_uid = "s"};
  report.queues.emplace_back().queue = report.snapshot->queues_by_name->front();
  report.queues[0].allocated[model::kCpu] = 2000;
  bed.effects.Report(std::move(report));
  CompiledQueue anew = MakeQueue("default");
  anew.row.uid = "another";
  bed.mirror.PutQueue(std::move(anew));
  bed.executor.Advance(absl::Minutes(1));
  CHECK(bed.Sent("PATCH", kStatus).empty());
  CHECK(bed.writer.idle());
}

}  // namespace
}  // namespace bth::cache
