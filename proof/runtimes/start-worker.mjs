// Serves the worker of the suite in workerd, asks it to go through the behaviours, and prints what it says.
// It runs in a folder where the packages and these two tools are installed.
import process from "node:process";
import { build } from "esbuild";
import { Miniflare } from "miniflare";

const settings = JSON.parse(process.env.RUNTIME_SETTINGS ?? "{}");
const { hostname, port } = new URL(settings.baseUrl);

/** `pg` requires the modules of Node, which workerd has as ES modules alone. */
const modulesOfNode = {
  name: "modules of Node",
  setup(on) {
    const builtin =
      /^(node:)?(assert|buffer|child_process|crypto|dns|events|fs|http|https|net|os|path|process|stream|string_decoder|tls|url|util|zlib)(\/.*)?$/;
    on.onResolve({ filter: builtin }, ({ path, kind }) => {
      const name = path.replace(/^node:/, "");
      if (kind === "require-call") return { path: name, namespace: "required" };
      return { path: `node:${name}`, external: true };
    });
    on.onLoad({ filter: /./, namespace: "required" }, ({ path }) => ({
      contents: `import * as all from "node:${path}"; module.exports = all.default ?? all;`,
    }));
    on.onResolve({ filter: /^(cloudflare:|pg-native$)/ }, ({ path }) => ({ path, external: true }));
  },
};

const { outputFiles } = await build({
  entryPoints: ["worker.js"],
  bundle: true,
  write: false,
  format: "esm",
  platform: "neutral",
  mainFields: ["main"],
  conditions: ["workerd", "worker"],
  plugins: [modulesOfNode],
});
const workers = new Miniflare({
  modules: true,
  script: outputFiles[0].text,
  compatibilityDate: "2026-07-01",
  compatibilityFlags: ["nodejs_compat"],
  host: hostname,
  port: Number(port),
  handleRuntimeStdio: (out, err) => {
    out.pipe(process.stderr);
    err.pipe(process.stderr);
  },
  bindings: { SETTINGS: JSON.stringify(settings) },
});
try {
  await workers.ready;
  const response = await fetch(`${settings.baseUrl}/run`);
  console.log(await response.text());
} finally {
  await workers.dispose();
}
