// Lists and watches: selectors, revisions, paging, bookmarks, expiry, slow readers.
#include "apiserver/patch/patch.h"
#include "apiserver/store/selector.h"
#include "base/strings.h"
#include "tests/apiserver/bed.h"
#include "tests/support/catch.h"

namespace bth::apiserver::testing {
namespace {

using Names = std::vector<std::string>;

Names ItemNames(const Answer& list) {
  Names names;
  for (const Json& item : list.body["items"].items()) {
    names.emplace_back(item["metadata"]["name"].AsString());
  }
  return names;
}

std::string Revision(const Answer& answer) {
  return answer.at({"metadata", "resourceVersion"});
}

}  // namespace

TEST_CASE("selectors: labels and fields choose what is listed") {
  Bed bed;
  REQUIRE(bed.Post(kConfigs, ConfigJson("a", R"({"app":"x","n":"1"})")).code == 201);
  REQUIRE(bed.Post(kConfigs, ConfigJson("b", R"({"app":"y","n":"5"})")).code == 201);
  REQUIRE(bed.Post(kConfigs, ConfigJson("c")).code == 201);
  struct Case {
    const char* query;
    Names names;
  };
  const Case cases[] = {
      {"labelSelector=app%3Dx", {"a"}},
      {"labelSelector=app%3D%3Dx", {"a"}},
      {"labelSelector=app!%3Dx", {"b", "c"}},
      {"labelSelector=app%20in%20(x,y)", {"a", "b"}},
      {"labelSelector=app%20notin%20(x,z)", {"b", "c"}},
      {"labelSelector=app", {"a", "b"}},
      {"labelSelector=!app", {"c"}},
      {"labelSelector=n%3E1", {"b"}},
      {"labelSelector=n%3C5", {"a"}},
      {"labelSelector=app,n%3D5", {"b"}},
      {"fieldSelector=metadata.name%3Db", {"b"}},
      {"fieldSelector=metadata.name!%3Db", {"a", "c"}},
      {"fieldSelector=metadata.namespace%3Dkube-system", {}},
      {"labelSelector=app&fieldSelector=metadata.name%3Da", {"a"}},
      {"", {"a", "b", "c"}},
  };
  for (const Case& c : cases) {
    INFO(c.query);
    CHECK(ItemNames(bed.Get(std::string(kConfigs) + "?" + c.query)) == c.names);
  }
  REQUIRE(bed.Post(kPods, PodJson("p", R"(,"nodeName":"n1")")).code == 201);
  REQUIRE(bed.Post(kPods, PodJson("q")).code == 201);
  CHECK(ItemNames(bed.Get("/api/v1/pods?fieldSelector=spec.nodeName%3Dn1")) == Names{"p"});
  CHECK(ItemNames(bed.Get("/api/v1/pods?fieldSelector=spec.nodeName%3D,status.phase!%3DFailed")) ==
        Names{"q"});
  CHECK(ItemNames(bed.Get("/api/v1/pods?fieldSelector=spec.hostNetwork%3Dfalse")) ==
        (Names{"p", "q"}));
}

TEST_CASE("watch: follows changes from a revision on") {
  Bed bed;
  const std::string from = Revision(bed.Get(kConfigs));
  auto events = bed.Watch(StrCat(kConfigs, "?watch=1&resourceVersion=", from));
  bed.Post(kConfigs, ConfigJson("a"));
  bed.Merge(std::string(kConfigs) + "/a", R"({"data":{"k":"w"}})");
  bed.Delete(std::string(kConfigs) + "/a");
  CHECK(events->Names() == Names{"ADDED a", "MODIFIED a", "DELETED a"});
  const Json& gone = events->all[2]["object"]["metadata"]["resourceVersion"];
  CHECK(gone.AsString() == Revision(bed.Get(kConfigs)));
  // The same from the past: history answers.
  auto replay = bed.Watch(StrCat(kConfigs, "?watch=true&resourceVersion=", from));
  CHECK(replay->all == events->all);
  CHECK_FALSE(events->ended);
}

TEST_CASE("watch: an object that starts or ceases to match is added or deleted") {
  Bed bed;
  const std::string from = Revision(bed.Get(kConfigs));
  auto events =
      bed.Watch(StrCat(kConfigs, "?watch=1&labelSelector=on%3Dyes&resourceVersion=", from));
  bed.Post(kConfigs, ConfigJson("a"));
  bed.Merge(std::string(kConfigs) + "/a", R"({"metadata":{"labels":{"on":"yes"}}})");
  bed.Merge(std::string(kConfigs) + "/a", R"({"data":{"k":"2"}})");
  const Answer off =
      bed.Merge(std::string(kConfigs) + "/a", R"({"metadata":{"labels":{"on":"no"}}})");
  CHECK(events->Names() == Names{"ADDED a", "MODIFIED a", "DELETED a"});
  // The last matching state, at the revision of the change.
  const Json& last = events->all[2]["object"];
  CHECK(last["metadata"]["labels"]["on"].AsString() == "yes");
  CHECK(last["metadata"]["resourceVersion"].AsString() == Revision(off));
  auto replay =
      bed.Watch(StrCat(kConfigs, "?watch=1&labelSelector=on%3Dyes&resourceVersion=", from));
  CHECK(replay->all == events->all);
}

TEST_CASE("watch: without a revision the present objects come first") {
  Bed bed;
  bed.Post(kConfigs, ConfigJson("b"));
  bed.Post(kConfigs, ConfigJson("a"));
  auto events = bed.Watch("/api/v1/configmaps?watch=1");
  CHECK(events->Names() == Names{"ADDED a", "ADDED b"});
  auto one = bed.Watch(std::string(kConfigs) + "/a?watch=1");
  bed.Merge(std::string(kConfigs) + "/b", R"({"data":{"k":"2"}})");
  bed.Merge(std::string(kConfigs) + "/a", R"({"data":{"k":"2"}})");
  CHECK(one->Names() == Names{"ADDED a", "MODIFIED a"});
}

TEST_CASE("watch: sendInitialEvents ends its first part with a marked bookmark") {
  Bed bed;
  bed.Post(kConfigs, ConfigJson("a"));
  auto events = bed.Watch(StrCat(kConfigs,
                                 "?watch=1&sendInitialEvents=true&allowWatchBookmarks=true"
                                 "&resourceVersionMatch=NotOlderThan"));
  REQUIRE(events->Names() == Names{"ADDED a", "BOOKMARK"});
  CHECK(events->all[1]
            .At({"object", "metadata", "annotations", "k8s.io/initial-events-end"})
            .AsString() == "true");
  CHECK(events->all[1].At({"object", "kind"}).AsString() == "ConfigMap");
  const Answer bad = bed.Get(StrCat(kConfigs, "?watch=1&sendInitialEvents=true"));
  CHECK(bad.code == 422);
}

TEST_CASE("watch: bookmarks each minute to those who allow them, and the end at the timeout") {
  Bed bed;
  auto with = bed.Watch(
      StrCat(kConfigs, "?watch=1&allowWatchBookmarks=true&timeoutSeconds=150&resourceVersion=",
             Revision(bed.Get(kConfigs))));
  auto without = bed.Watch(StrCat(kConfigs, "?watch=1&timeoutSeconds=150"));
  bed.executor.Advance(absl::Seconds(59));
  CHECK(with->all.empty());
  bed.Post(kPods, PodJson("other"));  // Another resource moves the revision.
  const std::string now = Revision(bed.Get(kConfigs));
  bed.executor.Advance(absl::Seconds(2));
  REQUIRE(with->Names() == Names{"BOOKMARK"});
  CHECK(with->all[0].At({"object", "metadata", "resourceVersion"}).AsString() == now);
  bed.executor.Advance(absl::Seconds(60));
  CHECK(with->all.size() == 2);
  CHECK_FALSE(with->ended);
  bed.executor.Advance(absl::Seconds(40));
  CHECK(with->ended);
  CHECK(with->all.size() == 3);  // A last one, so that the next watch begins there.
  CHECK(without->ended);
  CHECK(without->all.empty());
}

TEST_CASE("watch: a revision older than the history is expired") {
  Options options;
  options.store.history.events_max = 5;
  Bed bed(std::move(options));
  const std::string old = Revision(bed.Post(kConfigs, ConfigJson("a")));
  for (int i = 0; i < 10; ++i) {
    bed.Merge(std::string(kConfigs) + "/a", StrCat(R"({"data":{"k":")", i, "\"}}"));
  }
  auto events = bed.Watch(StrCat(kConfigs, "?watch=1&resourceVersion=", old));
  REQUIRE(events->all.size() == 1);
  CHECK(events->ended);
  CHECK(events->all[0]["type"].AsString() == "ERROR");
  CHECK(events->all[0].At({"object", "code"}).AsInt() == 410);
  CHECK(events->all[0].At({"object", "reason"}).AsString() == "Expired");
  const Answer list =
      bed.Get(StrCat(kConfigs, "?resourceVersionMatch=Exact&resourceVersion=", old));
  CHECK(list.code == 410);
  CHECK(list.reason() == "Expired");
  // Another resource kept its own history.
  auto pods = bed.Watch(StrCat(kPods, "?watch=1&resourceVersion=", old));
  CHECK(pods->all.empty());
  CHECK_FALSE(pods->ended);
}

