// boxes.mjs TOOLS CHROMIUM HARNESS FOLDER: every page of each store of a folder (bench/page_stores.py makes them) at five
// widths, light, dark and printed: nothing is wider than the page or leaves its panel, no text lies on another, numbers stand
// under their headings. Boxes, not pixels.
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { browser as launch, opened, serve, settled } from './served.mjs';

/// What is wrong with the boxes of the page that is shown.
export function misplaced() {
  const faults = [], root = document.documentElement;
  const words = (element) => `${element.tagName.toLowerCase()}.${element.className?.baseVal ?? element.className} "${element.textContent.trim().slice(0, 40)}"`;
  const printed = matchMedia('print').matches;   // by which nothing can be scrolled
  if (!printed && root.scrollWidth > root.clientWidth + 1) faults.push(`wider than the page by ${root.scrollWidth - root.clientWidth}`);
  const clipped = (element) => { for (let one = element; one && one !== document.body; one = one.parentElement) if (getComputedStyle(one).overflowX !== 'visible') return true; return false; };
  // The lines of texts that are seen.
  const texts = [], walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT), range = document.createRange();
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const parent = node.parentElement;
    if (!node.nodeValue.trim() || parent.closest('svg, script, style, option, datalist, .hidden, .word, nav') || !parent.checkVisibility({ visibilityProperty: true })) continue;
    range.selectNodeContents(node);
    for (const box of range.getClientRects()) if (box.width > 1 && box.height > 1) texts.push({ parent, box });
  }
  for (const { parent, box } of texts) {
    if (box.right > innerWidth + 1 && !clipped(parent)) faults.push(`leaves the page: ${words(parent)}`);
    const panel = parent.closest('.panel, .tile, .livecard');
    if (!panel || clipped(parent)) continue;
    const border = panel.getBoundingClientRect();
    if (box.right > border.right + 1 || box.left < border.left - 1) faults.push(`leaves its panel: ${words(parent)}`);
  }
  const rows = new Map();   // only what is in one strip of 40 pixels can overlap
  texts.filter(({ parent }) => !clipped(parent)).forEach((text) => { for (let strip = Math.floor(text.box.top / 40); strip <= Math.floor(text.box.bottom / 40); ++strip) rows.set(strip, [...(rows.get(strip) ?? []), text]); });
  for (const list of rows.values())
    for (let a = 0; a < list.length; ++a)
      for (let b = a + 1; b < list.length; ++b) {
        const one = list[a].box, other = list[b].box;
        const wide = Math.min(one.right, other.right) - Math.max(one.left, other.left), high = Math.min(one.bottom, other.bottom) - Math.max(one.top, other.top);
        if (wide > 2 && high > Math.min(one.height, other.height) / 2) faults.push(`lies on another: ${words(list[a].parent)} and ${words(list[b].parent)}`);
      }
  for (const table of document.querySelectorAll('table')) {
    const heads = [...(table.tHead?.rows[0]?.cells ?? [])];
    for (const row of [...table.tBodies[0]?.rows ?? []].slice(0, 30))
      [...row.cells].forEach((cell, at) => {
        if (!heads[at] || cell.hidden || row.cells.length !== heads.length || !cell.classList.contains('n')) return;
        if (!heads[at].classList.contains('n') || Math.abs(cell.getBoundingClientRect().right - heads[at].getBoundingClientRect().right) > 1 || getComputedStyle(cell).textAlign !== 'right') faults.push(`a number not under its heading: ${words(cell)}`);
      });
  }
  // A label of a picture outside the picture.
  for (const label of document.querySelectorAll('svg text')) {
    const box = label.getBoundingClientRect(), picture = label.ownerSVGElement.getBoundingClientRect();
    if (box.width > 1 && (box.right > picture.right + 2 || box.left < picture.left - 2)) faults.push(`a label leaves its picture: "${label.textContent.slice(0, 40)}"`);
  }
  return faults;
}

/// The pages that a store has.
export async function paths_of(base) {
  const rows = async (path, table) => { const found = (await (await fetch(base + path)).json()).tables?.[table]; return (found?.rows ?? []).map((row) => Object.fromEntries(found.columns.map((column, at) => [column, row[at]]))); };
  const campaigns = await rows('/campaigns.json', 'campaigns'), attempts = await rows('/attempts.json?limit=1', 'attempts'), kernels = await rows('/kernels.json', 'kernels');
  const some = ['/campaigns', '/attempts', '/kernels', '/compare', '/devices', '/playbook', '/playbook/110', '/query'];
  for (const { campaign } of campaigns.slice(0, 2)) some.push(`/campaign/${campaign}`);
  if (campaigns.length > 1) some.push(`/compare?a=${campaigns[0].campaign}&b=${campaigns[1].campaign}`);
  for (const { iteration } of attempts) some.push(`/attempt/${iteration}`, '/attempt/1', ...(iteration > 1 ? [`/compare?a=%231&b=%23${iteration}`] : []));
  for (const { kernel } of kernels.slice(0, 1)) some.push(`/kernel/${encodeURIComponent(kernel)}`);
  for (const { campaign } of campaigns.slice(0, 2)) if ((await rows(`/campaign/${campaign}/proposals.json`, 'proposals')).length) some.push(`/campaign/${campaign}/proposal/1`);
  return some;
}

export const kLooks = [[360, 'light'], [400, 'dark'], [768, 'light'], [1280, 'dark'], [1280, 'print'], [2560, 'light']];

async function main([tools, chromium, harness, folder]) {
  const faults = [], browser = await launch(tools, chromium);
  let looked = 0;
  for (const file of readdirSync(folder).filter((name) => name.endsWith('.db')).sort()) {
    const server = await serve(harness, join(folder, file)), paths = await paths_of(server.base);
    const page = await opened(browser, server.base, faults);
    for (const path of paths) {
      await page.goto(server.base + path);
      for (const [width, look] of kLooks) {
        await page.emulateMedia(look === 'print' ? { media: 'print', colorScheme: 'light' } : { media: 'screen', colorScheme: look });
        await page.setViewportSize({ width, height: 900 });
        await settled(page);
        for (const fault of [...new Set(await page.evaluate(misplaced))].slice(0, 3)) faults.push(`${file} ${path} at ${width} ${look}: ${fault}`);
        ++looked;
      }
    }
    await page.context().close();
    server.stop();
  }
  await browser.close();
  for (const fault of [...new Set(faults)].slice(0, 60)) console.log(fault);
  console.log(faults.length || !looked ? `${faults.length} faults in ${looked} looks` : `${looked} looks: all is well`);
  process.exit(faults.length || !looked ? 1 : 0);
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) await main(process.argv.slice(2));
