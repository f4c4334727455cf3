// node bench/page_shots.mjs HARNESS STORE FOLDER [WIDTHS] [PATH...]: pictures of pages of a store, to be looked at. WIDTHS
// is "360,1280" or "360-dark,1280-print"; without PATHs every page is taken. The whole page is in a picture, up to 5000
// pixels. What a page logs as an error is printed.
import { execFileSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { browser as launch, opened, serve, settled } from '../tests/serve_http/browser/served.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const [harness, store, folder, widths = '360,400-dark,1280,2560-dark', ...asked] = process.argv.slice(2);
const paths = asked.length ? asked : ['/campaigns', '/campaign/1', '/attempts', '/attempt/1', '/compare', '/compare?a=%231&b=%232', '/kernels', '/devices', '/playbook', '/playbook/115', '/query'];
const tools = execFileSync(join(root, 'harness/serve_http/page/tools.sh')).toString().trim();
const faults = [];
const server = await serve(harness, store), browser = await launch(tools, execFileSync('which', ['chromium']).toString().trim());
mkdirSync(folder, { recursive: true });
for (const one of widths.split(',')) {
  const [width, look = 'light'] = one.split('-');
  const page = await opened(browser, server.base, faults, Number(width), look === 'dark' ? 'dark' : 'light');
  if (look === 'print') await page.emulateMedia({ media: 'print' });
  for (const path of paths) {
    await page.goto(server.base + path);
    await settled(page);
    const height = Math.min(5000, await page.evaluate(() => document.documentElement.scrollHeight));
    await page.screenshot({ path: join(folder, `${path.slice(1).replace(/[^a-z0-9]+/gi, '_')}_${one}.png`), clip: { x: 0, y: 0, width: Number(width), height }, fullPage: true });
  }
  await page.context().close();
}
await browser.close();
server.stop();
for (const fault of new Set(faults)) console.log(fault);
