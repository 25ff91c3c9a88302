// A CPython with NumPy, compiled to WebAssembly: node numpy.cjs BUILD EXAMINE ASKED FOUND runs examine(ASKED, FOUND) of the file EXAMINE.
const [build, script, asked, found] = process.argv.slice(2);
const { syncPython } = require(`${build}/node_modules/python-wasm`);

syncPython({ fs: "everything" }).then((python) => {
  const text = JSON.stringify; // a string of JavaScript, JSON or Python: the same for a path
  python.exec(`import runpy, sys\nsys.path.insert(0, ${text(build + "/packages")})`);
  python.exec(`runpy.run_path(${text(script)})["examine"](${text(asked)}, ${text(found)})`);
  process.exit(0);
});
