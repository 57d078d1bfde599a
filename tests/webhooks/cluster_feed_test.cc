#include "admission/webhooks/cluster_feed.h"

#include "tests/support/api_bed.h"

namespace bth::admission {
namespace {

constexpr char kQueues[] = "/apis/scheduling.volcano.sh/v1beta1/queues";

struct FeedBed : test::ApiBed {
  explicit FeedBed(bool namespaces = true)
      : feed(std::make_unique<ClusterFeed>(*api, rng, metrics,
                                           ClusterFeed::Options{.namespaces = namespaces})) {}
  ~FeedBed() { feed.reset(); }
  void MakeQueue(const std::string& name, const std::string& parent) {
    Create(kQueues,
           StrCat(R"({"apiVersion":"scheduling.volcano.sh/v1beta1","kind":"Queue",)",
                  R"("metadata":{"name":")", name, R"("},"spec":{"parent":")", parent, "\"}}"));
  }

  Rng rng{1};
  metrics::Registry registry;
  metrics::AdmissionMetrics metrics{registry, {}};
  std::unique_ptr<ClusterFeed> feed;
};

TEST_CASE("cluster feed: queues and namespaces are known as they change", "[webhooks][feed]") {
  FeedBed bed;
  bed.MakeQueue("p", "root");
  bed.Create(
      "/api/v1/namespaces",
      R"({"metadata":{"name":"team","annotations":{"scheduling.volcano.sh/queue-name":"p"}}})");
  CHECK_FALSE(bed.feed->AllSynced());
  bed.feed->Start();
  bed.Settle();
  CHECK(bed.feed->AllSynced());
  const ClusterView& view = bed.feed->view();
  CHECK(view.FindQueue("p") != nullptr);
  CHECK(view.NamespaceAnnotation("team", "scheduling.volcano.sh/queue-name") == "p");
  bed.MakeQueue("c", "p");
  bed.Settle();
  CHECK(view.ChildrenOf("p").size() == 1);
  REQUIRE(bed.Call("PATCH", StrCat(kQueues, "/c"), R"({"spec":{"parent":"root"}})",
                   "application/merge-patch+json")
              .code == 200);
  bed.Settle();
  CHECK(view.ChildrenOf("p").empty());
  CHECK(view.ChildrenOf("root").size() == 2);
  REQUIRE(bed.Call("DELETE", StrCat(kQueues, "/p")).code == 200);
  REQUIRE(bed.Call("PATCH", "/api/v1/namespaces/team",
                   R"({"metadata":{"annotations":{"scheduling.volcano.sh/queue-name":null}}})",
                   "application/merge-patch+json")
              .code == 200);
  bed.Settle();
  CHECK(view.FindQueue("p") == nullptr);
  CHECK(view.namespaces() == 0);
}

TEST_CASE("cluster feed: namespaces are not asked for where no rule needs them",
          "[webhooks][feed]") {
  FeedBed bed(false);
  bool asked = false;
  bed.line->on_request = [&asked](const net::Request& request) {
    asked = asked || request.target.find("/namespaces") != std::string::npos;
  };
  bed.feed->Start();
  bed.Settle();
  CHECK(bed.feed->AllSynced());
  CHECK_FALSE(asked);
}

TEST_CASE("cluster feed: what is not listed yet is named", "[webhooks][feed]") {
  FeedBed bed;
  bed.line->script = [](const net::Request& request) -> std::optional<test::Fault> {
    if (request.target.find("/queues") == std::string::npos) return std::nullopt;
    return test::Fault{.code = 403, .reason = "Forbidden"};
  };
  bed.feed->Start();
  bed.Settle();
  CHECK(bed.feed->Unsynced() == std::vector<std::string>{"queues.scheduling.volcano.sh"});
}

}  // namespace
}  // namespace bth::admission
