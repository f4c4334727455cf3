// A table: aligned numbers, sorted by a click or the keyboard, with its data as JSON, CSV and SQL.
import { kept } from './kept';
import { Child, h, put } from './dom';
import type { Row } from './data';
import { short } from './format';

export interface Column {
  name: string;                       // the heading
  key?: string;                       // what it is sorted by
  number?: boolean;
  wide?: boolean;                     // may wrap
  mono?: boolean;
  late?: number | undefined;                   // gives way where there is no room: 3 first
  title?: string;
  cell: (row: Row) => Child;
}

export interface TableOptions {
  columns: Column[];
  rows: Row[];
  caption?: string;
  empty?: Child;
  sort?: string;                      // "-key": the largest first
  on_sort?: (sort: string) => void;   // else it is sorted here
  on_open?: (row: Row) => string;     // where Enter on a row leads
  foot?: Child;
  all_columns?: boolean;              // those too that are empty in every row: somebody chose them
}

function compare(a: any, b: any): number {
  if (a === null || a === undefined) return b === null || b === undefined ? 0 : 1;
  if (b === null || b === undefined) return -1;
  return typeof a === 'number' && typeof b === 'number' ? a - b : String(a).localeCompare(String(b));
}

function sorted(rows: Row[], sort: string): Row[] {
  if (!sort) return rows;
  const down = sort.startsWith('-');
  const key = down ? sort.slice(1) : sort;
  const known = rows.filter((row) => row[key] !== null && row[key] !== undefined);
  const unknown = rows.filter((row) => row[key] === null || row[key] === undefined);
  known.sort((a, b) => (down ? -1 : 1) * compare(a[key], b[key]));
  return [...known, ...unknown];
}

function classes(column: Column): string | null { return column.number ? 'n' : null; }

function heading(column: Column, sort: string, choose: (sort: string) => void): HTMLElement {
  const key = column.key;
  const now = key === undefined ? 'none' : sort === key ? 'ascending' : sort === `-${key}` ? 'descending' : 'none';
  const next = now === 'descending' ? key! : now === 'ascending' ? `-${key}` : column.number ? `-${key}` : key!;
  return h('th', { scope: 'col', class: classes(column), 'aria-sort': key ? now : null, title: column.title },
    key === undefined ? column.name
      : h('button', { type: 'button', class: 'sort', onclick: () => choose(next) }, column.name,
          h('i', { 'aria-hidden': 'true' }, now === 'ascending' ? '↑' : now === 'descending' ? '↓' : '')));
}

const kLongest = matchMedia('(max-width: 480px)').matches ? 22 : 36, kLongestWide = 240;   // characters of a text in a cell

/// No name pushes the other columns away; the whole text is the cell's title.
function shortened(cell: HTMLElement, most: number): HTMLElement {
  const walker = document.createTreeWalker(cell, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const text = node.nodeValue ?? '';
    if (text.length <= most || node.parentElement?.closest('.cut,svg,pre')) continue;
    cell.title = cell.title ? `${cell.title}\n${text}` : text;
    node.nodeValue = short(text, most);
  }
  return cell;
}

function body_row(made: Made, columns: Column[], options: TableOptions): HTMLElement {
  const to = kept ? undefined : options.on_open?.(made.row);
  const cells = columns.map((column) =>
    shortened(h('td', { class: [classes(column), column.wide ? 'wide' : '', column.mono ? 'mono' : ''].filter(Boolean).join(' ') || null },
      made.cells.get(column)), column.wide ? kLongestWide : kLongest));
  if (!to) return h('tr', {}, cells);
  return h('tr', {
    tabindex: 0, class: 'opens',
    onkeydown: (event: KeyboardEvent) => {
      const line = event.currentTarget as HTMLElement;
      if (event.key === 'Enter' && event.target === line) location.assign(to);
      const beside = event.key === 'ArrowDown' ? line.nextElementSibling : event.key === 'ArrowUp' ? line.previousElementSibling : null;
      if (beside instanceof HTMLElement) { beside.focus(); event.preventDefault(); }
    },
    onclick: (event: MouseEvent) => {
      if ((event.target as Element).closest('a,button') || String(getSelection()) !== '') return;
      location.assign(to);
    },
  }, cells);
}

