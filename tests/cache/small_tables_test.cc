// Tables of few columns: priority classes, pods of other schedulers, pods that leave.
#include <string>

#include "cache/cluster/foreign_pods.h"
#include "cache/cluster/leaving_pods.h"
#include "cache/cluster/priority_book.h"
#include "tests/support/catch.h"

namespace bth::cache {
namespace {

using model::TaskId;

TEST_CASE("priority book: of several defaults the lowest counts", "[cache][tables]") {
  PriorityBook book;
  CHECK(book.ValueOf("high") == 0);
  book.Put("high", 100, false);
  book.Put("usual", 20, true);
  book.Put("low", -5, true);
  CHECK(book.ValueOf("high") == 100);
  CHECK(book.ValueOf("") == -5);
  CHECK(book.ValueOf("gone") == -5);
  CHECK(book.Remove("low"));
  CHECK_FALSE(book.Remove("low"));
  CHECK(book.ValueOf("") == 20);
  book.Put("usual", 20, false);
  CHECK(book.ValueOf("") == 0);
}

TEST_CASE("foreign pods: the last one of a job tells whose it was", "[cache][tables]") {
  ForeignPods pods;
  pods.Add("ns/a", "ns/g");
  pods.Add("ns/b", "ns/g");
  CHECK(pods.Knows("ns/a", "ns/g"));
  CHECK_FALSE(pods.Knows("ns/a", "ns/h"));
  CHECK(pods.SomeOf("ns/g"));
  CHECK(pods.Remove("ns/a").empty());
  CHECK(pods.Remove("ns/a").empty());
  CHECK(pods.SomeOf("ns/g"));
  CHECK(pods.Remove("ns/b") == "ns/g");
  CHECK_FALSE(pods.SomeOf("ns/g"));
}

TEST_CASE("leaving pods: each is due once, the earliest first", "[cache][tables]") {
  LeavingPods pods;
  const auto at = [](int64_t seconds) { return absl::FromUnixSeconds(seconds); };
  const auto task = [](size_t i) { return TaskId::FromIndex(i); };
  CHECK(pods.NextEnd() == absl::InfiniteFuture());
  pods.Set(task(3), absl::ToUnixMicros(at(30)));
  pods.Set(task(1), absl::ToUnixMicros(at(20)));
  pods.Set(task(2), absl::ToUnixMicros(at(10)));
  CHECK(pods.NextEnd() == at(10));
  pods.Set(task(2), absl::ToUnixMicros(at(40)));  // It has more time than it was thought.
  CHECK(pods.NextEnd() == at(20));
  pods.Set(task(3), 0);
  CHECK_FALSE(pods.TakeDue(at(19)).valid());
  CHECK(pods.TakeDue(at(20)) == task(1));
  CHECK_FALSE(pods.TakeDue(at(20)).valid());
  CHECK(pods.TakeDue(at(99)) == task(2));
  CHECK(pods.NextEnd() == absl::InfiniteFuture());
  CHECK(LeavingPods::GivenUpAt(0) == 0);
  CHECK(LeavingPods::GivenUpAt(absl::ToUnixMicros(at(7))) == absl::ToUnixMicros(at(307)));
}

}  // namespace
}  // namespace bth::cache
