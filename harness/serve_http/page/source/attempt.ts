// One attempt: what was tried, why, what came of it, and why to believe it.
import { Child, h, link, put } from './dom';
import { ask, PageData, Row } from './data';
import * as format from './format';
import { bar, samples_chart, shares } from './charts';
import { diff_listing, listing } from './highlight';
import { data_links, data_table, panel, panel_with } from './table';
import { campaign_link, facts, kernel_link, tile, time_kind } from './parts';
import { outcome, verdict } from './outcome';

interface Tab { id: string; name: string; make: () => Child | Promise<Child> }

function numbers_of(value: any): Record<string, number> {
  if (Array.isArray(value)) return Object.fromEntries(value.map((one) => [one.name, one.value]));
  return value ?? {};
}

/// What a profile says of the source's own lines: instructions, or whatever adds up most.
function beside_lines(profile: Row | undefined): { counts: Map<number, string>; marked: Set<number> } {
  const counts = new Map<number, string>(), marked = new Set<number>();
  const launches = format.parsed(profile?.['launches']) ?? [];
  const sums = new Map<number, number>();
  for (const launch of launches)
    for (const line of launch.lines ?? []) {
      const numbers = numbers_of(line.numbers);
      const weight = numbers['instructions'] ?? numbers['time_ns'] ?? Object.values(numbers)[0] ?? 0;
      if (line.line > 0 && !/\.(cuh|h|hpp)$/.test(line.file ?? '')) sums.set(line.line, (sums.get(line.line) ?? 0) + weight);
    }
  const whole = [...sums.values()].reduce((sum, value) => sum + value, 0);
  for (const [line, value] of sums) {
    counts.set(line, format.share(value / whole));
    if (value / whole > 0.08) marked.add(line);
  }
  return { counts, marked };
}

function gates(list: { name: string; passed: boolean | null; detail: string }[]): HTMLElement {
  if (!list.length) return h('p', { class: 'none' }, 'no gate was reached');
  const failed = list.filter((gate) => gate.passed === false), open = list.filter((gate) => gate.passed === null);
  const item = (gate: (typeof list)[0]): HTMLElement => h('li', { class: gate.passed === null ? 'open' : gate.passed ? 'good' : 'bad' },
    h('i', { 'aria-hidden': 'true' }, gate.passed === null ? '–' : gate.passed ? '✓' : '✕'),
    h('span', {}, h('b', {}, gate.name), h('span', { class: 'hidden' }, gate.passed === null ? ' not checked' : gate.passed ? ' passed' : ' failed')), h('small', {}, gate.detail));
  return h('div', {}, h('p', { class: 'lead' }, `${list.length - failed.length - open.length} of ${list.length} passed`, open.length ? `, ${open.length} not checked` : '', failed.length ? h('b', { class: 'badtext' }, `, ${failed.length} failed`) : ''),
    h('ul', { class: 'gates' }, [...failed, ...list.filter((gate) => gate.passed !== false)].map(item)));
}

function decision(found: any, iteration: any): Child {
  if (!found) return h('p', { class: 'none' }, 'nothing decided this: somebody asked for it');
  const predict = found.predict ?? {}, table = found.table ?? [];
  return [
    h('p', { class: 'why' }, h('b', {}, found.action, ' '), found.why),
    found.rule ? h('p', {}, h('span', { class: 'badge' }, found.rule), (found.patterns ?? []).map((pattern: number) => [' ', link(`/playbook/${pattern}`, `playbook ${pattern}`)])) : null,
    predict.speedup ? facts([
      ['predicted', `${format.ratio(predict.speedup[0])} to ${format.ratio(predict.speedup[1])}`],
      ['came', iteration.speedup ? h('b', { class: predict.speedup[0] <= iteration.speedup && iteration.speedup <= predict.speedup[1] ? 'goodtext' : 'badtext' }, format.ratio(iteration.speedup), predict.speedup[0] <= iteration.speedup && iteration.speedup <= predict.speedup[1] ? ' within' : ' outside') : 'no time'],
      ['passing', predict.probability !== undefined && predict.probability !== null ? format.share(predict.probability) : ''],
      ['minutes', predict.minutes ? `${format.seconds(predict.minutes[0] * 60)} to ${format.seconds(predict.minutes[1] * 60)}; took ${format.seconds(iteration.cost?.wall_s)}` : ''],
    ]) : null,
    table.length ? h('details', {}, h('summary', {}, `the ${table.length} arms it chose from`), data_table({ rows: table, columns: [
      { name: 'arm', key: 'arm', cell: (row) => row['arm'] }, { name: 'gain', key: 'gain', number: true, cell: (row) => format.share(row['gain']) },
      { name: 'minutes', key: 'minutes', number: true, cell: (row) => format.anything(row['minutes']) }, { name: 'p', key: 'p', number: true, cell: (row) => format.anything(row['p']) },
      { name: 'score', key: 'score', number: true, cell: (row) => format.anything(row['score']) }] })) : null,
  ];
}

