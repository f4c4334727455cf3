// What a campaign does this second. Ages tick here; the server only says since when.
import { h, put } from './dom';
import { feed, Live } from './data';
import * as format from './format';
import { bar } from './charts';
import { attempt_link } from './parts';
import { outcome } from './outcome';

const kTicking = new Set<() => boolean>();
setInterval(() => { for (const tick of [...kTicking]) if (!tick()) kTicking.delete(tick); }, 250);

/// A number of seconds that grows while it is shown.
export function growing(from_s: number, at: number, grows: boolean, text: (s: number) => string = format.seconds): HTMLElement {
  const place = h('span', { class: 'n' }, text(from_s));
  if (grows) {
    let shown = false;
    kTicking.add(() => {
      if (!place.isConnected) return !shown;
      shown = true;
      place.textContent = text(from_s + (performance.now() - at) / 1000);
      return true;
    });
  }
  return place;
}

export function now_line(live: Live): HTMLElement {
  const at = feed.latest?.at ?? performance.now(), grows = live.state === 'running';
  return h('div', { class: 'line now' }, h('b', { class: 'stage' }, live.phase ?? 'at work'), growing(live.phase_s, at, grows),
    live.phase_deadline_s ? h('span', { class: 'soft' }, `given up after ${format.seconds(live.phase_deadline_s)}`) : null,
    h('code', { class: 'cut' }, live.doing ?? ''));
}

function burn(name: string, spent: number, most: number | null, text: (value: number) => string, at: number, grows: boolean): HTMLElement {
  return h('div', { class: 'burn' }, h('span', {}, name), bar(most ? spent / most : 0, most ? `${text(spent)} of ${text(most)}` : ''),
    h('b', {}, name === 'time' ? growing(spent, at, grows, text) : text(spent)), h('small', {}, most ? `of ${text(most)}, ${text(Math.max(0, most - spent))} left` : 'no limit'));
}

export function now_panel(live: Live): HTMLElement {
  const at = feed.latest?.at ?? performance.now(), grows = live.state === 'running';
  const place = h('div', { class: 'nowpanel' });
  put(place, now_line(live),
    live.phase_deadline_s ? bar(live.phase_s / live.phase_deadline_s, 'of the time until it is given up', 'thin') : null,
    live.in_flight.length > 1 ? h('ul', { class: 'flights' }, live.in_flight.map((flight) =>
      h('li', {}, h('b', {}, flight.node ?? flight.purpose), h('code', { class: 'cut' }, `${flight.kernel} ${flight.variant} ${flight.config} on ${flight.workload}`), growing(flight.age_s, at, grows)))) : null,
    live.last ? h('div', { class: 'line' }, h('span', { class: 'soft' }, 'last'), attempt_link(live.last.iteration), outcome(live.last.outcome),
      h('span', {}, live.last.time_ns ? format.time(live.last.time_ns) : ''), h('code', { class: 'cut' }, `${live.last.variant} ${live.last.config}`)) : null,
    live.decision ? h('p', { class: 'why' }, h('b', {}, live.decision.closed ? 'left ' : 'turned to ', `${live.decision.technique} on ${live.decision.workload}`), ' ', live.decision.why) : null,
    burn('time', live.spent_s, live.budget_s, format.seconds, at, grows),
    live.spent_usd !== null || live.max_cost_usd ? burn('money', live.spent_usd ?? 0, live.max_cost_usd, format.money, at, false) : null,
    live.state === 'running' ? null : h('p', { class: 'caution' }, `Its process does not run any more; it was last heard of ${format.seconds(live.told_s)} ago. `, h('code', {}, `harness run --resume ${live.campaign}`), ' goes on with it.'));
  return place;
}
