// node bench/page_time.mjs HARNESS STORE [SECONDS]: what the live page of a store costs. Of every view the milliseconds of
// CPU that the server takes for an answer that it has not kept, best of three; the first paint of every page in Chromium;
// then, over SECONDS (0: not at all), what the server takes while a tab follows the store, as a share of a core, and its
// memory. With a campaign that writes the store meanwhile that is its cost beside a campaign. One line of JSON.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { browser as launch, opened, serve, settled } from '../tests/serve_http/browser/served.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const [harness, store, seconds = '0'] = process.argv.slice(2);
const server = await serve(harness, store);
const ticks = () => { const fields = readFileSync(`/proc/${server.pid}/stat`, 'utf8').split(') ')[1].split(' '); return Number(fields[11]) + Number(fields[12]); };   // of 10 ms
const memory = (name) => Math.round(Number(new RegExp(`${name}:\\s+(\\d+)`).exec(readFileSync(`/proc/${server.pid}/status`, 'utf8'))[1]) / 1000);
const ask = async (path) => { const reply = await fetch(`${server.base}${path}`); const found = await reply.json(); if (!reply.ok) throw new Error(`${path}: ${found.error}`); return found; };
let fresh = 0;
const cpu_of = async (path) => {
  let best = Infinity;
  for (let time = 0; time < 3; ++time) {
    const before = ticks(), begun = performance.now();
    await ask(`${path}${path.includes('?') ? '&' : '?'}fresh=${++fresh}`);
    best = Math.min(best, Math.max((ticks() - before) * 10, 0), performance.now() - begun);
  }
  return Math.round(best);
};

const table = (found, name) => found.tables[name].rows.map((row) => Object.fromEntries(found.tables[name].columns.map((column, at) => [column, row[at]])));
const campaigns = table(await ask('/campaigns.json'), 'campaigns');
const sizes = (await ask(`/answer.json?sql=${encodeURIComponent('SELECT campaign, sum(iterations) AS n FROM rollup_arm GROUP BY 1 ORDER BY 2 DESC LIMIT 1')}`)).answer.rows[0];
const largest = sizes[0], kernel = JSON.parse(campaigns[0].kernels)[0];
const attempt = table(await ask('/attempts.json?outcome=passed&limit=1'), 'attempts')[0].iteration;
const views = ['/campaigns.json', '/attempts.json', '/attempts.json?sort=time_ns', '/attempts.json?sort=-wall_s', '/attempts.json?text=nothinghasit', `/attempts.json?campaign=${largest}&sort=time_ns`, '/attempts.json?outcome=rejected',
  `/campaign/${largest}.json`, `/campaign/${largest}/curve.json`, `/attempt/${attempt}.json`, `/attempt/${attempt}/digest.json`, '/kernels.json', `/kernel/${kernel}.json`, `/kernel/${kernel}/heat.json`, `/kernel/${kernel}/points.json?x=registers&y=time_ns`, '/devices.json', '/compare.json?a=1&b=2'];
const cpu_ms = {};
for (const view of views) cpu_ms[view] = await cpu_of(view).catch((error) => error.message);

const tools = execFileSync(join(root, 'harness/serve_http/page/tools.sh')).toString().trim();
const browser = await launch(tools, execFileSync('which', ['chromium']).toString().trim());
const faults = [], paint_ms = {};
const page = await opened(browser, server.base, faults);
for (const path of ['/campaigns', '/attempts', `/campaign/${largest}`, `/attempt/${attempt}`, '/kernels', `/kernel/${kernel}`, '/devices', '/playbook', '/query']) {
  await page.goto(server.base + path);
  await settled(page);
  paint_ms[path] = Math.round(await page.evaluate(() => performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? -1));
}
let beside = null;
if (Number(seconds) > 0) {
  await page.goto(`${server.base}/campaign/${campaigns[0].campaign}`);
  await settled(page);
  const before = ticks(), begun = performance.now();
  await new Promise((resolve) => setTimeout(resolve, Number(seconds) * 1000));
  beside = { of_a_core: (ticks() - before) / 100 / ((performance.now() - begun) / 1000), resident_mb: memory('VmRSS') };
}
console.log(JSON.stringify({ campaigns: campaigns.length, largest: sizes[1], cpu_ms, paint_ms, most_resident_mb: memory('VmHWM'), beside, faults: [...new Set(faults)] }, null, 1));
await browser.close();
server.stop();
