// The stages of webhooks (declared in webhook_book.h).
#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "apiserver/patch/patch.h"
#include "apiserver/rest/errors.h"
#include "apiserver/webhooks/check_configuration.h"
#include "apiserver/webhooks/webhook_book.h"
#include "base/status.h"
#include "base/strings.h"
#include "net/pem.h"

namespace bth::apiserver {
namespace {

// The texts of one write by the version in which it is shown.
class TextsOfWrite {
 public:
  TextsOfWrite(const WriteContext& write, bool mutated) : write_(write), mutated_(mutated) {}

  std::shared_ptr<const ReviewTexts> As(const ResourceTypePtr& type) {
    std::shared_ptr<const ReviewTexts>& texts = by_type_[type.get()];
    if (texts == nullptr) {
      const Shown shown = Show(write_, *type, mutated_);
      texts = std::make_shared<ReviewTexts>(
          ReviewTexts{RequestJson(TargetOf(write_, mutated_), *type).Dump(), shown.object.Dump(),
                      shown.old_object.Dump()});
    }
    return texts;
  }

 private:
  const WriteContext& write_;
  const bool mutated_;
  std::map<const ResourceType*, std::shared_ptr<const ReviewTexts>> by_type_;
};

Question QuestionOf(const WriteContext& write, const Invocation& invocation,
                    std::shared_ptr<const ReviewTexts> texts, bool mutating) {
  Question question;
  question.webhook = invocation.webhook;
  question.texts = std::move(texts);
  question.operation = TargetOf(write).operation;
  question.mutating = mutating;
  question.deadline = write.request->deadline;
  return question;
}

// What an answer says beside its decision, whatever that is.
void TakeNotes(Outside& outside, WriteContext& write, const Webhook& webhook,
               const ReviewAnswer& answer) {
  for (const std::string& warning : answer.warnings) AddWarning(write, warning);
  for (const auto& [key, value] : answer.audit_annotations) {
    outside.audit.Add(write, StrCat(webhook.name, "/", key), value);
  }
}

// The annotations that kube-apiserver writes about each call of a mutating webhook. `place` is
// "round_0_index_2": in which round, and where in the list of all mutating webhooks.
Json NoteHead(const Webhook& webhook) {
  return Json::MakeObject({{"configuration", webhook.configuration}, {"webhook", webhook.name}});
}

void NoteMutation(Outside& outside, const WriteContext& write, const Webhook& webhook,
                  std::string_view place, bool mutated) {
  Json note = NoteHead(webhook);
  note.Set("mutated", mutated);
  outside.audit.Add(write, StrCat("mutation.webhook.admission.k8s.io/", place), note.Dump());
}

void NotePatch(Outside& outside, const WriteContext& write, const Webhook& webhook,
               std::string_view place, const Json& patch) {
  Json note = NoteHead(webhook);
  note.Set("patch", patch);
  note.Set("patchType", "JSONPatch");
  outside.audit.Add(write, StrCat("patch.webhook.admission.k8s.io/", place), note.Dump());
}

// Calls that run side by side. Whoever waits for them ends those that still run when it goes.
struct Gathering {
  explicit Gathering(net::Executor& executor, size_t calls)
      : replies(calls), left(calls), done(executor) {}
  std::vector<Reply> replies;
  size_t left;
  net::Promised<bool> done;
  net::CancelToken cancel;
};

class Attendance {
 public:
  explicit Attendance(std::shared_ptr<Gathering> gathering) : gathering_(std::move(gathering)) {}
  Attendance(const Attendance&) = delete;
  ~Attendance() { gathering_->cancel.Cancel(); }

 private:
  const std::shared_ptr<Gathering> gathering_;
};

// `core` is held because a call may end after the write that asked for it, and after the server.
net::Awaitable<void> CallInto([[maybe_unused]] std::shared_ptr<Core> core,
                              std::shared_ptr<WebhookCaller> caller,
                              std::shared_ptr<Gathering> gathering, size_t index,
                              Question question) {
  Reply reply = co_await caller->Call(std::move(question));
  gathering->replies[index] = std::move(reply);
  if (--gathering->left == 0) gathering->done.Set(true);
}

class ValidatingStage final : public Stage {
 public:
  ValidatingStage(std::weak_ptr<Core> core, std::shared_ptr<WebhookBook> book,
                  std::shared_ptr<WebhookCaller> caller)
      : core_(std::move(core)), book_(std::move(book)), caller_(std::move(caller)) {}
  std::string_view name() const override { return "validating-webhooks"; }
  bool waits() const override { return true; }
  bool Concerns(const WriteContext& write) const override { return book_->MayConcern(write); }
  // Never reached: it waits.
  absl::Status Apply(WriteContext&) override { return absl::OkStatus(); }

