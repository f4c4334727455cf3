// live.mjs TOOLS CHROMIUM HARNESS STORE: a campaign runs while its page is open in two tabs: both follow it without being
// loaded again, over one stream, and say when it has ended.
import { spawn } from 'node:child_process';
import { browser as launch, opened, serve } from './served.mjs';

const [tools, chromium, harness, store] = process.argv.slice(2);
const faults = [];
const campaign = spawn(harness, ['run', 'vector_scale', '--device', 'cpu', '--budget', '25s', '--name', 'watched', '--db', store], { stdio: 'ignore' });
const ended = new Promise((resolve) => campaign.on('exit', resolve));
let server = null;
for (let step = 0; step < 100 && !server; ++step) {   // until the store is there
  server = await serve(harness, store).catch(() => null);
  if (!server) await new Promise((resolve) => setTimeout(resolve, 200));
}
const browser = await launch(tools, chromium);
const page = await opened(browser, server.base, faults);
const streams = [];
page.context().on('request', (request) => { if (request.url().endsWith('/live')) streams.push(request.url()); });
await page.goto(`${server.base}/campaign/1`);
await page.waitForSelector('.badge.running', { timeout: 60_000 });
const second = await page.context().newPage();
await second.goto(`${server.base}/campaigns`);
await second.waitForSelector('.livecard', { timeout: 60_000 });
await page.evaluate(() => { window.loadedOnce = true; });
const count = (tab) => tab.evaluate(() => Number([...document.querySelectorAll('.tile')].find((tile) => tile.textContent.startsWith('attempts'))?.querySelector('b')?.textContent));
const first = await count(page);
await page.waitForFunction((before) => Number([...document.querySelectorAll('.tile')].find((tile) => tile.textContent.startsWith('attempts'))?.querySelector('b')?.textContent) > before + 2, first, { timeout: 60_000 });
await page.waitForSelector('.stair');
await ended;
await page.waitForFunction(() => /ended: /.test(document.querySelector('header.top')?.textContent ?? ''), null, { timeout: 30_000 });
await second.waitForFunction(() => document.querySelectorAll('.livecard').length === 0, null, { timeout: 30_000 });
if (!(await page.evaluate(() => window.loadedOnce))) faults.push('the page was loaded again');
if (streams.length !== 1) faults.push(`${streams.length} streams of one browser`);
await browser.close();
server.stop();
for (const fault of faults) console.log(fault);
console.log(faults.length ? `${faults.length} faults` : 'all is well');
process.exit(faults.length ? 1 : 0);
