/**
 * The walls between the folders of `src`, and around `test`: who may not import what, and why. Biome has no way to say
 * a rule once for several folders, so scripts/generate-boundaries.ts writes biome.boundaries.json
 * from this table, and test/package/boundaries.test.ts proves each wall.
 *
 * Specifiers are compared as they stand in the file, with gitignore's patterns. For a file, the last
 * row that includes it counts, and no other.
 */

interface Wall {
  /** What is refused; `!` takes something out again. */
  readonly group: readonly string[];
  /** Only these names of it are refused. */
  readonly importNamePattern?: string;
  readonly message: string;
}

interface Row {
  /** `src` is that of packages/backend-billing. */
  readonly includes: readonly string[];
  readonly walls: readonly Wall[];
}

const ownName: Wall = {
  group: ["backend-billing", "backend-billing/**"],
  message: "Import the file itself, not this package by its name.",
};
const commandLine: Wall = {
  group: ["commander", "@clack/**"],
  message: "Only src/cli may import the packages of the command line.",
};
const cli: Wall = { group: ["**/cli/**"], message: "Only src/cli may import from src/cli." };
const testing: Wall = {
  group: ["**/testing/**"],
  message: "Only src/testing and src/cli may import from src/testing.",
};
const noConvex = (folder: string): Wall => ({
  group: ["convex", "**/convex/**"],
  message: `src/${folder} must not import Convex or src/convex.`,
});
const noPostgres: Wall = {
  group: [
    ...["pg", "pg/**", "pg-boss", "pg-boss/**", "drizzle-orm", "drizzle-orm/**"],
    ...["**/postgres/**", "**/drizzle/**"],
  ],
  message: "src/convex must not import PostgreSQL packages, src/postgres or src/drizzle.",
};
const noHost = (folder: string): Wall => ({
  group: ["**/node/**", "**/pg-boss/**"],
  message: `src/${folder} must not import src/node or src/pg-boss${
    folder === "postgres" ? ": only billing.ts and index.ts put a host over the store" : ""
  }.`,
});
const anyStore: Wall = {
  group: ["pg", "pg/**", "drizzle-orm", "drizzle-orm/**", "**/postgres/**", "**/drizzle/**"],
  message:
    "src/node must not import PostgreSQL packages, src/postgres or src/drizzle: it takes any store.",
};

const tests: Wall = {
  group: ["**/test/**"],
  message: "Nothing imports from test: what tests share with others is in support.",
};

/** What is written to the mirrored tables was judged by the rule, in a store's commit. */
const judge: Wall = {
  group: ["**/rule.js"],
  importNamePattern: "judge|\\*",
  message: "Only mirror/plan.ts judges a snapshot: what is judged elsewhere is not written.",
};
const plan: Wall = {
  group: ["**/mirror/plan.js"],
  importNamePattern: "planCommit|planReading|\\*",
  message: "Only a store's commit may plan one.",
};
const postgresCommit: Wall = {
  group: ["**/postgres/commit/**"],
  message: "Only the store on PostgreSQL may import the statements of a commit.",
};
const ownCommit: Wall = {
  group: ["**/commit/**", "!**/core/**"],
  message: postgresCommit.message,
};
const convexCommit: Wall = {
  group: ["**/store/commit.js", "./commit.js", "../commit.js"],
  importNamePattern: "commit|\\*",
  message: "Only the `store` mutation of Convex may commit.",
};

const convexWriter: Wall = {
  group: ["**/database.js"],
  importNamePattern: "mirrorWriterOf|\\*",
  message: "Only a commit may write to the mirrored tables of Convex.",
};

const double: Wall = {
  group: ["stripe-double", "stripe-double/**", "**/stripe-double/**"],
  message: "Only src/testing and src/cli may import the double of Stripe, by its name.",
};

const pushing: Wall = {
  group: ["**/push/**"],
  message: "Only src/testing and src/cli may import from src/push.",
};

const everywhere = [ownName, commandLine, cli, judge, plan, postgresCommit];
const platform = [...everywhere, testing, double, pushing];
const database = [noConvex("postgres"), noHost("postgres")];
const noNode = [noPostgres, noHost("convex")];

const onlyCore =
  "src/core may import only its own files and `stripe`: it runs where there is no Node and no database.";
/** By how deep a file is below src/core. */
const inCore: readonly Wall[] = [
  { group: ["**", "!stripe", "!./**", "**/../**"], message: onlyCore },
  {
    group: ["**", "!stripe", "!./**", "!../**", "./**/../**", "../*/**/../**", "../../**"],
    message: onlyCore,
  },
  {
    group: ["**", "!stripe", "!./**", "!../**", "./**/../**", "../*/**/../**"],
    message: onlyCore,
  },
];

/** The rooms of the core, from the ground. A room uses only what is below it. */
const floors = [
  ["plans"],
  ["catalogue"],
  ["mirror"],
  ["runtime"],
  ["stripe"],
  ["customers"],
  ["events"],
  ["subscriptions"],
  ["purchases"],
  ["reactions"],
  ["usage"],
  ["links", "sync", "erase"],
];

