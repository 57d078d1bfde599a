#include "apiserver/quota/quota_book.h"

#include <optional>
#include <utility>

#include "absl/strings/str_join.h"
#include "api/rules/quantities.h"
#include "apiserver/rest/errors.h"
#include "base/strings.h"

namespace bth::apiserver {
namespace {

using types::Quantity;

constexpr const char* kQuotas = "resourcequotas";
// So long a status may lie behind.
constexpr absl::Duration kStatusPause = absl::Milliseconds(100);

Amounts AmountsOf(const Json& list) {
  Amounts amounts;
  for (const auto& [name, value] : list.members()) {
    // What cannot be read was refused when the quota was written.
    if (const auto amount = rules::QuantityOf(value)) amounts[std::string(name)] = *amount;
  }
  return amounts;
}

std::string Text(const Amounts& amounts) {
  return absl::StrJoin(amounts, ",", [](std::string* out, const auto& one) {
    StrAppend(out, one.first, "=", one.second.ToString());
  });
}

Json AsJson(const Amounts& amounts) {
  Json list = Json::MakeObject();
  for (const auto& [name, amount] : amounts) list.Set(name, amount.ToString());
  return list;
}

}  // namespace

void QuotaBook::Start() {
  for (const ObjectPtr& quota : core_.store->Find(kQuotas)->All("")) Put(*quota);
  core_.store->OnCommit(
      [self = shared_from_this()](Collection& collection, const StoreEvent& event) {
        self->OnCommit(collection, event);
      });
}

QuotaBook::Taker::Taker(const Collection& from, const StoredObject& stored)
    : collection(from.name()), object(ParseStored(stored)), usage(UsageOf(collection, object)) {}

void QuotaBook::OnCommit(Collection& collection, const StoreEvent& event) {
  const bool deleted = event.type == EventType::kDeleted;
  const ObjectKey& key = event.object->key;
  if (collection.name() == kQuotas && deleted) Remove(key);
  if (const auto found = quotas_.find(key.ns); found != quotas_.end()) {
    std::optional<Taker> before, after;  // Read when some quota asks.
    for (auto& [name, quota] : found->second) {
      if (!quota.collections.contains(collection.name())) continue;
      if (event.previous != nullptr && !before) before.emplace(collection, *event.previous);
      if (!deleted && !after) after.emplace(collection, *event.object);
      bool concerned = before && Add(quota, *before, -1);
      if (after) concerned |= Add(quota, *after, +1);
      if (!quota.exact) Count(key.ns, quota);
      if (concerned) WriteSoon({key.ns, name});
    }
  }
  if (collection.name() == kQuotas && !deleted) Put(*event.object);
}

void QuotaBook::Put(const StoredObject& stored) {
  const Json object = ParseStored(stored);
  Quotas& of_namespace = quotas_[stored.key.ns];
  const auto [at, is_new] = of_namespace.try_emplace(stored.key.name);
  Quota& quota = at->second;
  if (!is_new && quota.spec == object["spec"]) return;
  quota.spec = object["spec"];
  quota.hard = AmountsOf(object["spec"]["hard"]);
  quota.scopes = ScopesOf(object);
  quota.collections.clear();
  for (const auto& [name, amount] : quota.hard) {
    quota.collections.insert(std::string(CollectionBehind(name)));
  }
  Count(stored.key.ns, quota);
  WriteSoon(stored.key);
}

void QuotaBook::Remove(const ObjectKey& key) {
  const auto found = quotas_.find(key.ns);
  if (found == quotas_.end()) return;
  found->second.erase(key.name);
  if (found->second.empty()) quotas_.erase(found);
  unwritten_.erase(key);
}

void QuotaBook::Count(const std::string& ns, Quota& quota) const {
  quota.exact = true;
  quota.used.clear();
  for (const auto& [name, amount] : quota.hard) quota.used[name] = Quantity();
  for (const std::string& name : quota.collections) {
    const Collection* collection = core_.store->Find(name);
    if (collection == nullptr) continue;  // A kind that nobody serves.
    for (const ObjectPtr& object : collection->All(ns)) Add(quota, {*collection, *object}, +1);
  }
}

bool QuotaBook::Add(Quota& quota, const Taker& taker, int by) {
  if (!InScopes(quota.scopes, taker.collection, taker.object)) return false;
  if (!taker.usage.ok()) return false;  // Such an object was never admitted beside a quota.
  bool concerned = false;
  for (const auto& [name, amount] : *taker.usage) {
    const auto used = quota.used.find(name);
    if (used == quota.used.end() || amount.is_zero()) continue;
    concerned = true;
    const auto sum = by > 0 ? used->second.Plus(amount) : used->second.Minus(amount);
    quota.exact &= sum.ok();
    if (sum.ok()) used->second = *sum;
  }
  return concerned;
}

absl::Status QuotaBook::Check(const WriteContext& write) const {
  const auto found = quotas_.find(write.ns);
  if (found == quotas_.end()) return absl::OkStatus();
  const std::string& collection = write.type->collection;
  for (const auto& [name, quota] : found->second) {
    if (!quota.collections.contains(collection)) continue;
    if (!InScopes(quota.scopes, collection, write.object)) continue;
    if (collection == "pods") {
      const std::string missing = MissingFor(quota.hard, write.object);
      if (!missing.empty()) {
        return Forbidden(write.subject(),
                         StrCat("failed quota: ", name, ": must specify ", missing));
      }
    }
    const absl::StatusOr<Amounts> usage = UsageOf(collection, write.object);
    if (!usage.ok()) return Forbidden(write.subject(), ToStd(usage.status().message()));
    Amounts requested, used, limited;
    for (const auto& [resource, amount] : *usage) {
      const auto hard = quota.hard.find(resource);
      if (hard == quota.hard.end() || amount.is_zero()) continue;
      const Quantity& now = quota.used.at(resource);
      const absl::StatusOr<Quantity> sum = now.Plus(amount);
      if (sum.ok() && sum->Compare(hard->second) <= 0) continue;
      requested[resource] = amount;
      used[resource] = now;
      limited[resource] = hard->second;
    }
    if (requested.empty()) continue;
    return Forbidden(write.subject(),
                     StrCat("exceeded quota: ", name, ", requested: ", Text(requested),
                            ", used: ", Text(used), ", limited: ", Text(limited)));
  }
  return absl::OkStatus();
}

void QuotaBook::WriteSoon(const ObjectKey& key) {
  unwritten_.insert(key);
  if (timer_ != 0) return;
  timer_ = core_.executor.RunAfter(kStatusPause, [weak = weak_from_this()] {
    const auto self = weak.lock();
    if (self == nullptr) return;
    self->timer_ = 0;
    self->WriteStatuses();
  });
}

void QuotaBook::WriteStatuses() {
  // A write comes back through OnCommit, and a quota of quotas is changed by none.
  for (const ObjectKey& key : std::exchange(unwritten_, {})) WriteStatus(key);
}

void QuotaBook::WriteStatus(const ObjectKey& key) {
  Collection& collection = *core_.store->Find(kQuotas);
  const ObjectPtr stored = collection.Get(key);
  if (stored == nullptr) return;
  const Quota& quota = quotas_.at(key.ns).at(key.name);
  Json object = ParseStored(*stored);
  Json status = Json::MakeObject({{"hard", AsJson(quota.hard)}, {"used", AsJson(quota.used)}});
  if (std::as_const(object)["status"] == status) return;
  object.Set("status", std::move(status));
  core_.store->Put(collection, std::move(object));
}

namespace {

class QuotaStage final : public Stage {
 public:
  explicit QuotaStage(std::shared_ptr<QuotaBook> book) : book_(std::move(book)) {}
  std::string_view name() const override { return "resource-quota"; }
  bool Concerns(const WriteContext& write) const override {
    return write.operation == Operation::kCreate && write.subresource.empty() &&
           !write.ns.empty() && book_->HasAny(write.ns);
  }
  absl::Status Apply(WriteContext& write) override { return book_->Check(write); }

 private:
  const std::shared_ptr<QuotaBook> book_;
};

}  // namespace

void EnforceQuotas(const std::shared_ptr<Core>& core) {
  auto book = std::make_shared<QuotaBook>(*core);
  book->Start();
  // Last: what others refuse must not count, and what they add does.
  core->stages.Add(StagePoint::kValidateOutside, std::make_unique<QuotaStage>(std::move(book)));
}

}  // namespace bth::apiserver
