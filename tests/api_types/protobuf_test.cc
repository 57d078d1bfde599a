// Objects read from protobuf, against what Go makes of them.

#include <array>
#include <set>

#include "absl/strings/str_split.h"
#include "api/types/api_status.h"
#include "api/types/batch_job.h"
#include "api/types/codec.h"
#include "api/types/config_map.h"
#include "api/types/event.h"
#include "api/types/lease.h"
#include "api/types/namespace.h"
#include "api/types/network_policy.h"
#include "api/types/node.h"
#include "api/types/pod.h"
#include "api/types/pod_disruption_budget.h"
#include "api/types/pod_group.h"
#include "api/types/priority_class.h"
#include "api/types/protobuf/wire.h"
#include "api/types/resource_quota.h"
#include "api/types/service.h"
#include "api/types/storage.h"
#include "api/types/workload.h"
#include "base/strings.h"
#include "tests/support/catch.h"
#include "tests/support/files.h"
#include "tests/support/protobuf_bytes.h"

namespace bth::types {
namespace {

using test::Bytes;
using test::EventMessage;
using test::Number;

std::string Golden(const char* name) {
  return test::ReadFile(test::SourceRoot() / "tests/api_types/golden" / name);
}

std::vector<std::string> Frames(std::string_view text) {
  std::vector<std::string> out;
  while (text.size() >= 4) {
    size_t length = 0;
    for (size_t i = 0; i < 4; ++i) length = length << 8 | static_cast<unsigned char>(text[i]);
    out.emplace_back(text.substr(4, length));
    text.remove_prefix(4 + length);
  }
  return out;
}

std::string MessageOf(const std::string& document) {
  SmallMessage unknown;
  REQUIRE(document.substr(0, 4) == kProtobufMagic);
  REQUIRE(ReadSmallMessage(std::string_view(document).substr(4), &unknown) == nullptr);
  return std::string(unknown.texts[unknown_field::kRaw]);
}

// The one object of a list that holds this message.
template <class T>
T FromProtobuf(const std::string& message) {
  auto list = DecodeList<T>(Bytes(2, message), Encoding::kProtobuf);
  CAPTURE(list.status().ToString());
  REQUIRE(list.ok());
  if (!list->malformed.empty()) FAIL(list->malformed[0].status.ToString());
  REQUIRE(list->items.size() == 1);
  return std::move(list->items[0]);
}

std::string ErrorOf(const std::string& pod_message) {
  const auto list = DecodeList<Pod>(Bytes(2, pod_message), Encoding::kProtobuf);
  if (!list.ok()) return std::string(list.status().message());
  return list->malformed.empty() ? "" : std::string(list->malformed[0].status.message());
}

// Whether a document has something at a path of FieldPaths: "a.b[].c", "a.b{}".
bool Has(const Json& value, std::string_view path) {
  if (path.empty()) return !value.is_null();
  if (path.starts_with("[]") || path.starts_with("{}")) {
    const bool list = path.front() == '[';
    path.remove_prefix(2);
    if (path.starts_with(".")) path.remove_prefix(1);
    if (list) {
      for (const Json& item : value.items()) {
        if (Has(item, path)) return true;
      }
    } else {
      for (const Json::Member& member : value.members()) {
        if (Has(member.second, path)) return true;
      }
    }
    return false;
  }
  const size_t end = std::min(path.find_first_of(".[{"), path.size());
  const Json* member = value.Find(path.substr(0, end));
  if (member == nullptr) return false;
  path.remove_prefix(end);
  if (path.starts_with(".")) path.remove_prefix(1);
  return Has(*member, path);
}

// Fields that a struct shares with others and its own kind does not have.
const std::set<std::string> kOfOthers = {
    "Node status.conditions[].transitionID",
    "Node status.conditions[].observedGeneration",
    "Node status.conditions[].lastProbeTime",
    "Pod status.conditions[].transitionID",
    "Pod status.conditions[].lastHeartbeatTime",
    "Pod spec.volumes[].csi.volumeHandle",
    "PodDisruptionBudget status.conditions[].transitionID",
    "PodDisruptionBudget status.conditions[].lastProbeTime",
    "PodDisruptionBudget status.conditions[].lastHeartbeatTime",
    "PersistentVolume spec.local.type",
    "ReplicaSet status.updateRevision",
    "Deployment status.updateRevision",
    "DaemonSet status.updateRevision",
    "DaemonSet spec.replicas",
};

class GoldenKinds {
 public:
  explicit GoldenKinds(const std::string& set) : documents_(Frames(Golden((set + ".pb").c_str()))) {
    for (const absl::string_view line : absl::StrSplit(Golden((set + ".json").c_str()), '\n')) {
      if (!line.empty()) lines_.emplace_back(line);
    }
    REQUIRE(lines_.size() == documents_.size());
  }

