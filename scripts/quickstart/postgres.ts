/** docs/start/postgres.md, from an empty folder to a paid subscription. */
import { createServer } from "node:net";
import { startPostgres } from "../../support/postgres/server.js";
import { makeFolder, pageOf, type Replacements, until } from "./folder.js";
import { payByForm } from "./person.js";

const PAGE = "docs/start/postgres.md";
const [APP, EMULATOR] = [3000, 12_111];

/** README.md has the same blocks without the explanations, so one walk shows both. */
export function checkReadme(): void {
  const readme = pageOf("README.md");
  for (const [index, { code, line }] of pageOf(PAGE).entries()) {
    if (readme[index]?.code === code) continue;
    throw new Error(`${PAGE}:${line} and README.md:${readme[index]?.line} differ:\n${code}`);
  }
}

export async function followPostgres(tarball: string, double: string): Promise<void> {
  const server = await startPostgres();
  const ports = [await portFor(APP), await portFor(EMULATOR)] as const;
  // Ports first: nothing that is put in afterwards must be taken for one of them.
  const replacements = (): Replacements => [
    ...elsewhere(ports),
    ["npm install backend-billing ", `npm install ${tarball} `, "this repository's, packed"],
    ["--save-dev stripe-double", `--save-dev ${double}`, "this repository's, packed"],
    ["postgres://…", server.url, "a PostgreSQL of its own"],
    ["sk_test_…", keyIn(folder.said()) ?? "", "what the emulator printed"],
  ];
  const folder = makeFolder(replacements);
  try {
    for (const block of pageOf(PAGE)) {
      if (block.file === ".env") {
        await until("the emulator's key", () => keyIn(folder.said()));
      }
      await folder.follow(block);
    }
    await payByForm(`http://localhost:${ports[0]}/`);
  } catch (error) {
    console.error(folder.said());
    throw error;
  } finally {
    await folder.close();
    await server.stop();
  }
}

/** What changes on the page where one of its ports is taken. */
function elsewhere([app, emulator]: readonly [number, number]): Replacements {
  if (app === APP && emulator === EMULATOR) return [];
  return [
    [`:${APP}`, `:${app}`],
    [`port: ${APP}`, `port: ${app}`],
    [`port: ${EMULATOR}`, `port: ${emulator}`],
    [`127.0.0.1:${EMULATOR}`, `127.0.0.1:${emulator}`],
    ["npx backend-billing emulator", `npx backend-billing emulator --port ${emulator}`],
  ];
}

const keyIn = (said: string): string | undefined => /sk_test_\w+/.exec(said)?.[0];

/** The port that the page names, or a free one where that is taken. */
async function portFor(wanted: number): Promise<number> {
  return (await tryPort(wanted)) ?? (await tryPort(0)) ?? wanted;
}

function tryPort(port: number): Promise<number | undefined> {
  return new Promise((resolve) => {
    const probe = createServer().once("error", () => resolve(undefined));
    probe.listen(port, "127.0.0.1", () => {
      const address = probe.address();
      probe.close(() => resolve(typeof address === "object" ? address?.port : undefined));
    });
  });
}
