// node bench/page_time.mjs HARNESS STORE [SECONDS]: what the live page of a store costs. Of every view the milliseconds of
// CPU that the server takes for an answer that it has not kept, best of three; the first paint of every page in Chromium,
// also where server and browser have just begun and nothing of the store is in memory (the median of three);
// then, over SECONDS (0: not at all), what the server takes while a tab follows the store, as a share of a core, and its
// memory. With a campaign that writes the store meanwhile that is its cost beside a campaign. How many requests a second it
// answers of what it has kept. Prints JSON; with --write FILE the table of docs/page.md is made anew, with date and revision.
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { loadavg } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { browser as launch, opened, serve, settled } from '../tests/serve_http/browser/served.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const words = process.argv.slice(2), flag = words.indexOf('--write'), written = flag < 0 ? null : words.splice(flag, 2)[1];
const [harness, store, seconds = '0'] = words;
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
const [total, total_campaigns] = (await ask(`/answer.json?sql=${encodeURIComponent('SELECT (SELECT count(*) FROM iteration), (SELECT count(*) FROM campaign)')}`)).answer.rows[0];
const largest = sizes[0], kernel = JSON.parse(campaigns[0].kernels)[0];
const attempt = table(await ask('/attempts.json?outcome=passed&limit=1'), 'attempts')[0].iteration;
const views = ['/campaigns.json', '/attempts.json', '/attempts.json?sort=time_ns', '/attempts.json?sort=-wall_s', '/attempts.json?sort=workload', '/attempts.json?sort=variant', '/attempts.json?text=nothinghasit', '/attempts.json?text=BLOCK', `/attempts.json?campaign=${largest}&sort=time_ns`, '/attempts.json?outcome=rejected',
  `/campaign/${largest}.json`, `/campaign/${largest}/curve.json`, `/attempt/${attempt}.json`, `/attempt/${attempt}/digest.json`, '/kernels.json', `/kernel/${kernel}.json`, `/kernel/${kernel}/heat.json`, `/kernel/${kernel}/points.json?x=registers&y=time_ns`, '/devices.json', '/compare.json?a=1&b=2'];
const cpu_ms = {};
for (const view of views) cpu_ms[view] = await cpu_of(view).catch((error) => error.message);

const tools = execFileSync(join(root, 'harness/serve_http/page/tools.sh')).toString().trim();
const browser = await launch(tools, execFileSync('which', ['chromium']).toString().trim());
const faults = [], paint_ms = {};
const page = await opened(browser, server.base, faults);
await page.goto(`${server.base}/query`);   // the browser runs: its own start is no part of a paint
for (const path of ['/campaigns', '/attempts', `/campaign/${largest}`, `/attempt/${attempt}`, '/kernels', `/kernel/${kernel}`, '/devices', '/playbook', '/query']) {
  await page.goto(server.base + path);
  await settled(page);
  paint_ms[path] = Math.round(await page.evaluate(() => performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? -1));
}
/// The first paint and the time until all of the page is drawn, by a server and a browser that begin with it.
async function cold(path) {
  const found = [];
  for (let time = 0; time < 3; ++time) {
    execFileSync('dd', [`if=${store}`, 'of=/dev/null', 'iflag=nocache', 'count=0'], { stdio: 'ignore' });   // leaves the page cache
    const fresh = await launch(tools, execFileSync('which', ['chromium']).toString().trim()), own = await serve(harness, store);
    const first = await opened(fresh, own.base, faults);
    await first.goto(own.base + path);
    await settled(first);
    found.push(await first.evaluate(() => [performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? -1, performance.now()]));
    await fresh.close();
    own.stop();
  }
  return [0, 1].map((at) => Math.round(found.map((one) => one[at]).sort((a, b) => a - b)[1]));
}
const cold_ms = {};
for (const path of ['/campaigns', '/attempts', `/campaign/${largest}`]) cold_ms[path] = await cold(path);
let beside = null;
if (Number(seconds) > 0) {
  await page.goto(`${server.base}/campaign/${campaigns[0].campaign}`);
  await settled(page);
  const before = ticks(), begun = performance.now();
  await new Promise((resolve) => setTimeout(resolve, Number(seconds) * 1000));
  beside = { of_a_core: (ticks() - before) / 100 / ((performance.now() - begun) / 1000), resident_mb: memory('VmRSS') };
}
/// Of 32 connections, each of which asks again once it has its answer.
async function rate(path, for_s) {
  const asked = `GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`, port = Number(new URL(server.base).port);
  let answers = 0, over = false;
  const one = () => new Promise((resolve, reject) => {
    let left = -1, head = '';
    const socket = connect(port, '127.0.0.1', () => socket.write(asked));
    socket.setNoDelay(true);
    socket.on('error', reject);
    socket.on('data', (data) => {
      if (left < 0) {
        head += data.toString('latin1');
        const end = head.indexOf('\r\n\r\n');
        if (end < 0) return;
        if (!head.startsWith('HTTP/1.1 200')) return reject(new Error(head.slice(0, 60)));
        left = Number(/content-length: (\d+)/i.exec(head)[1]) - (head.length - end - 4);
      } else left -= data.length;
      if (left > 0) return;
      ++answers;
      left = -1;
      head = '';
      if (over) { socket.destroy(); resolve(); } else socket.write(asked);
    });
  });
  const begun = performance.now(), all = Array.from({ length: 32 }, one);
  setTimeout(() => { over = true; }, for_s * 1000);
  await Promise.all(all);
  return Math.round(answers / ((performance.now() - begun) / 1000));
}
const requests_per_s = {};
for (const path of ['/campaigns.json', '/assets/icon.svg']) for (let time = 0; time < 3; ++time) requests_per_s[path] = Math.max(requests_per_s[path] ?? 0, await rate(path, 2));

