// The table of attempts: filters that combine, columns, order; all of it in the address.
import { h, link, put } from './dom';
import { ask, feed, PageData, Row } from './data';
import { columns_of, kAttemptColumns, kUsualColumns } from './parts';
import { data_links, data_table, panel_with } from './table';

const kFilters = ['campaign', 'kernel', 'workload', 'variant', 'technique', 'outcome', 'verdict', 'purpose', 'class', 'device'];
const kKnown: Record<string, string[]> = {
  outcome: ['passed', 'screened', 'abandoned', 'wrong_answer', 'rejected', 'crashed', 'timed_out', 'compile_error', 'launch_error', 'no_effect', 'unsupported', 'out_of_memory', 'lost', 'interrupted'],
  verdict: ['faster', 'same', 'slower'],
  purpose: ['search', 'baseline', 'rival', 'confirm', 'eval'],
};

const kPage = 100, kMostShown = 1000;   // rows of an answer; rows of a table before the next one begins

export function attempts_page(main: HTMLElement, first: PageData): void {
  document.title = 'attempts · harness';
  let words = new URLSearchParams(location.search);
  const sort = (): string => words.get('sort') ?? '-iteration';
  const columns = (): string[] => (words.get('columns') ?? '').split(',').filter(Boolean).length ? words.get('columns')!.split(',') : kUsualColumns;
  let rows: Row[] = first.tables['attempts']!.rows, over = rows.length < kPage;
  const place = h('div'), state = h('p', { class: 'status', 'aria-live': 'polite' }), chooser = h('details', { class: 'chooser' }), end = h('div', { class: 'end' }), pages = h('div', { class: 'line pages' });

  const query = (more: Record<string, string> = {}): string => {
    const asked = new URLSearchParams(words);
    asked.delete('columns');
    for (const [name, value] of Object.entries(more)) asked.set(name, value);
    return asked.toString();
  };
  const key_value = (row: Row): string => { const key = sort().replace('-', ''); return key === 'iteration' ? '' : String(row[key] ?? ''); };
  const anew = (): void => { words.delete('after'); words.delete('after_value'); void change(); };
  const draw = (): void => {
    put(place, data_table({
      rows, all_columns: words.has('columns'), columns: columns_of(columns()).map((column) => (words.has('columns') ? { ...column, late: undefined } : column)), sort: sort(), on_open: (row) => `/attempt/${row['iteration']}`, empty: [...words.keys()].some((name) => !['sort', 'columns'].includes(name)) ? 'No attempt fits these filters: clear one.' : ['No attempt is recorded yet. ', h('code', {}, 'harness run KERNEL --device cpu --budget 60s'), ' makes some.'],
      on_sort: (next) => { words.set('sort', next); anew(); },
    }));
    const last = rows.at(-1);
    put(pages, words.has('after') ? h('button', { type: 'button', onclick: () => { words.delete('after'); words.delete('after_value'); void change(); window.scrollTo({ top: 0 }); } }, '↑ the first rows') : null,
      !over && last && rows.length >= kMostShown ? h('button', { type: 'button', onclick: () => { words.set('after', String(last['iteration'])); words.set('after_value', key_value(last)); void change(); window.scrollTo({ top: 0 }); } }, 'the next rows ↓') : null);
    put(state, words.has('after') ? 'further down: ' : '', `${rows.length.toLocaleString('en-US')}${over ? '' : '+'} attempts`, sort().includes('iteration') ? '' : `, ordered by ${sort().replace('-', '')}; those without it are left out`);
  };
  let asked = 0;
  const change = async (): Promise<void> => {
    const own = ++asked;
    history.replaceState(null, '', `${location.pathname}${words.size ? `?${words}` : ''}`);
    put(state, '…');
    try {
      const found = (await ask(`/attempts.json?${query()}`)).tables['attempts']!.rows;
      if (own !== asked) return;
      rows = found;
      over = rows.length < kPage;
      draw();
    } catch (error) {
      if (own === asked) put(state, h('span', { class: 'error' }, (error as Error).message));
    }
  };
  let loading = false;
  const further = async (): Promise<void> => {
    const last = rows.at(-1);
    if (over || loading || !last || rows.length >= kMostShown) return;
    loading = true;
    const own = asked;
    try {
      const found = (await ask(`/attempts.json?${query({ after: String(last['iteration']), after_value: key_value(last) })}`)).tables['attempts']!.rows;
      if (own === asked) {
        rows = [...rows, ...found];
        over = found.length < kPage;
        const top = window.scrollY;
        draw();
        window.scrollTo({ top });
      }
    } catch (error) {
      put(state, h('span', { class: 'error' }, (error as Error).message));
      over = true;
    }
    loading = false;
  };
  const box = (name: string): HTMLElement => {
    const list = h('datalist', { id: `known-${name}` }, (kKnown[name] ?? []).map((one) => h('option', { value: one })));
    const input = h('input', { list: `known-${name}`, name, value: words.get(name) ?? '', placeholder: 'any', size: 10, onchange: () => { if (input.value) words.set(name, input.value); else words.delete(name); anew(); } });
    return h('label', { class: words.get(name) ? 'set' : '' }, h('span', {}, name), input, list);
  };
  const text = h('input', { type: 'search', value: words.get('text') ?? '', placeholder: 'in variant, configuration, message', onchange: () => { if (text.value) words.set('text', text.value); else words.delete('text'); anew(); } });
  const draw_chooser = (): void => put(chooser, h('summary', {}, 'columns'), h('div', {}, kAttemptColumns.map((column) => {
    const shown = new Set(columns());
    return h('label', {}, h('input', { type: 'checkbox', checked: shown.has(column.id), onchange: () => {
      if (!shown.delete(column.id)) shown.add(column.id);
      const chosen = kAttemptColumns.map((one) => one.id).filter((one) => shown.has(one));
      if (chosen.join() === kUsualColumns.join()) words.delete('columns'); else words.set('columns', chosen.join(','));
      history.replaceState(null, '', `${location.pathname}?${words}`);
      draw();
      draw_chooser();
    } }), column.name);
  })));
  const filters = h('form', { class: 'filters', onsubmit: (event: Event) => event.preventDefault() });
  const draw_filters = (): void => put(filters, kFilters.map(box), h('label', { class: 'text' }, h('span', {}, 'text'), text),
    h('button', { type: 'button', onclick: () => { words = new URLSearchParams(); text.value = ''; draw_filters(); draw_chooser(); void change(); } }, 'clear'));
  put(main, panel_with('Attempts', h('span', { class: 'aside' }, chooser, data_links()), filters,
    h('p', { class: 'soft small' }, 'Several names with commas, * and ? as wildcards; all filters hold together; the address keeps them.'), state, place, pages, end));
  draw_filters();
  draw_chooser();
  draw();
  new IntersectionObserver((entries) => { if (entries.some((entry) => entry.isIntersecting)) void further(); }, { rootMargin: '800px' }).observe(end);
  ask('/facets.json').then((data) => {
    for (const row of data.tables['facets']!.rows) {
      const known = (kKnown[row['facet']] ??= []);
      if (!known.includes(row['name'])) known.push(row['name']);
    }
    if (!filters.contains(document.activeElement)) draw_filters();
  }).catch(() => {});
  const fresh = h('button', { type: 'button', class: 'fresh', onclick: () => { void change(); put(freshplace); } }, 'new attempts: show');
  const freshplace = h('div');
  place.before(freshplace);
  feed.on((moment) => {
    const newest = Number(moment.newest['iteration'] ?? 0);
    if (sort() === '-iteration' && !words.has('after') && rows.length && newest > rows[0]!['iteration'] && ![...kFilters, 'text'].some((name) => words.get(name))) put(freshplace, fresh);
  });
}

export { link };
