// Proposals: what was asked of a model or an agent, what it promised, and what came.
import { Child, h, link, put } from './dom';
import type { PageData, Row } from './data';
import * as format from './format';
import { promise } from './charts';
import { data_links, data_table, panel } from './table';
import { attempt_link, campaign_link, facts, kernel_link } from './parts';

function proposal_path(row: Row): string { return `/campaign/${row['campaign']}/proposal/${row['number']}`; }

function made_from(row: Row): string {
  return ((format.parsed(row['parents']) ?? []) as string[]).join(', ');
}

function outcome_badge(row: Row): HTMLElement {
  return h('span', { class: `badge ${row['outcome'] === 'accepted' ? 'good' : row['outcome'] === 'twin' ? '' : 'warn'}`, title: row['message'] ?? '' }, row['outcome']);
}

function asked_words(row: Row): string {
  const tokens = row['tokens_in'] ? `${format.count(row['tokens_in'])} tokens in, ${format.count(row['tokens_out'])} out` : '';
  return [row['model'] ?? row['proposer'], tokens, row['usd'] ? format.money(row['usd']) : '', format.seconds(row['latency_s'])].filter(Boolean).join(', ');
}

/// What came of a proposal: the best that its variant reached in the campaign.
function came(row: Row): Child {
  if (row['best_speedup']) return attempt_link(row['best_iteration'], format.ratio(row['best_speedup']));
  return row['variant'] ? h('span', { class: 'soft' }, row['attempts'] ? `none of ${row['attempts']} attempts passed` : 'not tried yet') : '';
}

export function proposal_panel(row: Row | undefined): Child {
  if (!row) return null;
  return panel(`Proposal ${row['number']}`,
    h('p', { class: 'line' }, outcome_badge(row), h('span', { class: 'soft' }, asked_words(row)), link(proposal_path(row), 'request and reply')),
    row['hypothesis'] ? h('p', { class: 'why' }, row['hypothesis']) : null,
    facts([['asked for', row['ask']], ['made from', made_from(row)], ['mends', row['second_to'] ? `proposal ${row['second_to']}` : ''], ['came', came(row)]]),
    row['predict_hi'] ? promise(row['predict_lo'], row['predict_hi'], row['best_speedup'] ?? null) : null);
}

/// All of a campaign, the newest first; with their promises beside what came.
export function proposals_table(rows: Row[]): Child {
  if (!rows.length) return null;
  return panel('Proposals', data_table({ rows, on_open: (row) => proposal_path(row), columns: [
    { name: '#', key: 'number', number: true, cell: (row) => row['number'] },
    { name: 'outcome', key: 'outcome', cell: outcome_badge },
    { name: 'variant', key: 'variant', cell: (row) => row['variant'] },
    { name: 'predicted', key: 'predict_hi', number: true, cell: (row) => (row['predict_hi'] ? `${format.ratio(row['predict_lo'])} to ${format.ratio(row['predict_hi'])}` : '') },
    { name: 'came', key: 'best_speedup', number: true, cell: came },
    { name: 'cost', key: 'usd', number: true, late: 2, cell: (row) => (row['usd'] ? format.money(row['usd']) : '') },
    { name: 'took', key: 'latency_s', number: true, late: 2, cell: (row) => format.seconds(row['latency_s']) },
    { name: 'hypothesis', wide: true, late: 1, cell: (row) => h('span', { class: 'clamp soft', title: row['hypothesis'] || row['message'] }, row['hypothesis'] || row['message']) },
  ] }));
}

