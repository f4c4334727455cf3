#pragma once
#include "harness/campaign/loop.h"

namespace harness {

/// co_await: a device for an evaluation, at once where one is free; nothing where none is left.
struct Campaign::DeviceFree {
  Campaign& campaign;
  Queued place;

  DeviceFree(Campaign& campaign, Wish wish) : campaign(campaign) { place.wish = wish; }
  bool await_ready() {
    if (campaign.queue_.empty()) place.device = campaign.free_device(place.wish);
    return place.device || !campaign.any_device_left();
  }
  void await_suspend(std::coroutine_handle<> waiting) {
    place.waiting = waiting;
    campaign.queue_.push_back(&place);
  }
  std::optional<std::size_t> await_resume() const { return place.device; }
};

/// co_await: that an evaluation has ended.
struct Campaign::Landed {
  Campaign& campaign;
  std::int64_t ticket;

  bool await_ready() const { return campaign.flights_.at(ticket).evaluation.has_value(); }
  void await_suspend(std::coroutine_handle<> waiting) { campaign.flights_.at(ticket).waiting = waiting; }
  Flight await_resume() {
    Flight flight = std::move(campaign.flights_.at(ticket));
    campaign.flights_.erase(ticket);
    return flight;
  }
};

}  // namespace harness
