// outlines.mjs TOOLS CHROMIUM HARNESS STORE FILE: writes how every page of a store is built: its headings, tables with their
// columns, pictures and controls, at several widths. Not pixels: fonts differ from machine to machine. Numbers, names and
// texts that are recorded are left out; a page that is built alike at several widths stands once.
import { writeFileSync } from 'node:fs';
import { browser as launch, opened, serve, settled } from './served.mjs';

const [tools, chromium, harness, store, file] = process.argv.slice(2);
const kWidths = [360, 400, 1280, 2560];
const faults = [];
const server = await serve(harness, store), browser = await launch(tools, chromium);
const newest = (await (await fetch(`${server.base}/attempts.json?limit=1`)).json()).tables.attempts.rows[0]?.[0];
const campaigns = (await (await fetch(`${server.base}/campaigns.json`)).json()).tables.campaigns.rows.length;
const paths = ['/campaigns', '/attempts', '/kernels', '/compare', '/devices', '/query',
  ...(newest ? ['/campaign/1', '/attempt/1', `/attempt/${newest}`, '/compare?a=%231&b=%232', '/kernel/attention'] : []),
  ...(campaigns > 1 ? ['/compare?a=1&b=2'] : [])];

/// One line an element that makes the page what it is, indented by what it stands in.
function outline() {
  const lines = [];
  const visible = (element) => element.getClientRects().length > 0;
  const name = (element) => element.textContent.replace(/\d[\d,.]*/g, 'N').replace(/\s+/g, ' ').trim().slice(0, 60);
  const walk = (element, depth) => {
    for (const child of element.children) {
      if (!visible(child)) continue;
      const tag = child.tagName.toLowerCase();
      let line = null, inside = true;
      if (/^h[123]$/.test(tag)) [line, inside] = [`${tag} ${name(child)}`, false];
      else if (tag === 'section' || tag === 'figure' || tag === 'form') line = tag;
      else if (tag === 'table') [line, inside] = [`table: ${[...child.querySelectorAll('thead th')].filter(visible).map(name).join(' | ')}; ${child.querySelectorAll('tbody tr').length ? 'rows' : 'no row'}`, false];
      else if (tag === 'svg' || child.getAttribute('role') === 'img') [line, inside] = [child.getAttribute('role') === 'img' ? 'picture with words' : 'picture', false];
      else if (tag === 'input' || tag === 'select' || tag === 'textarea') [line, inside] = [`${tag} ${child.getAttribute('aria-label') ?? child.closest('label')?.querySelector('span')?.textContent ?? child.getAttribute('placeholder') ?? ''}`.trim(), false];
      else if (tag === 'dl') [line, inside] = [`facts: ${[...child.querySelectorAll('dt')].map(name).join(' | ')}`, false];
      else if (child.className === 'tile') [line, inside] = [`tile ${name(child.querySelector('span'))}`, false];
      else if (child.className === 'none' || child.className === 'error') [line, inside] = [`${child.className}: ${name(child)}`, false];
      if (line && lines.at(-1) !== '  '.repeat(depth) + line) lines.push('  '.repeat(depth) + line);
      if (inside) walk(child, depth + (line ? 1 : 0));
    }
  };
  walk(document.querySelector('main'), 1);
  const root = document.documentElement;
  if (root.scrollWidth > root.clientWidth) lines.push(`  wider than the window`);
  const columns = document.querySelector('.columns');
  if (columns) lines.push(`  ${getComputedStyle(columns).gridTemplateColumns.split(' ').length} columns`);
  return lines.join('\n');
}

let text = '';
const page = await opened(browser, server.base, faults);
for (const path of paths) {
  const seen = new Map();
  await page.goto(server.base + path);
  for (const width of kWidths) {
    await page.setViewportSize({ width, height: 900 });
    await settled(page);
    const built = await page.evaluate(outline);
    seen.set(built, [...(seen.get(built) ?? []), width]);
  }
  for (const [built, widths] of seen) text += `${path.replace(String(newest), 'NEWEST')} at ${widths.join(', ')}\n${built}\n\n`;
}
await browser.close();
server.stop();
writeFileSync(file, text);
for (const fault of [...new Set(faults)]) console.log(fault);
console.log(faults.length ? `${faults.length} faults` : 'all is well');
process.exit(faults.length ? 1 : 0);