interface Made { row: Row; cells: Map<Column, Child> }

/// Columns that say nothing in any row are left out, as in the terminal.
function says_something(child: Child): boolean {
  if (child === null || child === undefined || child === false || child === '' || child === '–') return false;
  return Array.isArray(child) ? child.some(says_something) : child instanceof Element ? child.childElementCount > 0 || child.textContent !== '' || child instanceof SVGElement : true;
}

/// Columns give way where the table is wider than its place, the latest first, one at a time; what gave way is named and can be had.
function fit(place: HTMLElement, table: HTMLTableElement, columns: Column[], note: HTMLElement): void {
  let all = false, width = -1, gone: number[] = [];
  const rank = columns.map((column, at) => ({ at, late: column.late ?? 0 })).filter(({ late }) => late > 0).sort((a, b) => b.late - a.late || b.at - a.at);
  const show = (at: number, shown: boolean): void => { for (const row of table.rows) row.cells[at]!.hidden = !shown; };
  const measure = (): void => {
    if (!place.isConnected || place.clientWidth === width) return;
    width = place.clientWidth;
    gone.forEach((at) => show(at, true));
    gone = [];
    let over = all ? 0 : place.scrollWidth - width;
    const widths = [...(table.rows[0]?.cells ?? [])].map((cell) => cell.offsetWidth);
    for (const { at } of rank) {
      if (over <= 0) break;
      over -= widths[at]!;
      gone.push(at);
    }
    gone.forEach((at) => show(at, false));
    put(note, gone.length ? [`no room for ${gone.sort((a, b) => a - b).map((at) => columns[at]!.name).join(', ')} `,
      h('button', { type: 'button', class: 'plain', onclick: () => { all = true; width = -1; measure(); } }, 'show')] : null);
  };
  new ResizeObserver(measure).observe(place);
}

export function data_table(options: TableOptions): HTMLElement {
  const place = h('div', { class: 'scroll' });
  const draw = (sort: string): void => {
    const rows = options.on_sort ? options.rows : sorted(options.rows, sort);
    const choose = (next: string): void => { if (options.on_sort) options.on_sort(next); else draw(next); };
    if (rows.length === 0) { put(place, h('p', { class: 'none' }, options.empty ?? 'nothing yet'), options.foot); return; }
    const made = rows.map((row): Made => ({ row, cells: new Map(options.columns.map((column) => [column, column.cell(row)])) }));
    const speaking = options.columns.filter((column) => made.some((one) => says_something(one.cells.get(column))));
    const columns = options.all_columns || !speaking.length ? options.columns : speaking;
    const note = h('p', { class: 'gaveway' });
    const table = h('table', {}, options.caption ? h('caption', {}, options.caption) : null,
      h('thead', {}, h('tr', {}, columns.map((column) => heading(column, sort, choose)))),
      h('tbody', {}, made.map((one) => body_row(one, columns, options))));
    put(place, table, note, options.foot);
    if (columns.some((column) => column.late)) fit(place, table, columns, note);
  };
  draw(options.sort ?? '');
  return place;
}

/// The same data for programs.
export function data_links(table?: string): Child {
  if (kept) return null;
  const path = location.pathname === '/' ? '/campaigns' : location.pathname;
  const search = new URLSearchParams(location.search);
  const of = (form: string, more = ''): string => {
    const words = new URLSearchParams(search);
    if (more) words.set('table', more);
    const text = words.toString();
    return `${path}.${form}${text ? `?${text}` : ''}`;
  };
  return h('span', { class: 'forms' }, h('a', { href: of('json'), title: 'this page as JSON' }, 'json'),
    h('a', { href: of('csv', table ?? ''), title: 'this table as CSV' }, 'csv'),
    h('a', { href: of('sql'), title: 'the queries behind this page' }, 'sql'));
}

export function panel(title: string, ...children: Child[]): HTMLElement {
  return h('section', { class: 'panel' }, h('h2', {}, title), children);
}

export function panel_with(title: string, aside: Child, ...children: Child[]): HTMLElement {
  return h('section', { class: 'panel' }, h('header', {}, h('h2', {}, title), aside), children);
}