TEST_CASE("watch: one that does not keep up is closed, and its memory freed") {
  Options options;
  options.store.watch.items_max = 10;
  Bed bed(std::move(options));
  // A reader that never asks: it holds the response and does not call Next.
  net::Request request;
  request.target = StrCat(kConfigs, "?watch=1");
  std::optional<net::Response> held;
  auto open = [](net::Transport& transport, net::Request r,
                 std::optional<net::Response>* out) -> net::Awaitable<void> {
    absl::StatusOr<net::Response> response = co_await transport.Open(std::move(r));
    if (response.ok()) out->emplace(std::move(*response));
  };
  net::Spawn(bed.executor, open(*bed.transport, std::move(request), &held));
  bed.executor.RunUntilIdle();
  REQUIRE(held.has_value());
  bed.Post(kConfigs, ConfigJson("a"));
  for (int i = 0; i < 50; ++i) {
    bed.Merge(std::string(kConfigs) + "/a", StrCat(R"({"data":{"k":")", i, "\"}}"));
  }
  CHECK(bed.server->store().watchers_overflowed() == 1);
  auto read = [](net::ByteStream& stream, int* pieces) -> net::Awaitable<void> {
    for (;;) {
      absl::StatusOr<std::optional<std::string>> piece = co_await stream.Next();
      if (!piece.ok() || !piece->has_value()) break;
      ++*pieces;
    }
    *pieces += 1000;
  };
  int pieces = 0;
  net::Spawn(bed.executor, read(*held->stream, &pieces));
  bed.executor.RunUntilIdle();
  CHECK(pieces >= 1000);
  CHECK(pieces < 1012);
  held.reset();
}

