#include "cluster/exchange.h"

#include <poll.h>
#include <wtool/tool.h>

#include <algorithm>
#include <stdexcept>

#include "audit/tracing.h"
#include "base/calm_poll.h"
#include "base/json.h"
#include "base/json_reader.h"

namespace wtool::cluster {

namespace {

using Json = nlohmann::ordered_json;
using engine::Cancellation;
using engine::Stream;
using pilot::Channel;
using pilot::ChannelMessage;
using pilot::Type;

constexpr std::string_view target = "cluster_tools::call";

// The lowest level of log records that the host wants.
std::uint32_t wanted_level() {
  for (std::uint32_t level = 1; level <= static_cast<std::uint32_t>(audit::Level::error); ++level) {
    if (audit::enabled(static_cast<audit::Level>(level), "shell_tools::call")) return level;
  }
  return static_cast<std::uint32_t>(audit::Level::error) + 1;
}

// How long the warden of a dead pilot gets to end the pilot's commands.
constexpr std::chrono::seconds settling{1};

}  // namespace

void Exchange::send(const Request& request) {
  Channel& channel = *slot_.channel;
  // The connection may have ended while nobody looked at it.
  gone_ = !channel.take_in();
  if (gone_) return;
  const std::string head = dumped(Json{{"tool", pilot::run_tool},
                                       {"config", request.configuration},
                                       {"call_id", request.call_id},
                                       {"log_from", wanted_level()},
                                       {"window", slot_.window},
                                       {"hold", request.hold}});
  // If sending fails, a part of the message may have been sent. The pilot's answer, or its silence,
  // shows whether the order was begun.
  channel.send(Type::call, head + '\0' + request.order);
}

void Exchange::pass_on_log(const std::string& text) const {
  audit::Fields fields{audit::field("node", slot_.node)};
  try {
    std::string problem;
    const nlohmann::json record = parse_json_object(text, problem);
    if (!problem.empty()) throw std::invalid_argument(problem);
    const auto level = std::clamp<std::int64_t>(record.at("level").get<std::int64_t>(), 1, 5);
    const auto where = record.at("target").get<std::string>(), message = record.at("message").get<std::string>();
    for (const auto& [key, value] : record.at("fields").items()) fields.push_back({key, dumped(value)});
    audit::log(static_cast<audit::Level>(level), where, message, std::move(fields), span_);
  } catch (const std::exception& error) {
    audit::log(audit::Level::warn, target, "a log record of the node cannot be read",
               {audit::field("node", slot_.node), audit::field("error", error.what())}, span_);
  }
}

// Handles events, logs and heartbeats. False: the message has a different type.
bool Exchange::pass_on(const ChannelMessage& message, const Listener& listener) const {
  const bool bytes = message.type == Type::standard_output || message.type == Type::standard_error;
  if (!bytes && message.type != Type::log && message.type != Type::beat) return false;
  if (bytes && listener.output) {
    listener.output(message.type == Type::standard_output ? Stream::standard_output : Stream::standard_error,
                    message.text);
  } else if (message.type == Type::log) {
    pass_on_log(message.text);
  }
  const bool beat = message.type == Type::beat;
  if (!beat) slot_.taken += pilot::cost(message.text.size());
  if (beat || slot_.taken - slot_.told >= slot_.window / 4) {
    slot_.told = slot_.taken;
    std::string text;
    for (int shift = 56; shift >= 0; shift -= 8) text += static_cast<char>(slot_.taken >> shift & 0xff);
    slot_.channel->send(Type::taken, text + (beat ? '\1' : '\0'));
  }
  return true;
}

Exchange::End Exchange::await(Cancellation* cancellation, const Listener& listener, std::string& text) {
  if (gone_) return End::not_begun;
  Channel& channel = *slot_.channel;
  bool begun = false;
  auto told = Cancellation::Mode::none;
  for (;;) {
    // The cancellation is checked before each message, since output may come without a pause.
    if (const auto mode = cancellation == nullptr ? told : cancellation->mode(); mode > told) {
      told = mode;
      channel.send(Type::cancel, static_cast<char>(mode) + cancellation->reason());
    }
    if (std::optional<ChannelMessage> message = channel.next()) {
      const bool passed = pass_on(*message, listener);
      heard_ = Clock::now();  // set only after the receiver has run, which may take long
      if (passed) continue;
      switch (message->type) {
        case Type::started:
          begun = true;
          continue;
        case Type::running:
          if (listener.started) listener.started();
          continue;
        case Type::leaving:
          if (!begun) return End::not_begun;
          continue;
        case Type::result:
        case Type::failure:
          if (message->text.empty()) return text = "it sent something that is not a result", End::lost;
          text = message->text.substr(1);
          if (message->type == Type::result) return End::answered;
          return message->text[0] == static_cast<char>(WTOOL_E_INVALID_ARGUMENT) ? End::refused : End::failed;
        default:
          return text = "it sent something that a pilot never sends", End::lost;
      }
    }
    if (channel.state() == Channel::State::closed) return text = "its connection ended", End::lost;
    const auto silent = Clock::now() - heard_;
    if (silent >= pilot::host_patience) {
      return text = "it has been silent for " + std::to_string(pilot::host_patience.count()) + " seconds", End::lost;
    }
    pollfd ready[2] = {{channel.descriptor(), POLLIN, 0},
                       {cancellation == nullptr ? -1 : cancellation->descriptor(), POLLIN, 0}};
    calm_poll(ready, 2,
              static_cast<int>(std::chrono::ceil<std::chrono::milliseconds>(pilot::host_patience - silent).count()));
    if (ready[1].revents != 0) cancellation->acknowledge();
  }
}

std::string title_of(const std::string& node, const std::string& job) {
  return "The node " + node + (job.empty() ? "" : " (job " + job + ')');
}

std::string lose(Pool& pool, Slot slot, const std::string& why, std::uint64_t span) {
  const std::string job = slot.job, node = slot.node;
  pool.lost(std::move(slot));
  std::string message = title_of(node, job) + " was lost: " + why;
  // The commands of a pilot that died are ended by its warden; a pilot that hangs is ended by Slurm.
  const std::string problem = Pool::end_job(job);
  if (!problem.empty())
    message.append("; check what still runs there, because its job could not be ended: ").append(problem);
  audit::log(audit::Level::warn, target, message, {audit::field("node", node), audit::field("job", job)}, span);
  const auto settled = Clock::now() + settling;
  while (Clock::now() < settled) {
    ::poll(nullptr, 0, static_cast<int>(std::chrono::ceil<std::chrono::milliseconds>(settled - Clock::now()).count()));
  }
  return message;
}

}  // namespace wtool::cluster