  // The next one is of the kind T: both forms say the same.
  template <class T>
  void Same() {
    const std::string kind = ResourceTraits<T>::type().kind;
    CAPTURE(kind);
    REQUIRE(next_ < lines_.size());
    REQUIRE(absl::StrContains(lines_[next_], StrCat("\"kind\":\"", kind, "\"")));
    CHECK(IsReadFromProtobuf<T>());
    const auto from_json = Decode<T>(lines_[next_]);
    REQUIRE(from_json.ok());
    const T from_protobuf = FromProtobuf<T>(MessageOf(documents_[next_]));
    CHECK(Encode(from_protobuf) == Encode(*from_json));
    CHECK(from_protobuf == *from_json);
    ++next_;
  }
  // Every field of T that is read is in the document.
  template <class T>
  void Complete() {
    const std::string kind = ResourceTraits<T>::type().kind;
    const Json whole = *Json::Parse(lines_.at(next_ - 1));
    for (const std::string& path : FieldPaths<T>()) {
      INFO(kind << " " << path);
      CHECK(Has(whole, path) != kOfOthers.contains(StrCat(kind, " ", path)));
    }
  }
  bool done() const { return next_ == lines_.size(); }

 private:
  std::vector<std::string> documents_;
  std::vector<std::string> lines_;
  size_t next_ = 0;
};

// In the order of the files.
template <class Do>
void ForEachKind(const Do& on) {
  on(Pod());
  on(Node());
  on(Namespace());
  on(PriorityClass());
  on(PodDisruptionBudget());
  on(ResourceQuota());
  on(PersistentVolume());
  on(PersistentVolumeClaim());
  on(StorageClass());
  on(CsiNode());
  on(CsiDriver());
  on(CsiStorageCapacity());
  on(VolumeAttachment());
  on(Service());
  on(ReplicationController());
  on(ReplicaSet());
  on(StatefulSet());
  on(Deployment());
  on(DaemonSet());
  on(KubeJob());
  on(NetworkPolicy());
  on(ConfigMap());
  on(Secret());
  on(Lease());
  on(Event());
}

}  // namespace

TEST_CASE("protobuf: every field of every core kind is read as from JSON", "[types][protobuf]") {
  GoldenKinds kinds("full");
  ForEachKind([&]<class T>(const T&) {
    kinds.Same<T>();
    kinds.Complete<T>();
  });
  CHECK(kinds.done());
}

TEST_CASE("protobuf: zeros are present or absent as in JSON", "[types][protobuf]") {
  GoldenKinds kinds("zero");
  ForEachKind([&]<class T>(const T&) { kinds.Same<T>(); });
  CHECK(kinds.done());
}

TEST_CASE("protobuf: custom kinds are JSON", "[types][protobuf]") {
  CHECK_FALSE(IsReadFromProtobuf<PodGroup>());
  CHECK_FALSE(IsReadFromProtobuf<BatchJob>());
}

TEST_CASE("protobuf: a list has its items and its metadata", "[types][protobuf]") {
  const auto list = DecodeList<Pod>(MessageOf(Golden("pods.list.pb")), Encoding::kProtobuf);
  REQUIRE(list.ok());
  CHECK(list->resource_version == "99");
  CHECK(list->continue_token == "next");
  REQUIRE(list->items.size() == 2);
  CHECK(list->items[1].meta.Key() == "ns/b");
  CHECK(list->items[1].spec.node_name == "n1");
}

TEST_CASE("protobuf: events of a watch", "[types][protobuf]") {
  using Type = WatchEvent<Pod>::Type;
  const std::vector<std::string> frames = Frames(Golden("pods.watch.pb"));
  REQUIRE(frames.size() == 5);
  const Type types[] = {Type::kAdded, Type::kModified, Type::kDeleted, Type::kBookmark,
                        Type::kError};
  for (size_t i = 0; i < 5; ++i) {
    CAPTURE(i);
    const auto event = DecodeWatchEvent<Pod>(frames[i], Encoding::kProtobuf);
    REQUIRE(event.ok());
    CHECK(event->type == types[i]);
    CHECK(event->initial_events_end == (i == 3));
    if (i < 4) {
      CHECK(event->status.ok());
      CHECK(event->resource_version == StrCat(100 + i));
    } else {
      CHECK(absl::IsOutOfRange(event->status));
      CHECK(RetryAfterOf(event->status) == absl::Seconds(7));
    }
  }
}

TEST_CASE("protobuf: a refusal says what it says in JSON", "[types][protobuf]") {
  const absl::Status status = StatusFromResponse(410, Golden("status.pb"));
  CHECK(absl::IsOutOfRange(status));
  CHECK(status.message() == "too old resource version: 1 (2)");
  CHECK(ReasonOf(status) == "Expired");
  const absl::Status broken = StatusFromResponse(503, Golden("status.pb").substr(0, 30));
  CHECK(broken.message() == "HTTP 503");
}

TEST_CASE("protobuf: what is wrong in one object is told with its path", "[types][protobuf]") {
  struct Case {
    std::string pod;
    const char* error;
  };
  const std::string meta = Bytes(1, Bytes(1, "a") + Bytes(3, "ns"));
  const auto quantity = [](const char* text) { return Bytes(2, Bytes(1, text)); };
  const std::string container =
      Bytes(1, "c") + Bytes(8, Bytes(2, Bytes(1, "cpu") + quantity("1x")));
  const Case c = GENERATE_COPY(values<Case>({
      {meta + Bytes(2, Bytes(2, Bytes(1, "x")) + Bytes(2, container)),
       "pod ns/a: spec.containers[1].resources.requests.cpu: quantity \"1x\""},
      {meta + Bytes(2, Number(25, uint64_t{1} << 40)),
       "pod ns/a: spec.priority: 1099511627776 is out of range"},
      {meta + Bytes(2, Bytes(25, "x")), "pod ns/a: spec.priority: protobuf: wrong wire type"},
      {meta + Bytes(2, Bytes(10, "n\xff")), "pod ns/a: spec.nodeName: invalid UTF-8"},
      {meta + Bytes(2, Bytes(7, Bytes(1, "\xff"))), "pod ns/a: spec.nodeSelector: invalid UTF-8"},
      {meta + Bytes(2, std::string("\x0a\x7f")), "pod ns/a: spec: protobuf: it ends in the middle"},
      {meta + Bytes(2, std::string(11, '\xff')), "pod ns/a: spec: protobuf: a number is too long"},
      {meta + Bytes(2, std::string("\x0b")), "pod ns/a: spec: protobuf: unknown wire type"},
      {meta + Bytes(3, Bytes(7, Number(1, uint64_t{1} << 60))),
       "pod ns/a: status.startTime: time: 1152921504606846976 s since 1970 is out of range"},
      {Bytes(2, Bytes(10, "n")), "pod items[0]: metadata.name: missing"},
      {Bytes(1, Bytes(1, "a") + Bytes(12, Bytes(1, "k") + Bytes(2, std::string(300'000, 'x')))),
       "pod a: metadata: annotations: 300001 bytes exceed the limit of 262144"},
  }));
  CHECK_THAT(ErrorOf(c.pod), Catch::StartsWith(c.error));
}

TEST_CASE("protobuf: an object with too many elements is refused", "[types][protobuf]") {
  std::string metadata = Bytes(1, "a");
  for (size_t i = 0; i <= kElementsMax; ++i) metadata += Bytes(14, "f");
  CHECK(ErrorOf(Bytes(1, metadata)) ==
        "pod a: metadata.finalizers: more than 200000 elements in one object");
}

TEST_CASE("protobuf: a malformed item does not disturb the others", "[types][protobuf]") {
  const std::string good = Bytes(2, Bytes(1, Bytes(1, "a")));
  const auto list = DecodeList<Pod>(good + Bytes(2, Bytes(2, "")) + good, Encoding::kProtobuf);
  REQUIRE(list.ok());
  CHECK(list->items.size() == 2);
  CHECK(list->malformed.size() == 1);
  CHECK_FALSE(DecodeList<Pod>(good + "\x12\x7f", Encoding::kProtobuf).ok());
  const std::string bad = Bytes(2, "");
  std::string many;
  for (size_t i = 0; i <= kMalformedMax; ++i) many += bad;
  const auto all = DecodeList<Pod>(many + good, Encoding::kProtobuf);
  REQUIRE(all.ok());
  CHECK(all->items.size() == 1);
  CHECK(all->malformed.size() == kMalformedMax + 1);
}

TEST_CASE("protobuf: unknown fields are skipped, of keys that come twice the last stays",
          "[types][protobuf]") {
  const auto label = [](const char* key, const char* value) {
    return Bytes(11, Bytes(1, key) + Bytes(2, value));
  };
  const Pod pod =
      FromProtobuf<Pod>(Bytes(1, Bytes(1, "x") + label("b", "1") + label("a", "2") +
                                     label("b", "3") + Bytes(11, Bytes(1, "c")) + Bytes(1, "a")) +
                        Bytes(999, "x") + Number(1000, 5) + test::Varint(99 << 3 | 1) + "12345678" +
                        test::Varint(98 << 3 | 5) + "1234");
  CHECK(pod.meta.name == "a");
  CHECK(pod.meta.labels == LabelMap{{"a", "2"}, {"b", "3"}, {"c", ""}});
}

TEST_CASE("protobuf: a frame that is no event is an error of its own", "[types][protobuf]") {
  const std::string pod = test::Envelope("v1", "Pod", Bytes(1, Bytes(1, "a")));
  const auto ok = [](const std::string& frame) {
    return DecodeWatchEvent<Pod>(frame, Encoding::kProtobuf).ok();
  };
  CHECK(ok(EventMessage("ADDED", pod)));
  CHECK_FALSE(ok(EventMessage("CREATED", pod)));
  CHECK_FALSE(ok(EventMessage("ADDED", "{}")));
  CHECK_FALSE(ok(EventMessage("ERROR", "{}")));
  CHECK_FALSE(ok(EventMessage("ADDED", pod).substr(0, 20)));
  const auto nameless = DecodeWatchEvent<Pod>(
      EventMessage("ADDED", test::Envelope("v1", "Pod", "")), Encoding::kProtobuf);
  REQUIRE(nameless.ok());
  CHECK(nameless->status.message() == "pod: metadata.name: missing");
}

}  // namespace bth::types
