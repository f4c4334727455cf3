// Holds SBOMs against CycloneDX's own schema: node validate.mjs FOLDER FILE... FOLDER has the installed packages. Prints what is
// wrong, ends with 1 where something is.
import { createRequire } from "node:module";
import { readFileSync } from "node:fs";
import { resolve } from "node:path";

const [folder, ...files] = process.argv.slice(2);
const { Validation } = createRequire(resolve(folder, "package.json"))("@cyclonedx/cyclonedx-library");
for (const file of files) {
  const text = readFileSync(file, "utf8");
  const faults = await new Validation.JsonStrictValidator(JSON.parse(text).specVersion).validate(text);
  if (faults === null) continue;
  process.exitCode = 1;
  for (const fault of faults) console.log(`${file}: ${fault.instancePath} ${fault.message}`);
}
