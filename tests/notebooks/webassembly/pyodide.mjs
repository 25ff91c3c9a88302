// Pyodide: node pyodide.mjs BUILD COURSE PROGRAM SAID runs PROGRAM with the course's notebooks and data at hand, and writes
// the JSON that is its last value to SAID, with all that it printed.
import { readFileSync, writeFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

const [build, course, program, said] = process.argv.slice(2);
const { loadPyodide } = await import(pathToFileURL(`${build}/node_modules/pyodide/pyodide.mjs`));
const printed = [];
const pyodide = await loadPyodide({ stdout: (line) => printed.push(line) });
for (const folder of ["notebooks", "data"]) {
  pyodide.FS.mkdir(`/${folder}`);
  pyodide.FS.mount(pyodide.FS.filesystems.NODEFS, { root: `${course}/${folder}` }, `/${folder}`);
}
const answer = JSON.parse(pyodide.runPython(readFileSync(program, "utf-8")));
writeFileSync(said, JSON.stringify({ ...answer, printed: printed.join("\n") }));
