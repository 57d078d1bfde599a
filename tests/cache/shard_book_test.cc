#include "cache/cluster/shard_book.h"

#include <set>
#include <string>
#include <vector>

#include "base/strings.h"
#include "tests/cache/objects.h"
#include "tests/support/catch.h"

namespace bth::cache {
namespace {

using model::ShardMode;

using Nodes = std::vector<std::string>;

CompiledShard Shard(const std::string& name, Nodes desired, Nodes in_use = {}) {
  return {.name = name,
          .resource_version = "1",
          .desired = std::move(desired),
          .shown = {.in_use = std::move(in_use), .to_remove = {}, .to_add = {}}};
}

std::string Inside(const ShardBook& book) {
  std::string inside;
  for (const char* node : {"n1", "n2", "n3", "n4"}) {
    if (!book.IsOutside(node)) StrAppend(&inside, node, " ");
  }
  return inside;
}

TEST_CASE("shard book: what others use is not ours", "[cache]") {
  struct Case {
    std::string name;
    std::vector<CompiledShard> shards;
    std::string inside;
  };
  const Case c = GENERATE(values<Case>({
      {"nobody else", {Shard("volcano", {"n1", "n2"})}, "n1 n2 "},
      {"two others",
       {Shard("volcano", {"n1", "n2", "n3", "n4"}), Shard("a", {}, {"n2"}),
        Shard("b", {}, {"n3", "n4"})},
       "n1 "},
      {"others came first",
       {Shard("a", {}, {"n2"}), Shard("b", {}, {"n3", "n4"}),
        Shard("volcano", {"n1", "n2", "n3", "n4"})},
       "n1 "},
      {"what others desire is theirs only when they use it",
       {Shard("volcano", {"n1"}), Shard("a", {"n1"})},
       "n1 "},
      {"our own status does not count", {Shard("volcano", {"n1"}, {"n1", "n2"})}, "n1 "},
      {"none of ours", {Shard("a", {"n1"}, {"n2"})}, ""},
  }));
  CAPTURE(c.name);
  ShardBook book({.mode = ShardMode::kHard, .name = "volcano"});
  for (const CompiledShard& shard : c.shards) book.Put(shard);
  CHECK(Inside(book) == c.inside);
}

TEST_CASE("shard book: a node that is desired twice is told once", "[cache]") {
  const auto shard = testing::Read<types::NodeShard>(
      R"({"apiVersion":"shard.volcano.sh/v1alpha1","kind":"NodeShard","metadata":)"
      R"({"name":"volcano"},"spec":{"nodesDesired":["n2","n1","n2","n3","n1"]}})");
  ShardBook book({.mode = ShardMode::kHard, .name = "volcano"});
  book.Put(Compile(shard));
  book.Put(Shard("a", {}, {"n3"}));
  const ShardUse use = book.Use([](const std::string&) { return false; });
  CHECK(use.in_use == Nodes{"n2", "n1"});
  CHECK(use.to_add == Nodes{"n3"});
}

TEST_CASE("shard book: only changes of what is ours are told", "[cache]") {
  ShardBook book({.mode = ShardMode::kHard, .name = "volcano"});
  CHECK_FALSE(book.Put(Shard("a", {"n1"}, {"n2"})));
  CHECK(book.Put(Shard("volcano", {"n1", "n2"})));
  CHECK_FALSE(book.Put(Shard("volcano", {"n1", "n2"}, {"n1"})));
  CHECK_FALSE(book.Put(Shard("volcano", {"n2", "n1"})));
  CHECK_FALSE(book.Put(Shard("a", {"n1", "n3"}, {"n2"})));
  CHECK_FALSE(book.Put(Shard("a", {}, {"n2", "n4"})));
  CHECK(book.Put(Shard("a", {}, {"n4"})));
  CHECK(Inside(book) == "n1 n2 ");
  CHECK_FALSE(book.Remove("volcano"));
  CHECK(Inside(book) == "n1 n2 ");
  CHECK(book.Own() == nullptr);
  // Made anew, without any node.
  CHECK(book.Put(Shard("volcano", {})));
  CHECK(Inside(book).empty());
  CHECK_FALSE(book.Remove("nobody"));
}

TEST_CASE("shard book: soft begins with the first shard of ours, none never does", "[cache]") {
  ShardBook soft({.mode = ShardMode::kSoft, .name = "volcano"});
  soft.Put(Shard("a", {}, {"n1"}));
  CHECK(soft.mode() == ShardMode::kNone);
  CHECK(Inside(soft) == "n1 n2 n3 n4 ");
  CHECK(soft.Put(Shard("volcano", {})));
  CHECK(soft.mode() == ShardMode::kSoft);
  CHECK(Inside(soft).empty());
  ShardBook none{ShardOptions()};
  CHECK_FALSE(none.Put(Shard("volcano", {"n1"})));
  CHECK(none.mode() == ShardMode::kNone);
  CHECK(Inside(none) == "n1 n2 n3 n4 ");
}

TEST_CASE("shard book: of two that take up a node at once, the first by name keeps it", "[cache]") {
  const auto idle = [](const std::string&) { return false; };
  ShardBook first({.mode = ShardMode::kHard, .name = "a"});
  ShardBook second({.mode = ShardMode::kHard, .name = "b"});
  for (ShardBook* book : {&first, &second}) {
    book->Put(Shard("a", {"n1"}));
    book->Put(Shard("b", {"n1"}));
    CHECK(book->Use(idle).in_use == Nodes{"n1"});
  }
  // Each hears of the other.
  CHECK_FALSE(first.Put(Shard("b", {"n1"}, {"n1"})));
  CHECK(second.Put(Shard("a", {"n1"}, {"n1"})));
  CHECK(Inside(first) == "n1 ");
  CHECK(Inside(second).empty());
  CHECK(second.Use(idle) == ShardUse{{}, {}, {"n1"}});
  // Who did not say so has not taken it up.
  ShardBook late({.mode = ShardMode::kHard, .name = "a"});
  late.Put(Shard("a", {"n1"}));
  CHECK(late.Put(Shard("b", {"n1"}, {"n1"})));
  CHECK(Inside(late).empty());
  // One that was started again has, if its status says so.
  ShardBook again({.mode = ShardMode::kHard, .name = "a"});
  again.Put(Shard("a", {"n1"}, {"n1"}));
  CHECK_FALSE(again.Put(Shard("b", {"n1"}, {"n1"})));
  CHECK(Inside(again) == "n1 ");
}

TEST_CASE("shard book: a node that left is in use while pods are put there", "[cache]") {
  ShardBook book({.mode = ShardMode::kHard, .name = "volcano"});
  std::set<std::string> busy = {"n2", "n3"};
  const auto use = [&] {
    return book.Use([&busy](const std::string& node) { return busy.contains(node); });
  };
  book.Put(Shard("volcano", {"n3", "n2", "n1"}));
  CHECK(use() == ShardUse{{"n3", "n2", "n1"}, {}, {}});
  book.Put(Shard("volcano", {"n1", "n4"}));
  book.Put(Shard("a", {}, {"n4"}));
  CHECK(use() == ShardUse{{"n1", "n2", "n3"}, {"n2", "n3"}, {"n4"}});
  CHECK(book.some_leave());
  busy.erase("n2");
  CHECK(use() == ShardUse{{"n1", "n3"}, {"n3"}, {"n4"}});
  // It comes back before it has gone.
  book.Put(Shard("volcano", {"n1", "n3"}));
  CHECK_FALSE(book.some_leave());
  CHECK(use() == ShardUse{{"n1", "n3"}, {}, {}});
  // Others took it while a pod of ours was still under way.
  book.Put(Shard("a", {}, {"n3"}));
  CHECK(use() == ShardUse{{"n1", "n3"}, {}, {}});
  busy.clear();
  CHECK(use() == ShardUse{{"n1"}, {}, {"n3"}});
  CHECK_FALSE(book.some_leave());
}

}  // namespace
}  // namespace bth::cache
