// pages.mjs TOOLS CHROMIUM HARNESS STORE: every page of a store in Chromium, at several widths, light and dark: no script
// error, no request that leaves, nothing wider than the window, hostile texts as texts; then with the keyboard alone.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { browser as launch, opened, serve, settled } from './served.mjs';

const [tools, chromium, harness, store] = process.argv.slice(2);
const faults = [];
const check = (holds, what) => { if (!holds) faults.push(what); };
const server = await serve(harness, store);
const browser = await launch(tools, chromium);

const pages = {
  '/campaigns': ['Campaigns'],
  '/campaign/1': ['How the best times fell', 'Best of every workload', 'Attempts', 'How attempts ended', 'Decisions, the newest first', 'Where the seconds went', 'Techniques'],
  '/campaign/3': ['How attempts ended'],
  '/campaign/4': ['Proposals', 'How attempts ended'],
  '/campaign/4/proposal/1': ['Proposal 1', 'Lineage of the proposals'],
  '/campaign/4/proposal/9': [],
  '/campaign/77': [],
  '/attempts': ['Attempts'],
  '/attempt/1': ['Times', 'Gates', 'The decision that asked for it', 'Resources', 'Cost'],
  '/attempt/HOSTILE': ['What went wrong', 'Gates'],
  '/attempt/PROPOSED': ['Profile: counted for H200', 'Proposal 1', 'Lineage of the proposals'],
  '/attempt/999999': ['This cannot be shown'],
  '/kernels': ['Kernels'],
  '/kernel/attention': ['Best of every workload and device', 'What the values of parameters cost'],
  '/kernel/nothing': [],
  '/compare?a=1&b=2': ['Compare', 'Best times', 'Environment'],
  '/compare?a=%231&b=%232': ['Times and resources', 'Source'],
  '/devices': ['Devices', 'Drivers and hosts'],
  '/playbook': ['Playbook'],
  '/playbook/17': ['The page', 'Where it was applied'],
  '/query': ['Query', 'Answer', 'Schema'],
  '/nowhere': [],
};

const expected_failures = ['/campaign/77', '/attempt/999999', '/nowhere'];
const proposed = (await (await fetch(`${server.base}/attempts.json?campaign=4`)).json()).tables.attempts.rows[0][0];
const hostile = (await (await fetch(`${server.base}/attempts.json?text=alert`)).json()).tables.attempts.rows[0][0];

