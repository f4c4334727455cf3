// One attempt: what was tried, why, what came of it, and why to believe it.
import { Child, h, link, put } from './dom';
import { ask, PageData } from './data';
import * as format from './format';
import { bar, promise, samples_chart, shares } from './charts';
import { diff_listing, listing } from './highlight';
import { data_links, data_table, panel, panel_with } from './table';
import { campaign_link, facts, kernel_link, tile, time_kind } from './parts';
import { outcome, verdict } from './outcome';
import { counted_listing, line_view, profile_panel } from './profile';
import { lineage, proposal_panel } from './proposals';

interface Tab { id: string; name: string; make: () => Child | Promise<Child> }

function gates(list: { name: string; passed: boolean | null; detail: string }[]): HTMLElement {
  if (!list.length) return h('p', { class: 'none' }, 'no gate was reached');
  const failed = list.filter((gate) => gate.passed === false), open = list.filter((gate) => gate.passed === null);
  const item = (gate: (typeof list)[0]): HTMLElement => h('li', { class: gate.passed === null ? 'open' : gate.passed ? 'good' : 'bad' },
    h('i', { 'aria-hidden': 'true' }, gate.passed === null ? '–' : gate.passed ? '✓' : '✕'),
    h('span', {}, h('b', {}, gate.name), h('span', { class: 'hidden' }, gate.passed === null ? ' not checked' : gate.passed ? ' passed' : ' failed')), h('small', {}, gate.detail));
  return h('div', {}, h('p', { class: 'lead' }, `${list.length - failed.length - open.length} of ${list.length} passed`, open.length ? `, ${open.length} not checked` : '', failed.length ? h('b', { class: 'badtext' }, `, ${failed.length} failed`) : ''),
    h('ul', { class: 'gates' }, [...failed, ...list.filter((gate) => gate.passed !== false)].map(item)));
}

function gates_words(list: { passed: boolean | null }[]): string {
  const failed = list.filter((gate) => gate.passed === false).length, open = list.filter((gate) => gate.passed === null).length;
  if (!list.length) return 'none was reached';
  return [failed ? `${failed} failed` : open ? '' : 'none failed', open ? `${open} not checked` : ''].filter(Boolean).join(', ');
}

function decision(found: any, iteration: any): Child {
  if (!found) return h('p', { class: 'none' }, 'nothing decided this: somebody asked for it');
  const predict = found.predict ?? {}, table = found.table ?? [];
  return [
    h('p', { class: 'why' }, h('b', {}, found.action, ' '), found.why),
    found.rule ? h('p', {}, h('span', { class: 'badge' }, found.rule), (found.patterns ?? []).map((pattern: number) => [' ', link(`/playbook/${pattern}`, `playbook ${pattern}`)])) : null,
    predict.speedup?.[1] > predict.speedup?.[0] ? promise(predict.speedup[0], predict.speedup[1], iteration.speedup ?? null) : null,
    facts([
      ['passing', predict.probability !== undefined && predict.probability !== null ? `${format.share(predict.probability)} predicted` : ''],
      ['minutes', predict.minutes ? `${format.seconds(predict.minutes[0] * 60)} to ${format.seconds(predict.minutes[1] * 60)} predicted; took ${format.seconds(iteration.cost?.wall_s)}` : ''],
    ]),
    table.length ? h('details', {}, h('summary', {}, table.length === 1 ? 'the arm that was left' : `the ${table.length} arms it chose from`), data_table({ rows: table, columns: [
      { name: 'arm', key: 'arm', cell: (row) => row['arm'] }, { name: 'gain', key: 'gain', number: true, cell: (row) => format.share(row['gain']) },
      { name: 'minutes', key: 'minutes', number: true, cell: (row) => format.anything(row['minutes']) }, { name: 'p', key: 'p', number: true, cell: (row) => format.anything(row['p']) },
      { name: 'score', key: 'score', number: true, cell: (row) => format.anything(row['score']) }] })) : null,
  ];
}