/** What a room must not use, from a file that is so deep below src/core. */
function roomWalls(room: string, depth: 1 | 2): Wall[] {
  const floor = floors.findIndex((rooms) => rooms.includes(room));
  const others = floors
    .slice(floor)
    .flat()
    .filter((other) => other !== room);
  const message = `src/core/${room} may use only the rooms of the core below it: ${
    floors.slice(0, floor).flat().join(", ") || "none"
  }.`;
  const roof = depth === 1 ? "../*.js" : "../../*.js";
  const above: Wall = { group: [...others.map((other) => `**/${other}/**`), roof], message };
  return [...inCore.slice(depth, depth + 1), above, judge, plan];
}

const rooms = floors.flat().flatMap((room): Row[] => [
  { includes: [`src/core/${room}/*`], walls: roomWalls(room, 1) },
  { includes: [`src/core/${room}/*/**`], walls: roomWalls(room, 2) },
]);

const rows: readonly Row[] = [
  { includes: ["support/**", "scripts/**", "proof/**"], walls: [tests] },
  {
    includes: ["packages/stripe-double/src/**"],
    walls: [
      {
        group: ["backend-billing", "**/backend-billing/**", "../../../**", "../../../../**"],
        message: "stripe-double is a product of its own: it imports nothing of backend-billing.",
      },
      {
        group: ["stripe-double", "stripe-double/**"],
        message: "Import the file itself, not this package by its name.",
      },
    ],
  },
  { includes: ["src/**"], walls: platform },
  { includes: ["src/cli/**"], walls: [ownName, judge, plan, postgresCommit] },
  { includes: ["src/testing/**"], walls: everywhere },
  {
    includes: ["src/memory/**"],
    walls: [
      {
        group: ["**", "!./**", "!../core/**", "./**/../**", "../core/**/../**"],
        message: "src/memory may import only src/core: it is the plainest reading of the port.",
      },
      judge,
    ],
  },
  { includes: ["src/node/**"], walls: [...platform, noConvex("node"), anyStore] },
  {
    includes: ["src/pg-boss/**"],
    walls: [
      {
        group: ["**", "!./**", "!../core/**", "./**/../**", "../core/**/../**"],
        message: "src/pg-boss may import only src/core: it takes pg-boss as it is given.",
      },
      judge,
      plan,
    ],
  },
  {
    includes: ["src/push/**"],
    walls: [
      {
        group: ["**", "!stripe", "!./**", "!../core/**", "./**/../**", "../core/**/../**"],
        message: "src/push may import only src/core and `stripe`: tests and emulators use it, too.",
      },
      judge,
      plan,
    ],
  },
  {
    includes: ["src/postgres/**"],
    walls: [...platform, ownCommit, ...database],
  },
  {
    includes: ["src/postgres/{billing,index}.ts"],
    walls: [...platform, ownCommit, noConvex("postgres")],
  },
  {
    includes: ["src/postgres/store/store.ts"],
    walls: [...platform, ...database],
  },
  {
    includes: ["src/postgres/commit/**"],
    walls: [...platform.filter((wall) => wall !== plan), ...database],
  },
  { includes: ["src/drizzle/**"], walls: [...platform, noConvex("drizzle"), noHost("drizzle")] },
  { includes: ["src/convex/**"], walls: [...platform, convexCommit, convexWriter, ...noNode] },
  {
    includes: ["src/convex/calls/mutation.ts"],
    walls: [...platform, convexWriter, ...noNode],
  },
  {
    includes: ["src/convex/store/commit.ts"],
    walls: [...platform.filter((wall) => wall !== plan), ...noNode],
  },
  {
    includes: ["src/opentelemetry/**"],
    walls: [
      {
        group: [
          "**",
          "!@opentelemetry/api",
          "!./**",
          "!../core/**",
          "./**/../**",
          "../core/**/../**",
        ],
        message:
          "src/opentelemetry may import only src/core and `@opentelemetry/api`: it runs on every platform.",
      },
    ],
  },
  {
    includes: ["src/index.ts"],
    walls: [
      {
        group: ["**", "!./core/**", "**/../**"],
        message: "src/index.ts may import only from src/core.",
      },
      judge,
      plan,
    ],
  },
  { includes: ["src/core/*"], walls: [...inCore.slice(0, 1), judge, plan] },
  ...rooms,
  {
    includes: ["src/core/mirror/plan.ts"],
    walls: roomWalls("mirror", 1).filter((wall) => wall !== judge),
  },
];

/** The rows as Biome reads them. */
export function configuration(): string {
  const lines = rows.map(({ includes: paths, walls }) => {
    const includes = paths.map((path) => path.replace(/^src\//, "packages/backend-billing/src/"));
    const noRestrictedImports = { level: "error", options: { patterns: walls } };
    return JSON.stringify({ includes, linter: { rules: { style: { noRestrictedImports } } } });
  });
  return `{ "overrides": [\n${lines.join(",\n")}\n] }\n`;
}