TEST_CASE("watch: an abandoned one is forgotten") {
  Bed bed;
  auto events = bed.Watch(StrCat(kConfigs, "?watch=1"));
  CHECK(bed.server->store().watchers() == 1);
  events->cancel.Cancel();
  bed.executor.RunUntilIdle();
  bed.Post(kConfigs, ConfigJson("a"));
  CHECK(bed.server->store().watchers() == 0);
}

TEST_CASE("watch: one whose reader is gone is dropped although nothing happens") {
  Bed bed;
  for (int round = 0; round < 3; ++round) {
    std::vector<std::shared_ptr<Events>> open;
    for (int i = 0; i < 20; ++i) open.push_back(bed.Watch(StrCat(kConfigs, "?watch=1")));
    CHECK(bed.server->store().watchers() == 20);
    for (const auto& events : open) events->cancel.Cancel();
    bed.executor.RunUntilIdle();
    CHECK(bed.server->store().watchers() == 0);
  }
  // One that its reader holds on to, but which ended, does not count either.
  auto expired = bed.Watch(StrCat(kConfigs, "?watch=1&timeoutSeconds=5"));
  CHECK(bed.server->store().watchers() == 1);
  bed.executor.Advance(absl::Seconds(6));
  CHECK(expired->ended);
  CHECK(bed.server->store().watchers() == 0);
}

TEST_CASE("paging: pages show the state of the first page") {
  Bed bed;
  for (const char* name : {"a", "c", "e", "g"}) bed.Post(kConfigs, ConfigJson(name));
  const Answer first = bed.Get(StrCat(kConfigs, "?limit=2"));
  CHECK(ItemNames(first) == Names{"a", "c"});
  CHECK(first.at({"metadata", "remainingItemCount"}) == "2");
  bed.Post(kConfigs, ConfigJson("d"));
  bed.Delete(StrCat(kConfigs, "/e"));
  bed.Merge(StrCat(kConfigs, "/g"), R"({"data":{"k":"new"}})");
  const Answer second =
      bed.Get(StrCat(kConfigs, "?limit=2&continue=", first.at({"metadata", "continue"})));
  CHECK(ItemNames(second) == Names{"e", "g"});
  CHECK(second.body["items"][size_t{1}]["data"]["k"].AsString() == "v");
  CHECK(Revision(second) == Revision(first));
  CHECK(second.body["metadata"]["continue"].is_null());
  CHECK(ItemNames(bed.Get(kConfigs)) == Names{"a", "c", "d", "g"});
}

TEST_CASE("paging: a token too old is expired") {
  Options options;
  options.store.history.events_max = 3;
  Bed bed(std::move(options));
  for (const char* name : {"a", "b", "c"}) bed.Post(kConfigs, ConfigJson(name));
  const Answer first = bed.Get(StrCat(kConfigs, "?limit=1"));
  for (int i = 0; i < 6; ++i) {
    bed.Merge(StrCat(kConfigs, "/a"), StrCat(R"({"data":{"k":")", i, "\"}}"));
  }
  const Answer second =
      bed.Get(StrCat(kConfigs, "?limit=1&continue=", first.at({"metadata", "continue"})));
  CHECK(second.code == 410);
  CHECK_THAT(second.message(), Catch::Contains("continue parameter is too old"));
}

