// GPUs shared by memory, or given out whole.
#include "tests/devices/objects.h"

namespace bth::devices {
namespace {

using testing::MakeNode;
using testing::MakePod;
using testing::Read;

constexpr model::DeviceKind kGpuShareKind{model::DeviceFamily::kGpuShare, 0};

model::DeviceSettings ByMemory() {
  model::DeviceSettings settings;
  settings.gpu_memory = true;
  return settings;
}
model::DeviceSettings ByNumber() {
  model::DeviceSettings settings;
  settings.gpu_number = true;
  return settings;
}

std::string Limit(const char* resource, int64_t amount) {
  return StrCat("\"volcano.sh/", resource, "\":\"", amount, "\"");
}

types::Pod WithInit(const char* resource, const std::vector<int64_t>& init, int64_t main) {
  types::Pod pod = MakePod({Limit(resource, main)});
  for (const int64_t amount : init) {
    pod.spec.init_containers.push_back(MakePod({Limit(resource, amount)}).spec.containers[0]);
  }
  return pod;
}

TEST_CASE("gpushare: what a pod asks for", "[devices]") {
  const auto memory = [](const types::Pod& pod) {
    return ReadRequests(pod, ByMemory())->requests[0].containers;
  };
  const auto number = [](const types::Pod& pod) {
    return ReadRequests(pod, ByNumber())->requests[0].containers[0].count;
  };
  using Asks = std::vector<model::ContainerDeviceRequest>;
  CHECK(memory(MakePod({Limit("gpu-memory", 1), Limit("gpu-memory", 3)})) ==
        Asks{{.count = 1, .memory = 4}});
  CHECK(memory(WithInit("gpu-memory", {1, 3}, 2)) == Asks{{.count = 1, .memory = 3}});
  CHECK(number(MakePod({Limit("gpu-number", 1), Limit("gpu-number", 3)})) == 4);
  CHECK(number(WithInit("gpu-number", {1, 3}, 2)) == 3);
  // Only what the policy counts is a request.
  CHECK(ReadRequests(MakePod({Limit("gpu-number", 1)}), ByMemory()) == nullptr);
  CHECK(ReadRequests(MakePod({Limit("gpu-memory", 1)}), ByNumber()) == nullptr);
  CHECK(ReadRequests(MakePod({Limit("gpu-memory", 1)}), model::DeviceSettings()) == nullptr);
}

TEST_CASE("gpushare: the cards of a node", "[devices]") {
  const auto ids = [](const std::string& annotations, const std::string& capacity) {
    const auto node = ReadNode(MakeNode(annotations, capacity), ByMemory());
    std::string out;
    if (node == nullptr) return out;
    for (const model::Device& card : node->pools[0].devices) {
      StrAppend(&out, card.id, "=", card.memory, " ");
    }
    return out;
  };
  const std::string three = StrCat(Limit("gpu-memory", 31), ",", Limit("gpu-number", 3));
  CHECK(ids("", three) == "0=10 1=10 2=10 ");
  CHECK(ids(R"("volcano.sh/gpu-unhealthy-ids":"1")", three) == "0=10 2=10 ");
  CHECK(ids(R"("volcano.sh/gpu-unhealthy-ids":"0,x,,-1,2,99")", three) == "1=10 ");
  CHECK(ids("", Limit("gpu-memory", 31)).empty());
  CHECK(ids("", Limit("gpu-number", 3)).empty());
  CHECK(ids("", StrCat(Limit("gpu-memory", 31), ",", Limit("gpu-number", 0))).empty());
  CHECK(ids("", StrCat(Limit("gpu-memory", 31), ",", Limit("gpu-number", 1'000'000))).empty());
}

// Two cards of 1000, who holds them, and who asks.
struct SharedCards {
  explicit SharedCards(model::DeviceSettings mode) : settings(std::move(mode)) {
    node = ReadNode(MakeNode("", StrCat(Limit("gpu-memory", 2000), ",", Limit("gpu-number", 2))),
                    settings);
    use = std::make_unique<NodeUse>(*node, nullptr);
  }
  std::string Place(const types::Pod& pod) {
    const auto asked = ReadRequests(pod, settings);
    const Family& family = FamilyOf(kGpuShareKind.family);
    Choice choice;
    const auto& request = asked->requests[0];
    const Question question{.use = use->pools()[0], .request = request, .settings = settings};
    if (!family.Choose(question, &choice)) {
      return std::string(family.refusals()[family.RefusalOf(request)]);
    }
    model::PodDevices pod_devices{.held = {family.Name(question, choice)}};
    std::vector<std::pair<std::string, std::string>> said;
    family.Announce(pod_devices.held[0], settings,
                    {.node = "n", .now = absl::FromUnixNanos(1'767'225'600'000'000'007)}, &said);
    types::Pod bound = pod;
    for (const auto& [key, value] : said) bound.meta.annotations.Set(key, value);
    held.push_back(ReadHeld(bound, settings));
    CHECK(*held.back() == pod_devices);
    use->Add(model::TaskId::FromIndex(held.size()), *held.back(), false);
    REQUIRE(said.size() == 2);
    CHECK(said[1] ==
          std::pair<std::string, std::string>("volcano.sh/predicate-time", "1767225600000000007"));
    CHECK(said[0].first == "volcano.sh/gpu-index");
    return said[0].second;
  }
  model::DeviceSettings settings;
  std::shared_ptr<const model::NodeDevices> node;
  std::unique_ptr<NodeUse> use;
  std::vector<std::shared_ptr<const model::PodDevices>> held;
};

TEST_CASE("gpushare: memory, from the first card that has it", "[devices]") {
  SharedCards cards(ByMemory());
  const auto pod = [](int64_t memory) { return MakePod({Limit("gpu-memory", memory)}); };
  CHECK(cards.Place(pod(600)) == "0");
  CHECK(cards.Place(pod(500)) == "1");
  CHECK(cards.Place(pod(400)) == "0");
  CHECK(cards.Place(pod(501)) == "GpuShare no enough gpu memory");
  CHECK(cards.Place(pod(500)) == "1");
  CHECK(cards.Place(pod(1)) == "GpuShare no enough gpu memory");
}

TEST_CASE("gpushare: a card with more on it than it has is full", "[devices]") {
  SharedCards cards(ByMemory());
  const auto over = ReadHeld(MakePod({Limit("gpu-memory", 3000)}, R"("volcano.sh/gpu-index":"0")"),
                             cards.settings);
  cards.use->Add(model::TaskId::FromIndex(0), *over, false);
  CHECK(cards.Place(MakePod({Limit("gpu-memory", 500)})) == "1");
  CHECK(cards.Place(MakePod({Limit("gpu-memory", 501)})) == "GpuShare no enough gpu memory");
}

TEST_CASE("gpushare: whole cards", "[devices]") {
  SharedCards cards(ByNumber());
  const auto pod = [](int64_t number) { return MakePod({Limit("gpu-number", number)}); };
  CHECK(cards.Place(pod(3)) == "GpuNumber no enough gpu number");
  CHECK(cards.Place(pod(1)) == "0");
  CHECK(cards.Place(pod(2)) == "GpuNumber no enough gpu number");
  CHECK(cards.Place(pod(1)) == "1");
  SharedCards both(ByNumber());
  CHECK(both.Place(pod(2)) == "0,1");
}

TEST_CASE("gpushare: locks are taken for memory alone", "[devices]") {
  const Family& family = FamilyOf(kGpuShareKind.family);
  const auto lock = [&](const types::Pod& pod, const model::DeviceSettings& settings) {
    return family.LockOf(ReadRequests(pod, settings)->requests[0]);
  };
  CHECK(lock(MakePod({Limit("gpu-memory", 1)}), ByMemory()) == "gpu");
  CHECK(lock(MakePod({Limit("gpu-number", 1)}), ByNumber()).empty());
}

}  // namespace
}  // namespace bth::devices
