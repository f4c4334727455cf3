// What a session of agents may see: no seeds, tolerances, evidence of gates, or confirmations. It follows what goes on.
import { Child, h, link, put } from './dom';
import { ask, feed, PageData, Row } from './data';
import * as format from './format';
import { bar, shares } from './charts';
import { Column, data_links, data_table, panel, panel_with } from './table';
import { attempt_link, campaign_link, facts, floor_cell, geometric_mean, tile } from './parts';
import { look, outcome, verdict } from './outcome';
import { plain_columns } from './others';

function time_of(row: Row): number | null { return row['time_ns'] ?? row['predicted_ns'] ?? row['emulated_ns'] ?? null; }

const kAttempts: Column[] = [
  { name: '#', key: 'iteration', number: true, cell: (row) => attempt_link(row['iteration'], String(row['iteration'])) },
  { name: 'outcome', key: 'outcome', cell: (row) => outcome(row['outcome']) },
  { name: 'workload', key: 'workload', cell: (row) => [row['kernel'], ' ', h('span', { class: 'soft' }, row['workload'])] },
  { name: 'variant', key: 'variant', cell: (row) => row['variant'] },
  { name: 'time', number: true, cell: (row) => (time_of(row) ? format.time(time_of(row)) : '') },
  { name: 'speedup', key: 'speedup', number: true, cell: (row) => (row['speedup'] ? format.ratio(row['speedup']) : '') },
  { name: 'verdict', late: 1, cell: (row) => verdict(row['verdict']) },
  { name: 'configuration', mono: true, late: 2, cell: (row) => h('span', { class: 'cut', title: format.config(row['config']) }, format.config(row['config'])) },
  { name: 'why', late: 2, cell: (row) => h('span', { class: 'soft' }, row['error_class'] ?? '') },
  { name: 'label', late: 3, cell: (row) => h('span', { class: 'cut' }, row['label'] ?? '') },
];

function running_card(row: Row): HTMLElement {
  return link(`/campaign/${row['campaign']}`, h('div', { class: 'line' }, h('b', {}, `campaign ${row['campaign']}`), h('span', { class: 'soft' }, row['name'] ?? ''), h('span', { class: 'push' }, row['device_name'])),
    row['budget_s'] ? [bar(row['spent_s'] / row['budget_s'], 'of the budget'), h('small', {}, ` ${format.seconds(row['spent_s'])} of ${format.seconds(row['budget_s'])}`)] : h('small', {}, format.seconds(row['spent_s'])));
}

function campaigns(main: HTMLElement, data: PageData): void {
  const live = (feed.latest?.live ?? []) as unknown as Row[];
  put(main, live.length ? h('div', { class: 'livecards' }, live.map((row) => h('div', { class: 'livecard' }, running_card(row)))) : null,
    panel_with('Campaigns', data_links('agent_campaigns'), data_table({ rows: data.tables['agent_campaigns']!.rows, on_open: (row) => `/campaign/${row['campaign']}`, columns: [
      { name: 'campaign', key: 'campaign', number: true, cell: (row) => campaign_link(row['campaign']) }, { name: 'name', key: 'name', cell: (row) => row['name'] ?? '' },
      { name: 'kernels', wide: true, cell: (row) => ((format.parsed(row['kernels']) ?? []) as string[]).join(', ') }, { name: 'device', key: 'device_name', cell: (row) => row['device_name'] },
      { name: 'ended by', key: 'reason', cell: (row) => row['reason'] ?? h('span', { class: 'badge running' }, 'not ended') },
      { name: 'spent', key: 'spent_s', number: true, cell: (row) => format.seconds(row['spent_s']) }, { name: 'cost', key: 'cost_usd', number: true, late: 2, cell: (row) => format.money(row['cost_usd']) },
      { name: 'begun (UTC)', key: 'begun', late: 2, cell: (row) => row['begun'] }] })),
    panel_with('Notes', data_links('agent_notes'), data_table({ rows: data.tables['agent_notes']!.rows, columns: plain_columns(data.tables['agent_notes']!.columns), empty: 'nobody has noted anything' })));
}