  net::Awaitable<absl::Status> ApplyLater(WriteContext& write) override {
    std::vector<Question> questions;
    BTH_CO_RETURN_IF_ERROR(Ask(write, questions));
    if (questions.empty()) co_return absl::OkStatus();
    auto gathering =
        std::make_shared<Gathering>(caller_->outside().core.executor, questions.size());
    const Attendance attendance(gathering);
    std::vector<WebhookPtr> asked;
    for (size_t i = 0; i < questions.size(); ++i) {
      asked.push_back(questions[i].webhook);
      questions[i].cancel = gathering->cancel;
      net::Spawn(caller_->outside().core.executor,
                 CallInto(core_.lock(), caller_, gathering, i, std::move(questions[i])));
    }
    co_await gathering->done.Wait();
    co_return Judge(write, asked, gathering->replies);
  }

 private:
  absl::Status Ask(const WriteContext& write, std::vector<Question>& questions) const {
    TextsOfWrite texts(write, true);
    for (const WebhookPtr& webhook : book_->webhooks()) {
      absl::StatusOr<std::optional<Invocation>> chosen = book_->Choose(webhook, write);
      if (!chosen.ok()) return chosen.status();
      if (!chosen->has_value()) continue;
      questions.push_back(QuestionOf(write, **chosen, texts.As((*chosen)->as), false));
    }
    return absl::OkStatus();
  }

  // The first of them by order decides, however they came in.
  absl::Status Judge(WriteContext& write, const std::vector<WebhookPtr>& asked,
                     const std::vector<Reply>& replies) {
    absl::Status decision;
    for (size_t i = 0; i < replies.size(); ++i) {
      if (replies[i].answer.has_value()) {
        TakeNotes(caller_->outside(), write, *asked[i], *replies[i].answer);
      }
      if (decision.ok() || replies[i].out_of_time) {
        if (!replies[i].status.ok()) decision = replies[i].status;
      }
    }
    return decision;
  }

  const std::weak_ptr<Core> core_;  // Which owns the stage.
  const std::shared_ptr<WebhookBook> book_;
  const std::shared_ptr<WebhookCaller> caller_;
};

class WebhookMutator final : public Mutator {
 public:
  WebhookMutator(std::shared_ptr<WebhookBook> book, std::shared_ptr<WebhookCaller> caller)
      : book_(std::move(book)), caller_(std::move(caller)) {}
  bool Concerns(const WriteContext& write) const override { return book_->MayConcern(write); }

  net::Awaitable<absl::Status> Mutate(WriteContext& write, Ledger& ledger) override {
    // The list may change while one of them is waited for.
    const std::vector<WebhookPtr> webhooks = book_->webhooks();
    for (size_t i = 0; i < webhooks.size(); ++i) {
      const WebhookPtr& webhook = webhooks[i];
      if (!ledger.MayAsk(webhook->id)) continue;
      absl::StatusOr<std::optional<Invocation>> chosen = book_->Choose(webhook, write);
      if (!chosen.ok()) co_return chosen.status();
      if (!chosen->has_value()) continue;
      const Invocation invocation = **chosen;
      const std::string place = StrCat("round_", ledger.round(), "_index_", i);
      absl::StatusOr<bool> changed = co_await AskOne(write, invocation, place);
      NoteMutation(caller_->outside(), write, *webhook, place, changed.ok() && *changed);
      if (!changed.ok()) co_return changed.status();
      ledger.Asked(webhook->id, webhook->invoked_again, *changed, write.object);
    }
    co_return absl::OkStatus();
  }

