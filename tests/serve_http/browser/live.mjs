// live.mjs TOOLS CHROMIUM HARNESS STORE: a campaign runs while its page is open in two tabs: both follow it without being
// loaded again, over one stream, and say when it has ended. Nothing here counts seconds: a loaded machine takes its time.
import { spawn } from 'node:child_process';
import { watch } from 'node:fs';
import { basename, dirname } from 'node:path';
import { browser as launch, opened, serve } from './served.mjs';

const [tools, chromium, harness, store] = process.argv.slice(2);
const kPatience = { timeout: 240_000 };   // of the whole test: what never comes fails
const faults = [];

/// Serves the store as soon as it can be read: tried again after each change in its folder.
async function served() {
  for (;;) {
    const changed = new Promise((resolve) => { const watcher = watch(dirname(store), (_, name) => { if (name?.startsWith(basename(store))) { watcher.close(); resolve(); } }); });
    const server = await serve(harness, store).catch(() => null);
    if (server) return server;
    await changed;
  }
}

// Longer than everything here: it is told to end once it has been seen running.
const campaign = spawn(harness, ['run', 'softmax', '--device', 'cpu', '--strategy', 'exhaustive', '--budget', '1h', '--name', 'watched', '--db', store], { stdio: 'ignore' });
const ended = new Promise((resolve) => campaign.on('exit', resolve));
const server = await served();
const browser = await launch(tools, chromium);
const attempts = () => Number([...document.querySelectorAll('.tile')].find((tile) => tile.textContent.startsWith('attempts'))?.querySelector('b')?.textContent);
try {
  const page = await opened(browser, server.base, faults);
  const streams = [];
  page.context().on('request', (request) => { if (request.url().endsWith('/live')) streams.push(request.url()); });
  await page.goto(`${server.base}/campaign/1`);
  await page.waitForSelector('.badge.running', kPatience);
  await page.evaluate(() => { window.loadedOnce = true; });
  const second = await page.context().newPage();
  await second.goto(`${server.base}/campaigns`);
  await second.waitForSelector('.livecard', kPatience);
  const first = await page.evaluate(attempts);
  await page.waitForFunction((before) => {
    const tile = [...document.querySelectorAll('.tile')].find((one) => one.textContent.startsWith('attempts'));
    return Number(tile?.querySelector('b')?.textContent) > before + 2 || document.querySelector('header.top')?.textContent.includes('ended: ');
  }, first, kPatience);
  if (!((await page.evaluate(attempts)) > first)) faults.push('the count of attempts did not follow the campaign');
  await page.waitForSelector('.stair', { ...kPatience, state: 'attached' });
  campaign.kill('SIGINT');
  await ended;
  await page.waitForFunction(() => /ended: /.test(document.querySelector('header.top')?.textContent ?? ''), null, kPatience);
  await second.waitForFunction(() => document.querySelectorAll('.livecard').length === 0, null, kPatience);
  if (!(await page.evaluate(() => window.loadedOnce))) faults.push('the page was loaded again');
  if (streams.length !== 1) faults.push(`${streams.length} streams of one browser`);
} catch (error) {
  faults.push(error.message);
} finally {
  campaign.kill('SIGINT');
  await browser.close();
  server.stop();
}
for (const fault of faults) console.log(fault);
console.log(faults.length ? `${faults.length} faults` : 'all is well');
process.exit(faults.length ? 1 : 0);