function campaign(main: HTMLElement, data: PageData): void {
  const row = data.tables['agent_one_campaign']!.rows[0];
  if (!row) { put(main, h('p', { class: 'error' }, 'There is no such campaign in this store.')); return; }
  const bests = data.tables['agent_bests']!.rows, ends = data.tables['agent_outcomes']!.rows;
  const whole = ends.reduce((sum, end) => sum + end['iterations'], 0);
  put(main, h('header', { class: 'top' }, h('h1', {}, `Campaign ${row['campaign']}`, h('span', { class: 'soft' }, ` ${row['name'] ?? ''}`)), h('span', { class: `badge ${row['reason'] ? '' : 'running'}` }, row['reason'] ? `ended: ${row['reason']}` : 'not ended'),
    h('p', { class: 'soft' }, ((format.parsed(row['kernels']) ?? []) as string[]).join(', '), ` on ${row['device_name']} · strategy ${row['strategy']}, search ${row['search']} · begun ${row['started']} UTC`), h('span', { class: 'push line' }, data_links('agent_campaign'))),
  h('div', { class: 'tiles' }, tile('score', format.ratio(geometric_mean(bests.map((best) => best['speedup']).filter((value) => value > 0))), 'geometric mean, not confirmed'), tile('attempts', format.count(whole)),
    tile('time', format.seconds(row['spent_s']), row['budget_s'] ? [bar(row['spent_s'] / row['budget_s'], 'of the budget', 'thin'), `of ${format.seconds(row['budget_s'])}`] : ''), tile('cost', format.money(row['cost_usd']))),
  h('div', { class: 'columns' }, h('div', {},
    panel('Fastest of every workload', data_table({ rows: bests, on_open: (best) => `/attempt/${best['iteration']}`, empty: 'nothing has passed yet', columns: [
      { name: 'workload', key: 'workload', cell: (best) => [best['kernel'], ' ', h('b', {}, best['workload'])] }, { name: 'time', key: 'best_ns', number: true, cell: (best) => format.time(best['best_ns']) },
      { name: 'speedup', key: 'speedup', number: true, cell: (best) => format.ratio(best['speedup']) }, { name: 'of floor', number: true, cell: (best) => floor_cell(best['floor_ns'] ? best['floor_ns'] / best['best_ns'] : null) },
      { name: 'variant', key: 'variant', cell: (best) => best['variant'] }, { name: 'configuration', mono: true, late: 2, cell: (best) => format.config(best['config']) }] })),
    panel('Attempts, the newest first', data_table({ rows: data.tables['agent_campaign']!.rows, on_open: (one) => `/attempt/${one['iteration']}`, columns: kAttempts, empty: 'no attempt has ended yet' })),
    data.tables['agent_proposals']!.rows.length ? panel('Proposals', data_table({ rows: data.tables['agent_proposals']!.rows, columns: plain_columns(['number', 'outcome', 'variant', 'predict_lo', 'predict_hi', 'hypothesis']) })) : null),
  h('div', { class: 'rail' },
    panel('How attempts ended', shares(ends.map((end) => ({ name: `${look(end['outcome']).word}${end['class'] ? ` ${end['class']}` : ''}`, value: end['iterations'], text: format.count(end['iterations']) })))),
    panel('Decisions, the newest first', h('ol', { class: 'decisions' }, data.tables['agent_decisions']!.rows.slice(0, 20).map((one) => h('li', {}, h('div', { class: 'line' }, h('b', {}, one['action']), h('span', {}, one['technique']), h('span', { class: 'soft' }, one['workload'])), h('p', { class: 'why' }, one['why'])))))))); 
}

function attempt(main: HTMLElement, data: PageData): void {
  const row = data.tables['agent_attempt']!.rows[0];
  if (!row) { put(main, h('p', { class: 'error' }, 'There is no such attempt here.')); return; }
  const rest = Object.entries(row).filter(([name, value]) => value !== null && !['iteration', 'kernel', 'variant', 'workload', 'outcome', 'verdict', 'campaign', 'config'].includes(name));
  const column = (name: string): Child => plain_columns([name])[0]!.cell(row);
  put(main, h('header', { class: 'top' }, h('h1', {}, h('span', { class: 'soft' }, `#${row['iteration']} `), row['variant']), outcome(row['outcome']), verdict(row['verdict']),
    h('p', { class: 'soft' }, `${row['kernel']} on ${row['workload']} · campaign `, campaign_link(row['campaign'])), h('p', {}, h('code', { class: 'config' }, format.config(row['config']) || 'no parameters')), h('span', { class: 'push line' }, data_links('agent_attempt'))),
  h('div', { class: 'pair' }, panel('What is known', facts(rest.map(([name]) => [name.replaceAll('_', ' '), column(name)]))),
    panel('Gates', h('ul', { class: 'gates' }, data.tables['agent_gates']!.rows.map((gate) => h('li', { class: gate['passed'] ? 'good' : 'bad' }, h('i', { 'aria-hidden': 'true' }, gate['passed'] ? '✓' : '✕'), h('b', {}, gate['name'], h('span', { class: 'hidden' }, gate['passed'] ? ' passed' : ' failed'))))))));
}

export function agent_page(main: HTMLElement, path: string, first: PageData): void {
  const draw = path === '/campaigns' ? campaigns : path.startsWith('/campaign/') ? campaign : attempt;
  document.title = `${path.slice(1).replace('/', ' ')} · harness`;
  draw(main, first);
  let seen = '', busy = false;
  feed.on((moment) => {
    const now = JSON.stringify([moment.newest, moment.live]);
    if (seen !== '' && now !== seen && !busy && path !== '/query') {
      busy = true;
      void ask(`${path}.json`).then((data) => draw(main, data)).catch(() => undefined).finally(() => setTimeout(() => { busy = false; }, 1000));
    }
    seen = now;
  });
}
