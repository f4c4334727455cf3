// Searches the site of the documents in a browser, from its files: node search.mjs TOOLS CHROMIUM SITE [PICTURE.png]. TOOLS has
// playwright-core. Ends with 1 where a search finds nothing, a result leads nowhere, or something was asked of a network.
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";
import { resolve } from "node:path";

const [tools, chromium, site, picture] = process.argv.slice(2);
const { chromium: driver } = createRequire(`${resolve(tools)}/package.json`)("playwright-core");
const browser = await driver.launch({ executablePath: chromium, args: ["--no-sandbox"] });
const faults = [];
const holds = (fact, what) => fact || faults.push(what);
try {
  const page = await browser.newPage({ viewport: { width: 1000, height: 800 } });
  page.on("request", (request) => holds(/^(file|data):/.test(request.url()), `asked for ${request.url()}`));
  page.on("pageerror", (error) => faults.push(`${page.url()}: ${error}`));
  for (const [from, words, title] of [["index.html", "glibc wheel", "Installing"], ["docs/python.html", "qemu walls", "aarch64"],
                                      ["kernels/README.html", "glossary arm", "Glossary"]]) {
    await page.goto(pathToFileURL(resolve(site, from)).href);
    await page.fill("#search", words);
    const results = page.locator("#found a");
    const first = await results.count() > 0 ? await results.first().textContent() : "nothing";
    holds(first.startsWith(title), `${from}: '${words}' finds ${first} before '${title}'`);
    if (picture && from === "index.html") await page.screenshot({ path: picture });
    if (await results.count() === 0) continue;
    await results.first().click();
    await page.waitForLoadState();
    const place = decodeURIComponent(new URL(page.url()).hash.slice(1));
    holds(await page.locator(`[id="${place}"]`).count() === 1, `${page.url()} has no such place`);
  }
  await page.goto(pathToFileURL(resolve(site, "index.html")).href);
  await page.fill("#search", "qqqqxyzzy");
  holds((await page.textContent("#found")).includes("nothing was found"), "a search for nothing does not say so");
} finally {
  await browser.close();
}
for (const fault of faults) console.log(fault);
process.exitCode = faults.length > 0 ? 1 : 0;
