/** What must hold of an example. Each gate answers what is wrong, and nothing if all is well. */
import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type App, installStripe } from "./app.js";
import { type Bundle, isOf, loadedBy, readBundle, sizeOf } from "./bundle.js";
import { generateAsDeployed } from "./generated.js";
import { type Contents, loadBundle } from "./load.js";
import { run } from "./run.js";

export type Problem = string;
export type Note = (text: string) => void;

const CONVEX = "convex/bin/main.js";

/** Convex generates code that compiles, and it is the code that is checked in. */
function codegen({ folder, source }: App): Problem[] {
  const { ok, said } = run(CONVEX, ["codegen", "--system-udfs", "--typecheck", "enable"], folder);
  // A missing tsconfig or compiler is skipped without an error.
  if (!ok || /skipping typecheck/.test(said)) return [said];
  const generated = join(folder, "convex/_generated");
  const checkedIn = join(source, "convex/_generated");
  const textAt = (file: string) => (existsSync(file) ? readFileSync(file, "utf8") : undefined);
  return readdirSync(generated)
    .filter((file) => textAt(join(generated, file)) !== textAt(join(checkedIn, file)))
    .map((file) => `convex/_generated/${file} is stale: npm run check:convex -- --write`);
}

/**
 * The application and its type tests compile with both ends of the stripe range, and with the code
 * that a deployment generates.
 */
async function types(app: App): Promise<Problem[]> {
  await generateAsDeployed(app);
  return (["stripe-22", "stripe"] as const).flatMap((name) => {
    installStripe(app, name);
    const { ok, said } = run("typescript/bin/tsc", ["--listFiles"], app.folder);
    const lines = said.split("\n");
    const seen = lines.some((line) => line.includes(`/node_modules/${name}/`));
    if (!seen) return [`The compiler did not see ${name}`];
    if (!lines.some((line) => line.endsWith("/test/types.ts"))) return ["No type tests"];
    const errors = lines.filter((line) => !line.startsWith("/"));
    return ok ? [] : [`with ${name}:\n${errors.join("\n")}`];
  });
}

/** The rules that Convex recommends, as the example itself has them. */
function lint({ folder }: App): Problem[] {
  const { ok, said } = run("eslint/bin/eslint.js", ["--max-warnings", "0", "convex"], folder);
  return ok ? [] : [said];
}

/**
 * What the library and the example may have in a bundle, apart from Stripe's package (672 kB) and
 * Convex's (85 kB), which are not ours to keep small. Measured in 2026-11: 217 kB, 307 kB
 * since nobody is subscribed twice and running subscriptions can be changed, 323 kB with seats, and
 * 337 kB with 33 resources in place of 11, 357 kB with 36 and one-time purchases, 397 kB with
 * reactions: what is to be told is worked out in the mutation that tells. 409 kB with plans in code, and
 * 418 kB with gates, which are among the reads of every entry; 427 kB with usage that plans bill and
 * plans in code; 461 kB with balances, from which the application's own mutations take, and what sends
 * usage to Stripe's meters; 471 kB since that runs on Convex, where a mutation gathers what is sent;
 * 485 kB with credits of packs, and 487 kB with the letters of the example, which take them;
 * 521 kB since customers are taken over and entities leave, and shares of plans are kept when these change;
 * 525 kB since every public call looks at its arguments, and 527 kB since those of jobs are looked at,
 * too, and what is sent of usage is measured; 531 kB since an edited catalogue counts at once, and what an
 * entity has that comes back during its erasure is left alone; 535 kB since usage is sent before what bills it
 * ends, and a change leaves alone what is planned for another item; 539 kB since what follows from a change
 * waits for no handler, calls of one mutation wait for each other, and what those throw has its code; just above
 * 540 kB since the newest of an owner are found by Stripe's time.
 */
const MOST = 542_000;

/**
 * Modules that load nothing of Stripe's package, and what each may load, with Convex's own code. The
 * examples' queries were measured at 123 kB in 2026-11, at 135 kB where a mutation of the application
 * calls `seatsChanged`, and the tables at 97 kB; with 33 resources, of which each has an entry of half a
 * kilobyte, at 146 and 108 kB; with 36 and one-time purchases at 154 and 112 kB;
 * with gates, by the catalogue and by the metadata of products, at 163 and 114 kB; with plans in code,
 * whose checks are 9 kB, at 174 kB; with balances at 198 and 116 kB, as the bundler has a query load what
 * another module of the application takes from the same entry, here `createLocal`; at 204 kB since reads look
 * at their arguments, and just above 205 kB since an edited catalogue counts at once; at 207 kB since what reads throw is a `ConvexError`.
 */