function times(iteration: any): Child {
  const samples = iteration.samples;
  const ci = iteration.time_ci95_ns ?? [null, null];
  const rotating: number[] = samples?.rotating_ns ?? [];
  return [
    rotating.length > 1 ? samples_chart(rotating, iteration.time_ns, ci[0], ci[1], samples.clock_mhz ?? []) : null,
    facts([
      ['time', iteration.time_ns ? [h('b', {}, format.time(iteration.time_ns)), ci[0] ? h('small', {}, ` 95 %: ${format.time(ci[0])} to ${format.time(ci[1])}`) : ''] : ''],
      ['baseline', iteration.baseline_ns ? `${format.time(iteration.baseline_ns)}, ${format.ratio(iteration.speedup)} faster` : ''],
      ['incumbent', iteration.incumbent_ns ? [`${format.time(iteration.incumbent_ns)} `, verdict(iteration.verdict)] : ''],
      ['rival', iteration.rival ? [link(`/attempt/${iteration.rival.iteration}`, `${iteration.rival.variant} ${format.time(iteration.rival.time_ns)}`), iteration.time_ns ? `, ${format.ratio(iteration.rival.time_ns / iteration.time_ns)} of its speed` : ''] : ''],
      ['outside', iteration.outside ? h('span', { title: iteration.outside.method }, `${iteration.outside.program} ${format.time(iteration.outside.time_ns)}, by its own measure`) : ''],
      ['floor', iteration.floor_ns ? [format.time(iteration.floor_ns), ' ', iteration.time_ns ? [bar(iteration.floor_ns / iteration.time_ns), ' ', format.share(iteration.floor_ns / iteration.time_ns)] : ''] : ''],
      ['cold, warm', iteration.cold_time_ns || iteration.warm_time_ns ? `${format.time(iteration.cold_time_ns)}, ${format.time(iteration.warm_time_ns)}` : ''],
      ['method', samples?.method ?? ''],
    ]),
  ];
}

function error_box(iteration: any): Child {
  const error = iteration.error;
  if (!error) return null;
  const bad = error.first_bad;
  const calm = ['abandoned', 'screened', 'no_effect', 'unsupported'].includes(iteration.outcome);
  return h('section', { class: `panel ${calm ? 'note' : 'failure'}` }, h('h2', {}, calm ? 'Why it stopped' : 'What went wrong'),
    h('p', {}, h('b', {}, error.class ?? '', error.stage ? ` in ${error.stage}` : ''), ' ', error.message ?? ''),
    bad ? facts([['first wrong', `${bad.argument}[${bad.index}]`], ['expected', format.anything(bad.expected)], ['got', format.anything(bad.got)], ['ulp', format.anything(bad.ulp)]]) : null);
}

function errors_table(list: any[]): Child {
  if (!list?.length) return null;
  return panel('Measured error', data_table({ rows: list, columns: [
    { name: 'output', cell: (row) => row['argument'] },
    { name: 'relative L2', number: true, cell: (row) => (row['relative_l2'] === null ? 'not finite' : Number(row['relative_l2']).toExponential(1)) },
    { name: 'tolerance', number: true, cell: (row) => (row['tolerance'] === null ? '' : Number(row['tolerance']).toExponential(1)) },
    { name: 'of it', cell: (row) => (row['tolerance'] && row['relative_l2'] !== null ? bar(row['relative_l2'] / row['tolerance'], `${format.share(row['relative_l2'] / row['tolerance'])} of the tolerance`, row['relative_l2'] > row['tolerance'] ? 'bad' : '') : '') },
    { name: 'max ulp', number: true, cell: (row) => format.count(row['max_ulp']) },
    { name: 'mismatches', number: true, cell: (row) => format.count(row['mismatches'] + row['non_finite'] + row['unwritten']) },
  ] }));
}