/// Each under the variant that it was made from, with what it came to. A list in a list, so that it is read without a picture.
export function lineage(rows: Row[], own: string): Child {
  if (!rows.length) return null;
  const children = new Map<string, Row[]>();
  const made = new Set(rows.map((row) => row['variant']).filter(Boolean));
  for (const row of [...rows].sort((a, b) => a['number'] - b['number'])) {
    const parent = ((format.parsed(row['parents']) ?? []) as string[])[0] ?? '';
    children.set(parent, [...(children.get(parent) ?? []), row]);
  }
  const most = Math.max(1, ...rows.map((row) => row['best_speedup'] ?? 0));
  const seen = new Set<number>();
  const failures = (list: Row[]): Child => {
    const words = new Map<string, number>();
    for (const row of list) words.set(row['outcome'], (words.get(row['outcome']) ?? 0) + 1);
    return list.length === 0 ? null : h('li', { class: 'refused' }, h('details', {}, h('summary', {}, [...words].map(([name, count]) => `${count} ${name}`).join(', ')),
      h('ul', {}, list.map((row) => h('li', {}, link(proposal_path(row), `proposal ${row['number']}`), ' ', h('span', { class: 'soft' }, row['outcome'], row['message'] ? `: ${row['message']}` : ''))))));
  };
  const leaf = (row: Row): HTMLElement => h('li', { class: row['variant'] === own ? 'own' : '' },
    h('div', { class: 'leaf' }, link(proposal_path(row), h('b', {}, row['variant'])), h('i', { class: 'reach', 'aria-hidden': 'true' }, h('i', { style: { width: `${((row['best_speedup'] ?? 0) / most) * 100}%` } })), h('span', { class: 'n' }, came(row))),
    row['predict_hi'] ? h('small', {}, `predicted ${format.ratio(row['predict_lo'])} to ${format.ratio(row['predict_hi'])}`) : null,
    row['hypothesis'] ? h('p', { class: 'why' }, row['hypothesis']) : null, branch(row['variant']));
  const branch = (name: string): HTMLElement | null => {
    const list = (children.get(name) ?? []).filter((row) => !seen.has(row['number']));
    list.forEach((row) => seen.add(row['number']));
    return list.length ? h('ul', {}, list.filter((row) => row['variant']).map(leaf), failures(list.filter((row) => !row['variant']))) : null;
  };
  const roots = [...children.keys()].filter((name) => !made.has(name));
  return panel('Lineage of the proposals', h('div', { class: 'tree' }, roots.map((root) => h('div', {}, h('b', {}, root || 'no parent'), branch(root)))));
}

export function proposal_page(main: HTMLElement, data: PageData): void {
  const texts = data.tables['proposal']!.rows[0], row = data.tables['proposals']!.rows.find((one) => one['number'] === texts?.['number']);
  if (!texts || !row) { put(main, h('p', { class: 'error' }, 'There is no such proposal among the newest 200 of this campaign.')); return; }
  document.title = `proposal ${row['number']} of campaign ${row['campaign']} · harness`;
  const text = (title: string, of: string | null, open: boolean): Child => (of ? h('section', { class: 'panel' }, h('details', { open }, h('summary', {}, `${title}, ${format.count(of.length)} characters`), h('pre', { class: 'text' }, of))) : null);
  put(main,
    h('header', { class: 'top' }, h('h1', {}, `Proposal ${row['number']}`, h('span', { class: 'soft' }, ` ${row['variant']}`)), outcome_badge(row),
      h('p', { class: 'soft' }, kernel_link(row['kernel']), ` on ${row['workload']} · technique ${row['technique']} · campaign `, campaign_link(row['campaign']), ` · ${asked_words(row)} · ${texts['asked']} UTC`),
      h('span', { class: 'push line' }, data_links('proposal'))),
    row['message'] ? h('section', { class: `panel ${['accepted', 'twin'].includes(row['outcome']) ? 'note' : 'failure'}` }, h('h2', {}, row['outcome'] === 'accepted' ? 'What is known of it' : 'Why it was not taken'), h('p', {}, row['message'])) : null,
    h('div', { class: 'columns attempt' },
      h('div', {}, text('Reply', texts['reply'], true), text('Manifest', texts['manifest'], true), text('Request', readable(texts['request']), false), text('Log', texts['log'], false)),
      h('div', { class: 'rail' }, proposal_panel(row), lineage(data.tables['proposals']!.rows, row['variant']))));
}

/// A request is one line of JSON; with its keys in lines of their own it can be read.
function readable(text: string | null): string | null {
  const object = format.parsed(text);
  if (!object || typeof object !== 'object') return text;
  return Object.entries(object).map(([name, value]) => `${name}\n${(typeof value === 'string' ? value : JSON.stringify(value, null, 2).replaceAll('\\n', '\n')).replace(/^/gm, '    ')}`).join('\n\n');
}
