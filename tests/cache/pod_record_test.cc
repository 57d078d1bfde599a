#include "cache/cluster/pod_record.h"

#include <string>

#include "cache/cluster/pod_index.h"
#include "tests/support/catch.h"

namespace bth::cache {
namespace {

using model::TaskId;

TEST_CASE("pod record: labels and owner come back as they were", "[cache][records]") {
  for (const Labels& labels :
       {Labels{}, Labels{{"a", ""}}, Labels{{"a", "1"}, {"b", ""}, {"c", std::string(300, 'x')}}}) {
    for (const std::string owner : {"", "ReplicaSet/ns/web"}) {
      PodIdentity pod;
      pod.labels = labels;
      pod.owner = owner;
      PodIdentity back;
      back.labels = {{"left", "over"}};
      back.owner = "left over";
      UnpackSelected(PackSelected(pod), &back);
      CHECK(back.labels == labels);
      CHECK(back.owner == owner);
    }
  }
}

TEST_CASE("pod record: other labels are never packed alike", "[cache][records]") {
  PodIdentity one;
  one.labels = {{"a", "b"}, {"c", "d"}};
  PodIdentity other = one;
  CHECK(PackSelected(one) == PackSelected(other));
  other.labels = {{"a", "bc"}, {"", "d"}};
  CHECK_FALSE(PackSelected(one) == PackSelected(other));
  other.labels = {{"a", "b"}};
  CHECK_FALSE(PackSelected(one) == PackSelected(other));
  other = one;
  other.owner = "ReplicaSet/ns/web";
  CHECK_FALSE(PackSelected(one) == PackSelected(other));
}

TEST_CASE("pod index: a pod is found by namespace and name, not by their letters",
          "[cache][records]") {
  model::TaskNames first;
  first.ns = "a";
  first.name = "bc";
  model::TaskNames second;
  second.ns = "ab";
  second.name = "c";
  PodIndex index;
  index.Insert(first, TaskId::FromIndex(1));
  index.Insert(second, TaskId::FromIndex(2));
  CHECK(index.Find("a/bc") == TaskId::FromIndex(1));
  CHECK(index.Find("ab/c") == TaskId::FromIndex(2));
  CHECK_FALSE(index.Find("abc").valid());
  CHECK_FALSE(index.Find("a/b").valid());
  CHECK_FALSE(index.Find("").valid());
  index.Erase(first);
  CHECK_FALSE(index.Find("a/bc").valid());
  CHECK(index.Find("ab/c") == TaskId::FromIndex(2));
  CHECK(index.size() == 1);
}

}  // namespace
}  // namespace bth::cache