function times(iteration: any): Child {
  if (!iteration.time_ns) return null;
  const samples = iteration.samples;
  const ci = iteration.time_ci95_ns ?? [null, null];
  const rotating: number[] = samples?.rotating_ns ?? [];
  return panel('Times',
    rotating.length > 1 ? samples_chart(rotating, iteration.time_ns, ci[0], ci[1], samples.clock_mhz ?? []) : null,
    facts([
      ['time', iteration.time_ns ? [h('b', {}, format.time(iteration.time_ns)), ci[0] ? h('small', {}, ` 95 %: ${format.time(ci[0])} to ${format.time(ci[1])}`) : ''] : ''],
      ['baseline', iteration.baseline_ns ? [format.time(iteration.baseline_ns), iteration.speedup ? h('small', {}, ` ${format.ratio(iteration.speedup)}`) : ''] : ''],
      ['incumbent', iteration.incumbent_ns ? [`${format.time(iteration.incumbent_ns)} `, verdict(iteration.verdict)] : ''],
      ['rival', iteration.rival ? [link(`/attempt/${iteration.rival.iteration}`, `${iteration.rival.variant} ${format.time(iteration.rival.time_ns)}`), iteration.time_ns ? `, ${format.ratio(iteration.rival.time_ns / iteration.time_ns)} of its speed` : ''] : ''],
      ['outside', iteration.outside ? h('span', { title: iteration.outside.method }, `${iteration.outside.program} ${format.time(iteration.outside.time_ns)}, by its own measure`) : ''],
      ['limit', iteration.limit_ns && iteration.time_ns ? [format.time(iteration.limit_ns), ' ', bar(iteration.limit_ns / iteration.time_ns), ' ', format.share(iteration.limit_ns / iteration.time_ns)] : ''],
      ['floor', iteration.floor_ns ? [format.time(iteration.floor_ns), ' ', iteration.time_ns ? [bar(iteration.floor_ns / iteration.time_ns), ' ', format.share(iteration.floor_ns / iteration.time_ns)] : ''] : ''],
      ['cold, warm', iteration.cold_time_ns || iteration.warm_time_ns ? `${format.time(iteration.cold_time_ns)}, ${format.time(iteration.warm_time_ns)}` : ''],
      ['method', samples?.method ?? ''],
    ]));
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

/// The cpu device has no registers to tell of.
function resources_panel(iteration: any): Child {
  const resources = iteration.resources ?? {}, of_gpu = !iteration.emulation && resources.registers;
  return panel('Resources', facts([
    ['registers', of_gpu ? resources.registers : ''], ['shared', of_gpu ? format.bytes(resources.shared_bytes ?? 0) : ''],
    ['spilled', of_gpu ? format.bytes(resources.spill_bytes ?? 0) : ''], ['local', resources.local_bytes ? format.bytes(resources.local_bytes) : ''],
    ['compiler', iteration.compiler ?? ''], ['machine code', iteration.hashes?.binary ? h('code', {}, iteration.hashes.binary.slice(0, 12)) : ''],
    ['contract', h('code', {}, (iteration.hashes?.contract ?? '').slice(0, 12))]]));
}

/// "softmax<float> grid 1024 block 256", a line a step.
function launches_panel(text: string | null | undefined): Child {
  if (!text) return null;
  const step = (line: string): HTMLElement => {
    const at = line.indexOf(' grid ');
    return h('li', {}, at < 0 ? h('code', {}, line) : [h('code', {}, line.slice(0, at)), h('br'), h('span', { class: 'soft' }, line.slice(at + 1))]);
  };
  const lines = text.split('\n');
  return panel(lines.length === 1 ? 'Launch' : 'Launches and other steps, in order', h('ol', { class: 'steps' }, lines.map(step)));
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

/// What limits it and what to try next, as agents and proposers are told. Asked for behind the page: it reads the plugins.
async function digest_panel(id: number): Promise<Child> {
  const found = await ask(`/attempt/${id}/digest.json`);
  if (!found['digest']) return null;
  return panel_with('What limits it, what to try', link(`/attempt/${id}/digest.json`, 'json'), digest_text(found['digest']),
    found['profiled'] ? null : h('p', { class: 'soft' }, 'Nobody profiled it. This says what limits it: ', h('code', {}, `harness profile --from ${id}`)));
}

/// Sentences as they stand; an example, which is indented or fenced, as code.
function digest_text(text: string): HTMLElement {
  const place = h('div', { class: 'digest' });
  let code = false, lines: string[] = [];
  const flush = (): void => {
    const block = lines.join('\n').trim();
    if (block) place.append(code ? h('pre', { class: 'text' }, block) : h('p', {}, block));
    lines = [];
  };
  for (const line of text.split('\n')) {
    if (/^```/.test(line)) { flush(); code = !code; continue; }
    if (!code && /^\d+\. |^(Time|By counting|It is made of|Limit|Limits|Against|Dearest lines|Move|Expect)\b/.test(line)) flush();
    if (!code && line === '') { flush(); continue; }
    lines.push(line);
  }
  flush();
  return place;
}

export function attempt_page(main: HTMLElement, data: PageData): void {
  const iteration = data['iteration'], kin = data.tables['kin']!.rows[0] ?? {};
  const id: number = iteration.iteration;
  document.title = `#${id} ${iteration.variant} · harness`;
  const kind = time_kind(kin['device_name'] ?? iteration.device, iteration.emulation);
  const profile = data.tables['profile']!.rows[0];
  const lines = line_view(profile);
  const list: Tab[] = [];
  if (iteration.source) list.push({ id: 'source', name: 'source', make: () => (lines ? counted_listing(iteration.source, lines) : listing(iteration.source)) });
  const beside: [string, number | null][] = [['parent', kin['parent']], ['best before', kin['incumbent']], ['baseline', kin['baseline']]];
  for (const [name, other] of beside) if (other && other !== id) list.push({ id: `diff-${name.replace(' ', '-')}`, name: `diff to ${name}`, make: () => difference(other, id) });
  if (iteration.log) list.push({ id: 'log', name: 'compiler log', make: () => h('pre', { class: 'text' }, iteration.log) });
  if (!list.length) list.push({ id: 'nothing', name: 'source', make: () => h('p', { class: 'none' }, 'no source is recorded') });
  const cost = iteration.cost ?? {};
  const stages = ['decide_s', 'prepare_s', 'build_s', 'gates_s', 'timing_s', 'idle_s'].filter((key) => cost[key] > 0).map((key) => ({ name: key.slice(0, -2), value: cost[key], text: format.seconds(cost[key]) }));
  const resources = iteration.resources ?? {};
  const again = data.tables['again']!.rows;
  const places = { proposal: h('div'), lineage: h('div'), digest: h('div') };
  const ci = iteration.time_ci95_ns;
  const eager = kin['baseline_technique'] === 'torch', over = eager ? 'over PyTorch as its owner wrote it' : 'over the baseline';
  put(main,
    h('header', { class: 'top' }, h('h1', {}, h('span', { class: 'soft' }, `#${id} `), iteration.variant), outcome(iteration.outcome), iteration.confirmed ? h('span', { class: 'badge good' }, '✓ confirmed') : null, verdict(iteration.verdict),
      kind === 'measured' ? null : h('span', { class: 'badge warn' }, `time is ${kind}, not measured`), iteration.label ? h('span', { class: 'badge' }, iteration.label) : null,
      h('p', { class: 'soft' }, kernel_link(iteration.kernel), ' on ', link(`/attempts?kernel=${encodeURIComponent(iteration.kernel)}&workload=${encodeURIComponent(iteration.workload)}`, iteration.workload), ' · campaign ', campaign_link(iteration.campaign, kin['campaign_name']), ` · ${iteration.purpose} · technique ${iteration.technique} · ${iteration.device}`, iteration.node ? ` · node ${iteration.node}` : ''),
      h('p', {}, h('code', { class: 'config' }, format.config(iteration.config) || 'no parameters')),
      h('span', { class: 'push line' }, link(`/attempt/${id - 1}`, '← older'), link(`/attempt/${id + 1}`, 'newer →'), data_links('again'))),
    h('div', { class: 'tiles' },
      tile('time', format.time(iteration.time_ns), ci ? `${format.time(ci[0])} to ${format.time(ci[1])}` : ''),
      tile(eager ? 'over eager' : 'speedup', format.ratio(iteration.speedup), iteration.speedup_ci95 ? `${format.ratio(iteration.speedup_ci95[0])} to ${format.ratio(iteration.speedup_ci95[1])}` : over),
      iteration.floor_ns ? tile('of floor', iteration.time_ns ? format.share(iteration.floor_ns / iteration.time_ns) : '–', format.time(iteration.floor_ns)) : null,
      iteration.rival && iteration.time_ns ? tile("of the rival's speed", format.ratio(iteration.rival.time_ns / iteration.time_ns), iteration.rival.variant) : null,
      tile('gates', `${(iteration.gates ?? []).filter((gate: any) => gate.passed).length} of ${(iteration.gates ?? []).length}`, gates_words(iteration.gates ?? [])),
      iteration.emulation || !resources.registers ? null : tile('registers', resources.registers ?? '–', resources.spill_bytes ? `${resources.spill_bytes} B spilled` : 'no spills'),
      tile('took', format.seconds(cost.wall_s), cost.usd ? format.money(cost.usd) : '')),
    h('div', { class: 'columns attempt' },
      h('div', { class: 'wide' }, error_box(iteration), h('section', { class: 'panel code-panel' }, tabs(list)), places.digest, profile_panel(data.tables['profile']!.rows), errors_table(iteration.errors), places.lineage),
      h('div', { class: 'rail' },
        times(iteration),
        panel_with('Gates', iteration.gates_version ? h('small', {}, `version ${iteration.gates_version}`) : null, gates(iteration.gates ?? [])),
        panel('The decision that asked for it', decision(data['decision'], iteration)),
        places.proposal,
        resources_panel(iteration),
        launches_panel(iteration.launches),
        panel('Cost', shares(stages)),
        again.length > 1 ? panel('The same candidate again', data_table({ rows: again, on_open: (row) => `/attempt/${row['iteration']}`, columns: [
          { name: '#', key: 'iteration', number: true, cell: (row) => (row['iteration'] === id ? h('b', {}, 'this') : link(`/attempt/${row['iteration']}`, row['iteration'])) }, { name: 'purpose', cell: (row) => row['purpose'] },
          { name: 'time', key: 'time_ns', number: true, cell: (row) => [format.time(row['time_ns']), ' ', h('small', {}, format.interval(row['time_lo_ns'], row['time_hi_ns']))] }, { name: 'device', wide: true, cell: (row) => row['device_name'] }] })) : null)));
  if (kin['proposals']) void ask(`/campaign/${iteration.campaign}/proposals.json`).then((found) => {
    const rows = found.tables['proposals']!.rows.filter((row) => row['kernel'] === iteration.kernel);
    put(places.proposal, proposal_panel(rows.find((row) => row['number'] === kin['proposal'])));
    put(places.lineage, lineage(rows, iteration.variant));
  }).catch(() => put(places.lineage, h('p', { class: 'error' }, 'the proposals could not be read')));
  if (iteration.outcome === 'passed')
    void digest_panel(id).then((digest) => put(places.digest, digest)).catch((error: Error) => put(places.digest, h('p', { class: 'error' }, `no digest: ${error.message}`)));
  document.addEventListener('keydown', (event) => {
    if ((event.target as Element).closest('input,textarea,select') || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === 'j') location.assign(`/attempt/${id - 1}`);
    if (event.key === 'k') location.assign(`/attempt/${id + 1}`);
  });
}