if (written) {
  const revision = execFileSync('git', ['-C', root, 'rev-parse', '--short=8', 'HEAD']).toString().trim(), date = new Date().toISOString().slice(0, 10);
  const s = (ms) => (typeof ms === 'number' ? (ms / 1000).toFixed(2) : ms), of = (...names) => names.map((name) => s(cpu_ms[name])).join('; ');
  const kernel_at = `/kernel/${kernel}`, campaign_at = `/campaign/${largest}`;
  const rows = [
    ['campaigns; the newest attempts', of('/campaigns.json', '/attempts.json')],
    ['all attempts by their time, by their cost in seconds', of('/attempts.json?sort=time_ns', '/attempts.json?sort=-wall_s')],
    ['all attempts by their workload, by their variant', of('/attempts.json?sort=workload', '/attempts.json?sort=variant')],
    ['attempts with a word that none has, that most have', of('/attempts.json?text=nothinghasit', '/attempts.json?text=BLOCK')],
    [`a campaign of ${sizes[1].toLocaleString('en-US')} attempts: all tables; curve; its attempts by time`, of(`${campaign_at}.json`, `${campaign_at}/curve.json`, `/attempts.json?campaign=${largest}&sort=time_ns`)],
    [`a kernel with ${total_campaigns} campaigns: bests and history; variants x workloads; points`, of(`${kernel_at}.json`, `${kernel_at}/heat.json`, `${kernel_at}/points.json?x=registers&y=time_ns`)],
    ['an attempt; its digest', of(`/attempt/${attempt}.json`, `/attempt/${attempt}/digest.json`)],
    ['first paint in Chromium: campaigns; attempts; the large campaign', [s(paint_ms['/campaigns']), s(paint_ms['/attempts']), s(paint_ms[campaign_at])].join('; ')],
    ['the same by a server and a browser that have just begun, nothing of the store in memory', Object.values(cold_ms).map((one) => s(one[0])).join('; ')],
    ['until all of it is drawn', Object.values(cold_ms).map((one) => s(one[1])).join('; ')]];
  const table = `<!-- page_time -->\nSeconds of CPU of the server, best of three, at revision ${revision} on ${date}; load of the two cores ${loadavg()[0].toFixed(1)}.\n\n| asked for, of ${total.toLocaleString('en-US')} attempts in ${total_campaigns} campaigns | seconds |\n|---|--:|\n${rows.map(([what, took]) => `| ${what} | ${took} |`).join('\n')}\n| requests a second of what was asked before: campaigns; a small file | ${Object.values(requests_per_s).map((n) => n.toLocaleString('en-US')).join('; ')} |\n<!-- /page_time -->`;
  writeFileSync(written, readFileSync(written, 'utf8').replace(/<!-- page_time -->[\s\S]*<!-- \/page_time -->/, table));
}
console.log(JSON.stringify({ requests_per_s, load: loadavg()[0], campaigns: campaigns.length, largest: sizes[1], cpu_ms, paint_ms, cold_ms, most_resident_mb: memory('VmHWM'), beside, faults: [...new Set(faults)] }, null, 1));
await browser.close();
server.stop();