for (const [width, scheme] of [[360, 'light'], [400, 'dark'], [1280, 'light'], [2560, 'dark']]) {
  const page = await opened(browser, server.base, faults, width, scheme);
  for (const [path, titles] of Object.entries(pages)) {
    const before = faults.length;
    await page.goto(server.base + path.replace('HOSTILE', hostile).replace('PROPOSED', proposed), { waitUntil: 'load' });
    await settled(page);
    if (expected_failures.includes(path)) faults.splice(before);   // the browser's log names the 404
    const seen = await page.locator('h2').allTextContents();
    for (const title of titles) check(seen.some((one) => one.includes(title)), `${path} at ${width}: no '${title}' among ${seen.join(', ')}`);
    const over = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
    check(over <= 0, `${path} is ${over} pixels wider than a window of ${width}`);
    check(await page.evaluate(() => document.querySelectorAll('script').length) === 1, `${path}: another script stands in the page`);
    check(await page.evaluate(() => document.querySelectorAll('th[aria-sort]').length >= 0 && [...document.querySelectorAll('svg[role=img]')].every((one) => one.getAttribute('aria-label'))), `${path}: a picture has no words`);
    const background = await page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    check((scheme === 'dark') === /rgb\((\d|[1-4]\d), /.test(background), `${path}: ${scheme} has the background ${background}`);
  }
  await page.context().close();
}

const page = await opened(browser, server.base, faults);
await page.goto(`${server.base}/attempt/${hostile}#source`);
await page.waitForSelector('.code');
check((await page.locator('.code').textContent()).includes('</script><script>alert(1)</script>'), 'the hostile source is not shown as it is');

// With the keyboard alone: the jump box, a filter, a row, the next attempt.
await page.goto(`${server.base}/campaigns`);
await page.waitForSelector('tbody tr');
for (let step = 0; step < 40 && !(await page.evaluate(() => document.activeElement?.matches('tr.opens'))); ++step) await page.keyboard.press('Tab');
await page.keyboard.press('ArrowDown');
await page.keyboard.press('Enter');
await page.waitForURL('**/campaign/*');
await page.waitForSelector('.legend button');
await page.locator('.legend button').first().focus();
await page.keyboard.press('Enter');
await page.waitForURL('**outcome=*');
await page.goto(`${server.base}/attempt/5`);
await page.waitForSelector('.gates');
await page.keyboard.press('j');
await page.waitForURL('**/attempt/4');

// What a filter, an order and a choice of columns make is an address that means the same again.
await page.goto(`${server.base}/attempts?outcome=passed&sort=time_ns&columns=iteration,time_ns,technique`);
await page.waitForSelector('tbody tr');
check((await page.locator('thead th').allTextContents()).map((text) => text.replace(/[↑↓]/, '')).join() === '#,time,technique', 'the columns of the address are not shown');
check(await page.locator('thead th').nth(1).getAttribute('aria-sort') === 'ascending', 'the order of the address is not shown');

// What stands beside the lines, and what a promise came to.
await page.goto(`${server.base}/attempt/${proposed}`);
await page.waitForSelector('.tree .own');
check((await page.locator('tr#L2 .beside').textContent()) === '4,096', `beside the line: ${await page.locator('tr#L2 .beside').textContent()}`);
await page.locator('.linechoice select').selectOption('global_bytes');
check((await page.locator('tr#L2 .beside').textContent()) === '65.5 kB', `bytes beside the line: ${await page.locator('tr#L2 .beside').textContent()}`);
check((await page.locator('.promise svg').first().getAttribute('aria-label')) === 'predicted 1.20x to 1.50x, came 2.00x, outside', 'the promise is not beside what came');
check((await page.locator('.tree .refused').textContent()).includes('1 unparsable'), 'a refused proposal is not in the tree');

// A report is a file: no request, no script error, the same charts, a filter that works; and as text where scripts are forbidden.
const folder = mkdtempSync(join(tmpdir(), 'harness_report_')), file = join(folder, 'report.html');
execFileSync(harness, ['report', '1', '--html', file, '--no-sources', '--db', store], { stdio: 'ignore' });
for (const [width, scheme] of [[360, 'dark'], [1280, 'light']]) {
  const report = await opened(browser, 'file://', faults, width, scheme);
  await report.goto(`file://${file}`);
  const titles = await report.locator('h2').allTextContents();
  for (const title of ['How the best times fell', 'Best of every workload', 'Attempts', 'What each technique brought', 'Where it ran']) check(titles.includes(title), `the report at ${width} lacks '${title}'`);
  check(await report.locator('svg[role=img]').count() > 0, 'the report has no picture');
  check(await report.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth) <= 0, `the report is wider than ${width}`);
  check(await report.locator('a[href^="/"]').count() === 0, 'the report has links that lead nowhere');
  await report.locator('.legend button').first().click();
  await report.waitForSelector('.legend button[aria-pressed=true]');
  await report.emulateMedia({ media: 'print' });
  check(await report.evaluate(() => getComputedStyle(document.body).color) === 'rgb(0, 0, 0)', 'it prints light text');
  await report.context().close();
}
const plain = await (await browser.newContext({ javaScriptEnabled: false })).newPage();
await plain.goto(`file://${file}`);
check((await plain.locator('noscript pre, pre').first().textContent()).includes('Campaign 1'), 'without scripts a report is empty');
rmSync(folder, { recursive: true });

await browser.close();
server.stop();
for (const fault of [...new Set(faults)].slice(0, 40)) console.log(fault);
console.log(faults.length ? `${faults.length} faults` : 'all is well');
process.exit(faults.length ? 1 : 0);