const LOCAL = [
  { module: "plans", most: 208_000 },
  { module: "only_tables", most: 117_000 },
] as const;
/** Convex bundles a schema by itself and shows nothing of it, so the tables are measured in a module. */
const ONLY_TABLES = `export { billingTables } from "backend-billing/convex/tables";\n`;

/**
 * Convex's own bundler takes every function into the default runtime, and what it makes can be
 * loaded as a deployment loads it before any secret is set.
 */
async function bundle(app: App, note: Note): Promise<Problem[]> {
  const out = join(app.folder, "bundle");
  rmSync(out, { recursive: true, force: true });
  const tables = join(app.folder, "convex/only_tables.ts");
  if (!existsSync(tables)) writeFileSync(tables, ONLY_TABLES);
  const target = ["--url", "http://127.0.0.1:3210", "--admin-key", "x"];
  const options = ["--debug-bundle-path", out, "--typecheck", "enable", "--codegen", "disable"];
  const { ok, said } = run(CONVEX, ["deploy", ...target, ...options], app.folder);
  if (!ok) return [said];
  const made = readBundle(out);
  return [
    ...placed(made),
    ...sized(made, note),
    ...LOCAL.flatMap(({ module, most }) => local(made, `${module}.js`, most, note)),
    ...(await loaded(made, note)),
  ];
}

/** A module of queries or tables loads little, and nothing of Stripe's package. */
function local(made: Bundle, module: string, most: number, note: Note): Problem[] {
  const loaded = loadedBy(made, module);
  const bytes = sizeOf(loaded);
  note(`${module} loads ${kB(bytes)} of at most ${kB(most)}`);
  return [
    ...(loaded.length === 0 ? [`There is no ${module}`] : []),
    ...(sizeOf(loaded, "stripe") > 0 ? [`${module} loads stripe`] : []),
    ...(bytes > most ? [`${module} loads ${kB(bytes)}, more than ${kB(most)}`] : []),
  ];
}

function placed(made: Bundle): Problem[] {
  const misplaced = made.filter(({ environment }) => environment !== "isolate");
  const files = made.flatMap(({ parts }) => parts.map(({ file }) => file));
  const builds = files
    .filter((file) => isOf("stripe", file))
    .flatMap((file) => /stripe\.esm\.(\w+)\.js$/.exec(file)?.[1] ?? []);
  return [
    ...misplaced.map(({ path }) => `${path} does not run in the default runtime`),
    ...(builds.join() === "worker" ? [] : [`Stripe's build is "${builds}", not "worker"`]),
  ];
}

const kB = (bytes: number): string => `${Math.round(bytes / 1000)} kB`;

function sized(made: Bundle, note: Note): Problem[] {
  const of = (name: string): number => sizeOf(made, name);
  const ours = sizeOf(made) - of("stripe") - of("convex");
  const names = ["stripe", "convex", "backend-billing"];
  const shares = names.map((name) => `${name} ${kB(of(name))}`);
  note(`${kB(sizeOf(made))}: ${shares.join(", ")}`);
  note(`with the example's own code ${kB(ours)} of at most ${kB(MOST)}`);
  return ours > MOST ? [`Library and example have ${kB(ours)}, more than ${kB(MOST)}`] : [];
}

async function loaded(made: Bundle, note: Note): Promise<Problem[]> {
  let contents: Contents;
  try {
    contents = await loadBundle(made);
  } catch (error) {
    return [`It cannot be loaded without secrets: ${error}`];
  }
  const { functions, routes, crons } = contents;
  note(`${functions.length} functions, ${routes.length} routes, ${crons.length} cron jobs`);
  for (const module of new Set(functions.map((each) => each.module))) {
    note(`loading ${module} loads ${kB(sizeOf(loadedBy(made, `${module}.js`)))}`);
  }
  const names = new Set(functions.map(({ name }) => name));
  return [
    ...functions
      .filter(({ validated }) => !validated)
      .map(({ name }) => `${name} does not validate its arguments or its result`),
    ...crons
      .filter(({ target }) => !names.has(target))
      .map(({ id, target }) => `The cron job "${id}" calls ${target}, which is not exported`),
    ...(routes.length === 0 ? ["There are no routes"] : []),
  ];
}

/** Vite builds the page, which knows its deployment by a variable that Convex sets. */
function page({ folder }: App, note: Note): Problem[] {
  const { ok, said } = run("vite/bin/vite.js", ["build", "--logLevel", "warn"], folder);
  if (!ok || said !== "") return [said];
  const assets = join(folder, "dist/assets");
  const files = readdirSync(assets);
  for (const file of files) note(`${file}: ${kB(statSync(join(assets, file)).size)}`);
  return ["js", "css"]
    .filter((ending) => !files.some((file) => file.endsWith(ending)))
    .map((ending) => `The page has no ${ending}`);
}

export const gates = { codegen, types, lint, bundle, page };
