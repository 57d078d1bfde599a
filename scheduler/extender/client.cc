#include "scheduler/extender/client.h"

#include <algorithm>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "base/log.h"
#include "base/status.h"
#include "base/strings.h"
#include "scheduler/extender/answers.h"
#include "scheduler/extender/json_text.h"

namespace bth::scheduler::extender {
namespace {

using framework::ExtenderPort;
using framework::Session;
using model::NodeId;
using model::TaskId;

framework::HttpPort::Request RequestFor(const ExtenderPort::Call& call, std::string body) {
  framework::HttpPort::Request request;
  request.url = call.url;
  request.body = std::move(body);
  request.timeout = call.timeout;
  request.response_max_bytes = kAnswerBytesMax;
  return request;
}

// An answer that is too large has the words that Go programs use for it.
absl::Status Reworded(const absl::Status& status) {
  if (!absl::IsResourceExhausted(status)) return status;
  return absl::ResourceExhaustedError("http: request body too large");
}

std::string OneMember(std::string_view key, const std::string& value) {
  ObjectText out;
  return out.Raw(key, value).Take();
}

// The same for all tasks that are asked about once.
std::string SubjectOf(const Session& session, TaskId id) {
  const model::TaskRow& task = session.task(id);
  if (task.job.valid()) return StrCat("a pod of job ", session.job(task.job).facts->Key());
  return StrCat("pod ", task.names->ns, "/", task.names->name);
}

}  // namespace

absl::Status ExtenderClient::NotSent(std::string_view subject) const {
  return absl::OutOfRangeError(StrCat("the request about ", subject, " has more than ",
                                      bounds_.bytes_max,
                                      " bytes, and no more are sent: make pods smaller, such as "
                                      "their annotations, or leave out the verb"));
}

void ExtenderClient::TellOfDocuments(const Call& call, const Session& session,
                                     const Documents& documents) {
  if (documents.left_out.empty()) return;
  if (auto* metrics = session.context().metrics; metrics != nullptr) {
    metrics->LimitReached("extender_call");
  }
  // Each policy has few URLs, and may name others than the last one did.
  constexpr size_t kUrlsMax = 64;
  if (said_left_out_.contains(call.url)) return;
  if (said_left_out_.size() >= kUrlsMax) said_left_out_.clear();
  said_left_out_.insert(call.url);
  size_t count = 0;
  for (const auto& [bytes, times] : documents.left_out) count += times;
  Log(LogLevel::kWarning, "extender.documents_left_out",
      {{"url", call.url},
       {"documents", count},
       {"bytes_min", documents.left_out.begin()->first},
       {"request_bytes_max", bounds_.bytes_max},
       {"effect", "it is told only the names of these pods and nodes"}});
}

ExtenderClient::Answer ExtenderClient::Ask(const Call& call, std::string_view subject,
                                           std::string body) {
  if (body.size() > bounds_.bytes_max) return NotSent(subject);
  const framework::HttpPort::Request request = RequestFor(call, std::move(body));
  std::vector<Answer> answers = http_.Exchange(absl::MakeConstSpan(&request, 1));
  if (!answers.front().ok()) return Reworded(answers.front().status());
  return std::move(answers.front());
}

ExtenderClient::Answer ExtenderClient::AskAboutJob(const Call& call, const Session& session,
                                                   model::JobId job) {
  const std::string subject = StrCat("job ", session.job(job).facts->Key());
  // Not even written: it may be many times too large, and is asked about again and again.
  if (JobBytesMin(session, job) > bounds_.bytes_max) return NotSent(subject);
  return Ask(call, subject, OneMember("job", JobText(session, job)));
}

std::string ExtenderClient::WithTask(const Call& call, const Session& session,
                                     const std::string& task, std::string_view key,
                                     absl::FunctionRef<std::string(Documents&)> write) {
  constexpr size_t kFrameBytes = 32;  // Of the keys and what stands between.
  const size_t taken = task.size() + kFrameBytes;
  if (taken > bounds_.bytes_max) return "";
  TextBounds bounds = bounds_;
  bounds.bytes_max -= taken;
  bounds.trimmed_bytes_max -= std::min(taken, bounds.trimmed_bytes_max);
  Documents documents;
  const std::string text = TextWithin(bounds, write, documents);
  if (text.empty()) return "";
  TellOfDocuments(call, session, documents);
  ObjectText body;
  return body.Raw("task", task).Raw(key, text).Take();
}

absl::Status ExtenderClient::OpenSession(const Call& call, const Session& session) {
  node_tasks_.Forget();
  const auto write = [&](Documents& documents) {
    return SessionText(session, node_tasks_, bounds_.bytes_max, &documents);
  };
  Documents documents;
  std::string body = TextWithin(bounds_, write, documents);
  if (body.empty()) {
    return absl::OutOfRangeError(
        StrCat("the session has more than ", bounds_.bytes_max,
               " bytes, though pods and nodes are told by their names alone, and no more are sent: "
               "leave out extender.onSessionOpenVerb"));
  }
  TellOfDocuments(call, session, documents);
  return Ask(call, "the session", std::move(body)).status();
}

absl::Status ExtenderClient::CloseSession(const Call& call) {
  return Ask(call, "the end of the session", "{}").status();
}

std::vector<absl::StatusOr<ExtenderPort::FilterAnswer>> ExtenderClient::Filter(
    const Call& call, const Session& session, TaskId task, absl::Span<const NodeId> nodes) {
  std::vector<absl::StatusOr<FilterAnswer>> out;
  if (TaskBytesMin(session, task) > bounds_.bytes_max) {
    out.resize(nodes.size(), NotSent(SubjectOf(session, task)));
    return out;
  }
  out.reserve(nodes.size());
  const std::string task_text = TaskText(session, task);
  absl::Status silence;
  while (out.size() < nodes.size() && silence.ok()) {
    std::vector<framework::HttpPort::Request> requests;
    std::vector<size_t> places;  // In `out`, by request.
    size_t bytes = 0;
    while (out.size() < nodes.size() && requests.size() < kBatch && bytes <= bounds_.bytes_max) {
      const NodeId node = nodes[out.size()];
      const auto write = [&](Documents& documents) {
        const std::vector<TaskId>& on_node = node_tasks_.On(session, node);
        // Not even written: it would be again for each task that is asked about.
        if (documents.has_all() && NodeBytesMin(session, node, on_node) > bounds_.bytes_max) {
          return std::string();
        }
        return NodeText(session, node, on_node, &documents);
      };
      std::string body = WithTask(call, session, task_text, "node", write);
      if (body.empty()) {
        out.emplace_back(NotSent(SubjectOf(session, task)));
        continue;
      }
      places.push_back(out.size());
      out.emplace_back(FilterAnswer());
      bytes += body.size();
      requests.push_back(RequestFor(call, std::move(body)));
    }
    if (requests.empty()) break;
    const std::vector<Answer> answers = http_.Exchange(requests);
    for (size_t i = 0; i < answers.size(); ++i) {
      const absl::Status& status = answers[i].status();
      if (absl::IsDeadlineExceeded(status) || absl::IsUnavailable(status)) silence = status;
      if (status.ok()) {
        out[places[i]] = ParseFilter(*answers[i]);
      } else {
        out[places[i]] = Reworded(status);
      }
    }
  }
  if (!silence.ok()) out.resize(nodes.size(), silence);
  return out;
}

absl::StatusOr<ExtenderPort::ScoreAnswer> ExtenderClient::Score(const Call& call,
                                                                const Session& session, TaskId task,
                                                                absl::Span<const NodeId> nodes) {
  absl::flat_hash_map<std::string_view, size_t> places;
  size_t bytes_min = TaskBytesMin(session, task);
  if (bytes_min > bounds_.bytes_max) return NotSent(SubjectOf(session, task));
  for (size_t i = 0; i < nodes.size(); ++i) {
    places[session.node(nodes[i]).name] = i;
    bytes_min += NodeBytesMin(session, nodes[i], node_tasks_.On(session, nodes[i]));
  }
  const auto write = [&](Documents& documents) {
    std::string list;
    if (documents.has_all() && bytes_min > bounds_.bytes_max) return list;
    list = "[";
    for (NodeId node : nodes) {
      if (list.size() > 1) list += ',';
      list += NodeText(session, node, node_tasks_.On(session, node), &documents);
      if (list.size() > bounds_.bytes_max) break;
    }
    return list + ']';
  };
  const std::string task_text = TaskText(session, task);
  std::string body = WithTask(call, session, task_text, "nodes", write);
  if (body.empty()) return NotSent(SubjectOf(session, task));
  BTH_ASSIGN_OR_RETURN(const std::string text,
                       Ask(call, SubjectOf(session, task), std::move(body)));
  BTH_ASSIGN_OR_RETURN(const ScoreReply reply, ParseScores(text));
  ScoreAnswer out;
  out.scores.assign(nodes.size(), 0);
  for (const auto& [node, score] : reply.scores) {
    const auto place = places.find(std::string_view(node));
    if (place == places.end()) {
      ++out.unknown;
    } else {
      out.scores[place->second] = score;
    }
  }
  return out;
}

absl::StatusOr<ExtenderPort::VictimAnswer> ExtenderClient::ChooseVictims(
    const Call& call, const Session& session, TaskId evictor, absl::Span<const TaskId> evictees) {
  const std::string subject = StrCat("victims for ", SubjectOf(session, evictor));
  size_t bytes_min = TaskBytesMin(session, evictor);
  for (TaskId evictee : evictees) bytes_min += TaskBytesMin(session, evictee);
  // Nothing is left out: who may be evicted is not decided on half of what is known.
  if (bytes_min > bounds_.bytes_max) return NotSent(subject);
  std::string list = "[";
  absl::flat_hash_map<std::string_view, TaskId> by_uid;
  for (TaskId evictee : evictees) {
    if (list.size() > 1) list += ',';
    list += TaskText(session, evictee);
    if (list.size() > bounds_.bytes_max) return NotSent(subject);
    by_uid[session.task(evictee).names->uid] = evictee;
  }
  list += ']';
  ObjectText body;
  body.Raw("evictor", TaskText(session, evictor)).Raw("evictees", list);
  BTH_ASSIGN_OR_RETURN(const std::string text, Ask(call, subject, body.Take()));
  BTH_ASSIGN_OR_RETURN(const VictimReply reply, ParseVictims(text));
  VictimAnswer out;
  out.status = reply.status;
  for (const std::string& uid : reply.uids) {
    const auto known = by_uid.find(std::string_view(uid));
    if (known == by_uid.end()) {
      ++out.unknown;
      continue;
    }
    out.victims.push_back(known->second);
    by_uid.erase(known);
  }
  return out;
}

absl::StatusOr<int64_t> ExtenderClient::JobVote(const Call& call, const Session& session,
                                                model::JobId job) {
  BTH_ASSIGN_OR_RETURN(const std::string text, AskAboutJob(call, session, job));
  return ParseVote(text);
}

absl::Status ExtenderClient::TellJob(const Call& call, const Session& session, model::JobId job) {
  BTH_ASSIGN_OR_RETURN(const std::string text, AskAboutJob(call, session, job));
  return ParseAcknowledgement(text);
}

absl::StatusOr<bool> ExtenderClient::JobReady(const Call& call, const Session& session,
                                              model::JobId job) {
  BTH_ASSIGN_OR_RETURN(const std::string text, AskAboutJob(call, session, job));
  return ParseReady(text);
}

absl::StatusOr<bool> ExtenderClient::QueueOverused(const Call& call, const Session& session,
                                                   model::QueueId queue) {
  BTH_ASSIGN_OR_RETURN(const std::string text,
                       Ask(call, StrCat("queue ", *session.queue(queue).name),
                           OneMember("queue", QueueText(session, queue))));
  return ParseOverused(text);
}

absl::Status ExtenderClient::TaskEvent(const Call& call, const Session& session, TaskId task) {
  const std::string subject = SubjectOf(session, task);
  if (TaskBytesMin(session, task) > bounds_.bytes_max) return NotSent(subject);
  BTH_ASSIGN_OR_RETURN(const std::string text,
                       Ask(call, subject, OneMember("task", TaskText(session, task))));
  return ParseEvent(text);
}

}  // namespace bth::scheduler::extender