function profile_panel(rows: Row[]): Child {
  const row = rows[0];
  if (!row) return null;
  const numbers = Object.entries(numbers_of(format.parsed(row['numbers'])));
  return panel(`Profile: ${row['source']}${row['device'] ? ` for ${row['device']}` : ''}`,
    row['diagnosis'] ? h('p', { class: 'why' }, h('b', {}, row['rule'] ?? '', ' '), row['diagnosis'], row['page'] ? [' ', link(`/playbook/${encodeURIComponent(row['page'])}`, 'what to do')] : null) : null,
    row['why'] ? h('p', { class: 'soft' }, row['why']) : null,
    facts(numbers.map(([name, value]) => [name.replaceAll('_', ' '), name.endsWith('_share') ? format.share(value) : name.endsWith('_ns') ? format.time(value) : name.endsWith('_bytes') ? format.bytes(value) : format.count(value)])));
}

function proposal_tabs(rows: Row[]): Tab[] {
  return rows.flatMap((row) => [
    { id: `reply${row['number']}`, name: `reply ${row['number']}`, make: () => [h('p', { class: 'soft' }, `${row['model'] ?? row['proposer']}, ${row['tokens_in'] ?? '?'} tokens in, ${row['tokens_out'] ?? '?'} out, ${format.money(row['usd'])}, ${format.seconds(row['latency_s'])}`), h('pre', { class: 'text' }, row['reply'] ?? 'not recorded')] },
    { id: `request${row['number']}`, name: `request ${row['number']}`, make: () => h('pre', { class: 'text' }, row['request'] ?? 'not recorded') },
  ]);
}

/// Proposals under the one they were made from.
function lineage(rows: Row[], own: string): Child {
  if (!rows.length) return null;
  const children = new Map<string, Row[]>();
  const made = new Set(rows.map((row) => row['variant']).filter(Boolean));
  for (const row of rows) {
    const parent = ((format.parsed(row['parents']) ?? []) as string[])[0] ?? '';
    children.set(parent, [...(children.get(parent) ?? []), row]);
  }
  const seen = new Set<number>();
  const branch = (name: string): HTMLElement | null => {
    const list = (children.get(name) ?? []).filter((row) => !seen.has(row['number']));
    list.forEach((row) => seen.add(row['number']));
    if (!list.length) return null;
    return h('ul', {}, list.map((row) => h('li', { class: row['variant'] === own ? 'own' : '' },
      h('b', {}, row['variant'] || `proposal ${row['number']}`), ' ', h('span', { class: 'soft' }, row['outcome']), ' ',
      row['iteration'] ? link(`/attempt/${row['iteration']}`, format.ratio(row['best_speedup'])) : '', row['predict_hi'] ? h('small', {}, ` predicted ${format.ratio(row['predict_lo'])} to ${format.ratio(row['predict_hi'])}`) : '',
      row['hypothesis'] ? h('p', { class: 'why' }, row['hypothesis']) : null, row['variant'] ? branch(row['variant']) : null)));
  };
  const roots = [...children.keys()].filter((name) => !made.has(name));
  return panel('Lineage of the proposals', h('div', { class: 'tree' }, roots.map((root) => h('div', {}, h('b', {}, root || 'no parent'), branch(root)))));
}

function tabs(list: Tab[]): HTMLElement {
  const bar_place = h('div', { class: 'tabs', role: 'tablist' }), place = h('div', { role: 'tabpanel' });
  const open = async (tab: Tab): Promise<void> => {
    put(bar_place, list.map((one) => h('button', { type: 'button', role: 'tab', 'aria-selected': String(one === tab), onclick: () => { history.replaceState(null, '', `#${one.id}`); void open(one); } }, one.name)));
    put(place, h('p', { class: 'none' }, '…'));
    try {
      put(place, await tab.make());
    } catch (error) {
      put(place, h('p', { class: 'error' }, (error as Error).message));
    }
  };
  void open(list.find((tab) => `#${tab.id}` === location.hash) ?? list[0]!);
  return h('div', {}, bar_place, place);
}