 private:
  // Whether the object is another one now.
  net::Awaitable<absl::StatusOr<bool>> AskOne(WriteContext& write, const Invocation& invocation,
                                              const std::string& place) {
    TextsOfWrite texts(write, false);
    Question question = QuestionOf(write, invocation, texts.As(invocation.as), true);
    Reply reply = co_await caller_->Call(std::move(question));
    if (reply.answer.has_value()) {
      TakeNotes(caller_->outside(), write, *invocation.webhook, *reply.answer);
    }
    if (!reply.status.ok()) co_return reply.status;
    if (!reply.answer.has_value() || !reply.answer->patch.has_value()) co_return false;
    const Json& patch = *reply.answer->patch;
    const absl::StatusOr<bool> changed = Change(write, invocation, patch);
    if (changed.ok()) NotePatch(caller_->outside(), write, *invocation.webhook, place, patch);
    co_return changed;
  }

  absl::StatusOr<bool> Change(WriteContext& write, const Invocation& invocation,
                              const Json& patch) {
    if (write.operation == Operation::kDelete) {
      return InternalError(StrCat("admission webhook \"", invocation.webhook->name,
                                  "\" attempted to modify the object, which is not supported for "
                                  "this operation"));
    }
    const Shown shown = Show(write, *invocation.as, false);
    absl::StatusOr<Json> next = ApplyJsonPatch(shown.object, patch);
    if (!next.ok()) return InternalError(ToStd(next.status().message()));
    if (*next == shown.object) return false;
    const Json before = write.object;
    BTH_RETURN_IF_ERROR(TakeBack(caller_->outside().core, *invocation.as, *std::move(next), write));
    return !(before == write.object);
  }

  const std::shared_ptr<WebhookBook> book_;
  const std::shared_ptr<WebhookCaller> caller_;
};

// Defaults at kDefault, rules at kValidate.
class ConfigurationStage final : public Stage {
 public:
  ConfigurationStage(bool rules, std::shared_ptr<const cel::Environment> environment)
      : rules_(rules), environment_(std::move(environment)) {}
  std::string_view name() const override { return rules_ ? "webhook-rules" : "webhook-defaults"; }
  bool Concerns(const WriteContext& write) const override {
    return write.type->group == "admissionregistration.k8s.io" && write.subresource.empty() &&
           write.operation != Operation::kDelete &&
           write.type->kind.ends_with("WebhookConfiguration");
  }
  absl::Status Apply(WriteContext& write) override {
    const bool mutating = write.type->kind.starts_with("Mutating");
    if (!rules_) {
      DefaultWebhooks(write.object, mutating);
      return CheckBundles(write);
    }
    const rules::FieldErrors errors = CheckWebhooks(
        write.object, write.old.has_value() ? &*write.old : nullptr, mutating, environment_);
    return errors.empty() ? absl::OkStatus() : Invalid(write.subject(), CausesOf(errors));
  }

 private:
  static absl::Status CheckBundles(const WriteContext& write) {
    for (const Json& hook : write.object["webhooks"].items()) {
      const absl::Status read =
          net::Base64Decode(hook["clientConfig"]["caBundle"].AsString()).status();
      if (read.ok()) continue;
      return BadRequest(StrCat(write.type->kind, " in version \"v1\" cannot be handled as a ",
                               write.type->kind, ": illegal base64 data: ", ToStd(read.message())));
    }
    return absl::OkStatus();
  }

  const bool rules_;
  const std::shared_ptr<const cel::Environment> environment_;
};

}  // namespace

std::unique_ptr<Mutator> ServeWebhooks(const std::shared_ptr<Core>& core,
                                       const std::shared_ptr<Outside>& outside, ConnectTo connect) {
  const std::shared_ptr<const cel::Environment> environment = ExpressionEnvironment({});
  auto caller = std::make_shared<WebhookCaller>(outside, std::move(connect));
  auto mutating = std::make_shared<WebhookBook>(outside, true, environment);
  auto validating = std::make_shared<WebhookBook>(outside, false, environment);
  mutating->Start();
  validating->Start();
  core->stages.Add(StagePoint::kDefault, std::make_unique<ConfigurationStage>(false, environment));
  core->stages.Add(StagePoint::kValidate, std::make_unique<ConfigurationStage>(true, environment));
  core->stages.Add(StagePoint::kValidateOutside,
                   std::make_unique<ValidatingStage>(core, std::move(validating), caller));
  return std::make_unique<WebhookMutator>(std::move(mutating), caller);
}

}  // namespace bth::apiserver