TEST_CASE("lists: a revision means that state, or one not older") {
  Bed bed;
  const std::string one = Revision(bed.Post(kConfigs, ConfigJson("a")));
  bed.Post(kConfigs, ConfigJson("b"));
  CHECK(ItemNames(bed.Get(StrCat(kConfigs, "?resourceVersion=", one))) == Names{"a", "b"});
  CHECK(ItemNames(bed.Get(StrCat(kConfigs, "?resourceVersion=0"))) == Names{"a", "b"});
  CHECK(ItemNames(bed.Get(StrCat(kConfigs, "?resourceVersion=0&limit=1"))) == Names{"a", "b"});
  const Answer exact =
      bed.Get(StrCat(kConfigs, "?resourceVersionMatch=Exact&resourceVersion=", one));
  CHECK(ItemNames(exact) == Names{"a"});
  CHECK(Revision(exact) == one);
  CHECK(ItemNames(bed.Get(StrCat(kConfigs, "?limit=5&resourceVersion=", one))) == Names{"a"});
  CHECK(ItemNames(bed.Get(StrCat(kConfigs, "?resourceVersionMatch=NotOlderThan&resourceVersion=",
                                 one))) == Names{"a", "b"});
}

TEST_CASE("deletecollection: takes what the selector finds") {
  Bed bed;
  bed.Post(kConfigs, ConfigJson("a", R"({"x":"1"})"));
  bed.Post(kConfigs, ConfigJson("b", R"({"x":"2"})"));
  const Answer gone = bed.Delete(StrCat(kConfigs, "?labelSelector=x%3D1"));
  CHECK(gone.code == 200);
  CHECK(ItemNames(gone) == Names{"a"});
  CHECK(ItemNames(bed.Get(kConfigs)) == Names{"b"});
}

TEST_CASE("watch: other selectable fields end it, so that clients list again") {
  Bed bed;
  const std::string path = StrCat(kDefinitions, "/lines.batch.example.com");
  const auto defined = [](std::string_view fields) {
    return Parse(StrCat(R"({"spec":{"versions":[{"name":"v1","served":true,"storage":true,
        "schema":{"openAPIV3Schema":{"type":"object","properties":{"spec":{"type":"object",
          "properties":{"a":{"type":"string"},"b":{"type":"string"}}}}}},
        "selectableFields":)",
                        std::string(fields), "}]}}"));
  };
  Json definition = ApplyMergePatch(LineDefinition(),
                                    defined(R"([{"jsonPath":".spec.a"},{"jsonPath":".spec.b"}])"));
  REQUIRE(bed.Post(kDefinitions, definition.Dump()).code == 201);
  const std::string line = R"({"metadata":{"name":"l"},"spec":{"a":"x","b":"y"}})";
  const Answer made = bed.Post(kLines, line);
  REQUIRE(made.code == 201);
  const std::string by_b = StrCat(kLines, "?watch=1&fieldSelector=spec.b%3Dy");
  auto first = bed.Watch(by_b);
  auto others = bed.Watch(StrCat(kConfigs, "?watch=1"));
  // A change of something else is none to watchers.
  REQUIRE(bed.Merge(path, R"({"metadata":{"labels":{"x":"1"}}})").code == 200);
  CHECK_FALSE(first->ended);
  // With b alone its values stand where those of a stood before.
  REQUIRE(bed.Merge(path, defined(R"([{"jsonPath":".spec.b"}])").Dump()).code == 200);
  CHECK(first->ended);
  CHECK_FALSE(others->ended);
  REQUIRE(bed.Merge(StrCat(kLines, "/l"), R"({"metadata":{"labels":{"x":"1"}}})").code == 200);
  CHECK(first->Names() == Names{"ADDED l"});
  CHECK(bed.Watch(by_b)->Names() == Names{"ADDED l"});
  const auto old =
      bed.Watch(StrCat(by_b, "&resourceVersion=", made.at({"metadata", "resourceVersion"})));
  REQUIRE(old->all.size() == 1);
  CHECK(old->all[0].At({"object", "code"}).AsInt() == 410);
}

TEST_CASE("field filter: an object with fewer fields than it was made for does not match") {
  const auto filter = FieldFilter::Parse(
      "spec.b!=y", {{"spec.a", {"spec", "a"}, ""}, {"spec.b", {"spec", "b"}, ""}});
  REQUIRE(filter.ok());
  StoredObject object;
  object.fields = {"x"};
  CHECK_FALSE(filter->Matches(object));
}

}  // namespace bth::apiserver::testing
