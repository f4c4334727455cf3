#include "harness/fleet/seat.h"

#include <fmt/format.h>

#include "harness/core/error.h"

namespace harness::fleet {

Seat::Seat(NodeSpec spec, StartNode start, Patience patience, double now)
    : spec_(std::move(spec)), start_(std::move(start)), patience_(patience) {
  begin(now);
}

void Seat::begin(double now) {
  begun_ = heard_ = now;
  first_id_ = 0;
  hello_.reset();
  lines_ = Lines(Side::node);
  state_ = State::running;
  transport_ = start_(spec_);
}

void Seat::push(Call call) {
  calls_.push_back(std::move(call));
}

void Seat::push_front(Call call) {
  calls_.push_front(std::move(call));
  first_id_ = 0;
}

bool Seat::send(const json& message) {
  const std::string line = framed(Side::lead, message);
  bytes_sent_ += line.size();
  return transport_->send(line);
}

void Seat::tick(double now, bool readable) {
  if (state_ == State::dead) return;
  if (state_ == State::waiting) {
    if (now >= start_again_) begin(now);
    return;
  }
  const auto sentence = [&] {
    return lines_.last_other().empty() ? "" : fmt::format("; it said: {}", lines_.last_other());
  };
  if (readable) {
    const std::optional<std::string> bytes = transport_->receive();
    if (!bytes) return lose("its process ended" + sentence(), now);
    bytes_received_ += bytes->size();
    lines_.add(*bytes);
    listen(now);
    if (state_ != State::running) return;
  }
  if (!hello_ && now - begun_ > spec_.wait_s)
    return lose(fmt::format("it said no hello within {:.0f} s{}", spec_.wait_s, sentence()), now);
  if (hello_ && now - heard_ > patience_.silence)
    return lose(fmt::format("nothing was heard of it for {:.0f} s", patience_.silence), now);
  if (hello_ && !calls_.empty() && first_id_ == 0) send_first(now);
  if (first_id_ > 0 && calls_.front().deadline_s > 0 && now - first_sent_ > calls_.front().deadline_s + patience_.grace)
    lose(fmt::format("it did not end within {:.0f} s", calls_.front().deadline_s + patience_.grace), now);
}

// What the campaign throws while it is told something is its own.
void Seat::listen(double now) {
  while (state_ == State::running) {
    std::optional<json> message;
    try {
      message = lines_.next();
    } catch (const Error& error) {
      return lose(error.what(), now);
    }
    if (!message) return;
    try {
      receive(*message, now);
    } catch (const json::exception& error) {
      return lose(fmt::format("it said something that is no message ({})", error.what()), now);
    }
  }
}

void Seat::send_first(double now) {
  first_id_ = next_id_++;
  calls_.front().message["id"] = first_id_;
  first_sent_ = sent_ = now;
  send(calls_.front().message);
}

void Seat::receive(const json& message, double now) {
  heard_ = now;
  if (message.contains("hello")) {
    if (hello_) return;
    hello_ = message;
    if (!ever_greeted_) waited_ = now - begun_;
    ever_greeted_ = true;
    if (lives_ > 0 && on_restart) on_restart(*this);
    return;
  }
  if (!hello_ || calls_.empty() || first_id_ == 0) return;
  if (message.contains("beat")) {
    if (message.at("at") == first_id_) sent_ = now;
    if (now - sent_ <= patience_.again) return;  // a call or its answer was lost on the way: it keeps answers
    sent_ = now;
    send(calls_.front().message);
  } else if (message.contains("question") && message.value("of", std::int64_t{0}) == first_id_) {
    const json value = calls_.front().question ? calls_.front().question(message) : json();
    send({{"reply", message.at("question")}, {"value", value}});
  } else if (message.contains("id") && message.at("id") == first_id_) {
    finish(message);
  }
}

void Seat::finish(const json& answer) {
  const Call done = std::move(calls_.front());
  calls_.pop_front();
  first_id_ = 0;
  if (done.shows_it_can_work) lives_ = 0;
  if (done.answered) done.answered(answer);
}

void Seat::cancel() {
  if (state_ == State::running && first_id_ > 0) send({{"cancel", first_id_}});
}

// What it was asked to do is lost with it; nothing is done twice on the same node.
void Seat::lose(const std::string& why, double now) {
  transport_.reset();
  std::deque<Call> calls;
  calls.swap(calls_);
  const bool at_work = first_id_ > 0;
  first_id_ = 0;
  ++lives_;
  why_ = why;
  start_again_ = now + lives_;
  // A command that never brought a node is not tried again.
  state_ = lives_ > patience_.restarts || !ever_greeted_ ? State::dead : State::waiting;
  for (std::size_t i = 0; i < calls.size(); ++i)
    if (calls[i].lost) calls[i].lost(why, at_work && i == 0);
}

void Seat::retire(const std::string& why) {
  lives_ = patience_.restarts;
  lose(why, 0);
}

}  // namespace harness::fleet