async function difference(a: number, b: number): Promise<Child> {
  const found = (await ask(`/difference.json?a=${a}&b=${b}`))['difference'];
  const parameters = found.parameters ?? [];
  return [
    h('p', { class: 'lead' }, link(`/attempt/${a}`, `#${a} ${found.a.variant}`), ' → ', `#${b} ${found.b.variant}`, found.comparable ? '' : h('span', { class: 'soft' }, ', not comparable: another workload, contract or device')),
    parameters.length ? data_table({ rows: parameters, columns: [{ name: 'parameter', cell: (row) => row['name'] }, { name: `#${a}`, number: true, cell: (row) => format.anything(row['a']) }, { name: `#${b}`, number: true, cell: (row) => format.anything(row['b']) }] }) : null,
    found.source === null ? h('p', { class: 'none' }, 'one of the two sources is not recorded') : found.source === '' ? h('p', { class: 'none' }, 'the sources are the same text') : diff_listing(found.source),
  ];
}

export function attempt_page(main: HTMLElement, data: PageData): void {
  const iteration = data['iteration'], kin = data.tables['kin']!.rows[0] ?? {};
  const id: number = iteration.iteration;
  document.title = `#${id} ${iteration.variant} · harness`;
  const kind = time_kind(kin['device_name'] ?? iteration.device, iteration.emulation);
  const profile = data.tables['profile']!.rows[0];
  const { counts, marked } = beside_lines(profile);
  const list: Tab[] = [];
  if (iteration.source) list.push({ id: 'source', name: 'source', make: () => listing(iteration.source, counts, marked) });
  const beside: [string, number | null][] = [['parent', kin['parent']], ['best before', kin['incumbent']], ['baseline', kin['baseline']]];
  for (const [name, other] of beside) if (other && other !== id) list.push({ id: `diff-${name.replace(' ', '-')}`, name: `diff to ${name}`, make: () => difference(other, id) });
  if (iteration.log) list.push({ id: 'log', name: 'compiler log', make: () => h('pre', { class: 'text' }, iteration.log) });
  list.push(...proposal_tabs(data.tables['proposal']!.rows));
  if (!list.length) list.push({ id: 'nothing', name: 'source', make: () => h('p', { class: 'none' }, 'no source is recorded') });
  const cost = iteration.cost ?? {};
  const stages = ['decide_s', 'prepare_s', 'build_s', 'gates_s', 'timing_s', 'idle_s'].filter((key) => cost[key] > 0).map((key) => ({ name: key.slice(0, -2), value: cost[key], text: format.seconds(cost[key]) }));
  const resources = iteration.resources ?? {};
  const again = data.tables['again']!.rows;
  const proposal = data.tables['proposal']!.rows[0];
  const ci = iteration.time_ci95_ns;
  put(main,
    h('header', { class: 'top' }, h('h1', {}, h('span', { class: 'soft' }, `#${id} `), iteration.variant), outcome(iteration.outcome), iteration.confirmed ? h('span', { class: 'badge good' }, '✓ confirmed') : null, verdict(iteration.verdict),
      kind === 'measured' ? null : h('span', { class: 'badge warn' }, `time is ${kind}, not measured`), iteration.label ? h('span', { class: 'badge' }, iteration.label) : null,
      h('p', { class: 'soft' }, kernel_link(iteration.kernel), ' on ', link(`/attempts?kernel=${encodeURIComponent(iteration.kernel)}&workload=${encodeURIComponent(iteration.workload)}`, iteration.workload), ' · campaign ', campaign_link(iteration.campaign, kin['campaign_name']), ` · ${iteration.purpose} · technique ${iteration.technique} · ${iteration.device}`, iteration.node ? ` · node ${iteration.node}` : ''),
      h('p', {}, h('code', { class: 'config' }, format.config(iteration.config) || 'no parameters')),
      h('span', { class: 'push line' }, link(`/attempt/${id - 1}`, '← older'), link(`/attempt/${id + 1}`, 'newer →'), data_links('again'))),
    h('div', { class: 'tiles' },
      tile('time', format.time(iteration.time_ns), ci ? `${format.time(ci[0])} to ${format.time(ci[1])}` : ''),
      tile('speedup', format.ratio(iteration.speedup), iteration.speedup_ci95 ? `${format.ratio(iteration.speedup_ci95[0])} to ${format.ratio(iteration.speedup_ci95[1])}` : 'over the baseline'),
      iteration.floor_ns ? tile('of floor', iteration.time_ns ? format.share(iteration.floor_ns / iteration.time_ns) : '–', format.time(iteration.floor_ns)) : null,
      iteration.rival && iteration.time_ns ? tile("of the rival's speed", format.ratio(iteration.rival.time_ns / iteration.time_ns), iteration.rival.variant) : null,
      tile('gates', `${(iteration.gates ?? []).filter((gate: any) => gate.passed).length} of ${(iteration.gates ?? []).length}`, (iteration.gates ?? []).some((gate: any) => gate.passed === false) ? 'one failed' : 'none failed'),
      iteration.emulation ? null : tile('registers', resources.registers ?? '–', resources.spill_bytes ? `${resources.spill_bytes} B spilled` : 'no spills'),
      tile('took', format.seconds(cost.wall_s), cost.usd ? format.money(cost.usd) : '')),
    h('div', { class: 'columns attempt' },
      h('div', { class: 'wide' }, error_box(iteration), h('section', { class: 'panel code-panel' }, tabs(list)), errors_table(iteration.errors), lineage(data.tables['lineage']!.rows, iteration.variant)),
      h('div', { class: 'rail' },
        panel('Times', times(iteration)),
        panel_with('Gates', iteration.gates_version ? h('small', {}, `version ${iteration.gates_version}`) : null, gates(iteration.gates ?? [])),
        panel('The decision that asked for it', decision(data['decision'], iteration)),
        proposal ? panel('The proposal', h('p', { class: 'why' }, proposal['hypothesis']), facts([['ask', proposal['ask']], ['predicted', proposal['predict_hi'] ? `${format.ratio(proposal['predict_lo'])} to ${format.ratio(proposal['predict_hi'])}` : ''], ['came', format.ratio(iteration.speedup)], ['cost', format.money(proposal['usd'])]])) : null,
        profile_panel(data.tables['profile']!.rows),
        panel('Resources', facts([['registers', resources.registers ?? ''], ['shared', resources.shared_bytes !== undefined ? format.bytes(resources.shared_bytes) : ''], ['spilled', resources.spill_bytes !== undefined ? format.bytes(resources.spill_bytes) : ''], ['local', resources.local_bytes !== undefined ? format.bytes(resources.local_bytes) : ''], ['compiler', iteration.compiler ?? ''], ['machine code', iteration.hashes?.binary ? h('code', {}, iteration.hashes.binary.slice(0, 12)) : ''], ['contract', h('code', {}, (iteration.hashes?.contract ?? '').slice(0, 12))]])),
        panel('Cost', shares(stages)),
        again.length > 1 ? panel('The same candidate again', data_table({ rows: again, on_open: (row) => `/attempt/${row['iteration']}`, columns: [
          { name: '#', key: 'iteration', number: true, cell: (row) => (row['iteration'] === id ? h('b', {}, 'this') : link(`/attempt/${row['iteration']}`, row['iteration'])) }, { name: 'purpose', cell: (row) => row['purpose'] },
          { name: 'time', key: 'time_ns', number: true, cell: (row) => [format.time(row['time_ns']), ' ', h('small', {}, format.interval(row['time_lo_ns'], row['time_hi_ns']))] }, { name: 'device', wide: true, cell: (row) => row['device_name'] }] })) : null)));
  document.addEventListener('keydown', (event) => {
    if ((event.target as Element).closest('input,textarea,select') || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === 'j') location.assign(`/attempt/${id - 1}`);
    if (event.key === 'k') location.assign(`/attempt/${id + 1}`);
  });
}
