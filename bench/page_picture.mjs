// node bench/page_picture.mjs [HARNESS] [PICTURE]: the picture of the live page in README.md. Runs a campaign on the cpu
// device into a store of its own and takes its page in Chromium while it runs. harness/serve_http/page/tools.sh installs
// what drives the browser; Chromium is Debian's.
import { execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { browser as launch, opened, serve, settled } from '../tests/serve_http/browser/served.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const harness = process.argv[2] ?? join(root, 'build/release/harness'), picture = process.argv[3] ?? join(root, 'docs/live_page.png');
const tools = execFileSync(join(root, 'harness/serve_http/page/tools.sh')).toString().trim();
const chromium = execFileSync('which', ['chromium']).toString().trim();
const folder = mkdtempSync(join(tmpdir(), 'harness_page_')), db = join(folder, 'experiments.db');
const campaign = spawn(harness, ['run', 'softmax', 'vector_scale', '--device', 'cpu', '--budget', '30m', '--name', 'nightly', '--db', db], { stdio: 'ignore', detached: true });
const faults = [];
try {
  let server = null;
  while (!server) {
    server = await serve(harness, db).catch(() => null);
    if (!server) await new Promise((resolve) => setTimeout(resolve, 300));
  }
  const browser = await launch(tools, chromium);
  const page = await opened(browser, server.base, faults, 1280, 'light', 1040);
  await page.goto(`${server.base}/campaign/1`);
  await page.waitForFunction(() => document.querySelectorAll('.chart').length >= 4 && document.querySelectorAll('.decisions li').length >= 8, null, { timeout: 900_000 });
  await settled(page);
  await page.screenshot({ path: picture });
  await browser.close();
  server.stop();
} finally {
  process.kill(-campaign.pid, 'SIGTERM');
  await new Promise((resolve) => campaign.on('exit', resolve));
  rmSync(folder, { recursive: true });
}
console.log(faults.length ? faults.join('\n') : `${picture} is made`);
process.exit(faults.length ? 1 : 0);
