// What the scripts here share: the program as a server, and a browser that reports what it should not do.
import { spawn } from 'node:child_process';
import { createRequire } from 'node:module';

/// Starts `harness serve` on a port that is free; {base, stop}.
export function serve(harness, db, more = []) {
  const server = spawn(harness, ['serve', '--db', db, '--port', '0', ...more], { stdio: ['ignore', 'ignore', 'pipe'] });
  return new Promise((resolve, reject) => {
    let text = '';
    server.stderr.on('data', (data) => {
      text += data;
      const found = /http:\/\/127\.0\.0\.1:(\d+)\//.exec(text);
      if (found) resolve({ base: `http://127.0.0.1:${found[1]}`, stop: () => server.kill('SIGINT'), pid: server.pid });
    });
    server.on('exit', () => reject(new Error(`harness serve ended: ${text}`)));
  });
}

export async function browser(tools, chromium) {
  const { chromium: driver } = createRequire(`${tools}/package.json`)('playwright-core');
  return driver.launch({ executablePath: chromium, args: ['--no-sandbox'] });
}

/// Waits until a page is drawn and nothing more comes: no request is under way but the stream, and no place says "…".
export async function settled(page) {
  await page.waitForFunction(() => document.querySelector('main')?.childElementCount > 0);
  let busy = true;
  while (busy) {
    await page.waitForFunction(() => ![...document.querySelectorAll('p.none')].some((one) => one.textContent === '…'));
    const before = page.underWay?.size ?? 0;
    await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))));
    busy = before > 0 || (page.underWay?.size ?? 0) > 0;
  }
}

/// A page of that width; `faults` collects script errors, refused resources and requests that leave the server.
export async function opened(browser, base, faults, width = 1280, scheme = 'light', height = 900) {
  const context = await browser.newContext({ viewport: { width, height }, colorScheme: scheme });
  const page = await context.newPage();
  page.underWay = new Set();
  page.on('request', (request) => { if (!/\/live(\.json)?$/.test(request.url())) page.underWay.add(request); });
  for (const end of ['requestfinished', 'requestfailed']) page.on(end, (request) => page.underWay.delete(request));
  page.on('pageerror', (error) => faults.push(`script error on ${page.url()}: ${error.message}`));
  page.on('console', (message) => { if (message.type() === 'error') faults.push(`console on ${page.url()}: ${message.text()}`); });
  page.on('request', (request) => { if (!request.url().startsWith(base) && !request.url().startsWith('data:')) faults.push(`a request left: ${request.url()}`); });
  page.on('dialog', (dialog) => { faults.push(`a dialog: ${dialog.message()}`); void dialog.dismiss(); });
  return page;
}
