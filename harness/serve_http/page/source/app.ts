// The frame of every page: navigation, what is live, and the page that the address names.
import { h, link, put } from './dom';
import { Kept, kept } from './kept';
import { ask, feed, page_data, PageData, Refused } from './data';
import { agent_page } from './agents';
import { attempt_page } from './attempt';
import { attempts_page } from './attempts';
import { campaign_page } from './campaign';
import { campaigns_page } from './campaigns';
import { kernel_page, kernels_page } from './kernels';
import { proposal_page } from './proposals';
import { compare_page, devices_page, pattern_page, playbook_page, query_page } from './others';

type Draw = (main: HTMLElement, data: PageData) => void | Promise<void>;

const kPages: [RegExp, Draw][] = [
  [/^\/campaigns$/, campaigns_page], [/^\/campaign\/[^/]+$/, campaign_page], [/^\/attempts$/, attempts_page], [/^\/attempt\/[^/]+$/, attempt_page], [/^\/campaign\/[^/]+\/proposal\/[^/]+$/, proposal_page],
  [/^\/kernels$/, kernels_page], [/^\/kernel\/[^/]+$/, kernel_page], [/^\/compare$/, compare_page], [/^\/devices$/, devices_page],
  [/^\/playbook$/, playbook_page], [/^\/playbook\/[^/]+$/, pattern_page], [/^\/query$/, query_page],
];

const kPlaces: [string, string][] = [['/campaigns', 'campaigns'], ['/attempts', 'attempts'], ['/kernels', 'kernels'], ['/compare', 'compare'], ['/devices', 'devices'], ['/playbook', 'playbook'], ['/query', 'query']];

function theme(): void {
  const kept = localStorage.getItem('harness-theme');
  if (kept) document.documentElement.dataset['theme'] = kept;
}

function turn_theme(): void {
  const dark = document.documentElement.dataset['theme'] ? document.documentElement.dataset['theme'] === 'dark' : matchMedia('(prefers-color-scheme: dark)').matches;
  document.documentElement.dataset['theme'] = dark ? 'light' : 'dark';
  localStorage.setItem('harness-theme', dark ? 'light' : 'dark');
}

function frame(path: string): HTMLElement {
  const main = h('main', { id: 'main', tabindex: -1 }), status = h('span', { class: 'livestate', role: 'status' });
  const here = (to: string): boolean => path === to || path.startsWith(to.replace(/s$/, '') + '/');
  put(document.body, h('a', { class: 'skip', href: '#main' }, 'to the content'),
    h('nav', { 'aria-label': 'pages' }, link('/campaigns', h('b', { class: 'brand' }, 'harness')),
      h('span', { class: 'places' }, kPlaces.map(([to, name]) => h('a', { href: to, 'aria-current': here(to) ? 'page' : null }, name))),
      h('form', { class: 'jump', onsubmit: (event: Event) => {
        event.preventDefault();
        const text = (event.target as HTMLFormElement).querySelector('input')!.value.trim();
        if (/^#?\d+$/.test(text)) location.assign(`/attempt/${text.replace('#', '')}`);
        else if (/^c\d+$/.test(text)) location.assign(`/campaign/${text.slice(1)}`);
        else if (text) location.assign(`/attempts?text=${encodeURIComponent(text)}`);
      } }, h('input', { placeholder: '#attempt, c2, or words', 'aria-label': 'go to an attempt, a campaign, or search', size: 18 })),
      status, h('button', { type: 'button', class: 'plain', title: 'light or dark', 'aria-label': 'light or dark', onclick: turn_theme }, '◐')),
    main, h('footer', {}, h('span', { id: 'store' })));
  document.querySelector('.places a[aria-current]')?.scrollIntoView({ inline: 'center', block: 'nearest' });   // where there is not room for all
  feed.on((moment) => {
    const running = moment.live.filter((live) => (live.state ?? 'running') === 'running').length;   // agents are told no state
    put(status, h('i', { class: `light ${moment.error ? 'lost' : feed.state}`, 'aria-hidden': 'true' }),
      moment.error ? 'the store cannot be read' : feed.state === 'lost' ? 'no connection' : running ? `${running} running` : feed.state === 'live' ? 'live' : 'polling');
    status.title = moment.error ?? '';
  });
  return main;
}

/// A report that is a file: the page of its campaign.
function start_kept(from: Kept): void {
  const main = h('main', { id: 'main' });
  document.title = from.title;
  put(document.body, main, h('footer', {}, from.page.report.footer));
  campaign_page(main, page_data(from.page));
}

async function start(): Promise<void> {
  if (kept) { start_kept(kept); return; }
  theme();
  const path = location.pathname === '/' ? '/campaigns' : location.pathname.replace(/\/$/, '');
  const main = frame(path);
  const page = kPages.find(([pattern]) => pattern.test(path));
  feed.start();
  if (!page) { put(main, h('p', { class: 'error' }, 'There is no such page. ', link('/campaigns', 'All campaigns'))); return; }
  try {
    const data = await ask(`${path}.json${path === '/campaign' || path.startsWith('/campaign/') ? '' : location.search}`);
    if (data.agents) for (const one of document.querySelectorAll<HTMLAnchorElement>('.places a')) if (!['/campaigns', '/query'].includes(one.pathname)) one.remove();
    put(document.getElementById('store')!, `harness ${data.program} · ${data.store}${data.agents ? ' · what agents may know' : ''}`);
    if (data.agents) { if (path === '/query') query_page(main, data); else agent_page(main, path, data); return; }
    await page[1](main, data);
  } catch (error) {
    put(main, h('div', { class: 'panel failure' }, h('h2', {}, error instanceof Refused ? 'This cannot be shown' : 'This page has a fault'), h('p', {}, (error as Error).message), h('button', { type: 'button', onclick: () => location.reload() }, 'try again')));
    if (!(error instanceof Refused)) console.error(error);
    let lost = false;   // the store comes back: so does the page
    feed.on((moment) => { if (moment.error) lost = true; else if (lost) location.reload(); });
  }
}

void start();
