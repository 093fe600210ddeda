/** The files that `init` writes. Pure: text from a project and two choices; a test compiles them all. */
import { posix } from "node:path";
import { DEFAULT_SCHEMA } from "../../postgres/schema/schema.js";
import type { PlatformName } from "../doctor/commands.js";
import { catalogueLines } from "./catalogue.js";
import type { Project } from "./project.js";

/** Of the public surface: `createStripe` is A, `createBilling` is B. */
export type Variant = "A" | "B";

export interface Template {
  readonly path: string;
  readonly content: string;
  /** What to add where the file is there already. */
  readonly snippet: string;
  /** Tells that a file has it. */
  readonly has: RegExp;
}

export function templatesFor(
  project: Project,
  platform: PlatformName,
  variant: Variant,
): readonly Template[] {
  const client = variant === "A" ? "stripe" : "billing";
  return platform === "convex" ? convex(project, client) : node(project, client);
}

const EXPORTS = {
  stripe: ["createStripe", "{ stripe, store, sync, setup }"],
  billing: ["createBilling", "{ billing, store, sync, portal, checkout, setup }"],
} as const;
type Client = keyof typeof EXPORTS;

/** A setting that most applications do not need. */
const APP =
  '  // app: "acme", // where several applications share the Stripe account: a name of its own';

const lines = (...all: readonly string[]): string => `${all.join("\n")}\n`;
/** A file whose snippet is all of it. */
const whole = (path: string, has: RegExp, content: string): Template => ({
  path,
  content,
  snippet: content,
  has,
});

const catalogue = (path: string, project: Project): Template =>
  whole(path, /defineCatalogue/, lines(...catalogueLines(project)));

function convex(project: Project, client: Client): Template[] {
  const { functions, typescript, convexEnv } = project;
  const [create, exported] = EXPORTS[client];
  const extension = typescript ? "ts" : "js";
  const file = (name: string) => `${functions}${name}.${extension}`;
  const own = `import { ${client} } from "./${client}";`;
  const env = convexEnv ? "env" : "process.env";
  return [
    catalogue(file("catalogue"), project),
    whole(
      file(client),
      /backend-billing\/convex/,
      lines(
        `import { ${create} } from "backend-billing/convex";`,
        ...(convexEnv ? ['import { env } from "./_generated/server";'] : []),
        'import { catalogue } from "./catalogue";',
        "",
        "// Where people come back to from Stripe's pages.",
        `export const site = ${env}.SITE_URL ?? "http://localhost:5173";`,
        "",
        "// Keep these names: the library calls `store` and `sync` itself.",
        `export const ${exported} = ${create}({`,
        `  secret_key: ${env}.STRIPE_SECRET_KEY,`,
        `  webhook_secret: ${env}.STRIPE_WEBHOOK_SECRET,`,
        APP,
        "  catalogue,",
        "  return_origins: [site],",
        "});",
      ),
    ),
    ...(convexEnv ? [convexConfig(file("convex.config"))] : []),
    {
      path: file("schema"),
      has: /billingTables|createTables/,
      content: lines(
        'import { billingTables } from "backend-billing/convex";',
        'import { defineSchema } from "convex/server";',
        "",
        "export default defineSchema({ ...billingTables });",
      ),
      snippet: lines(
        'import { billingTables } from "backend-billing/convex";',
        "// … and in defineSchema({ … }):",
        "  ...billingTables,",
      ),
    },
    {
      path: file("http"),
      has: /addHttpRoutes/,
      content: lines(
        'import { httpRouter } from "convex/server";',
        own,
        "",
        "const http = httpRouter();",
        `${client}.addHttpRoutes(http);`,
        "",
        "export default http;",
      ),
      snippet: lines(own, "// … and before the export:", `${client}.addHttpRoutes(http);`),
    },
    {
      path: file("crons"),
      has: /addCronJobs/,
      content: lines(
        'import { cronJobs } from "convex/server";',
        own,
        "",
        "const crons = cronJobs();",
        `${client}.addCronJobs(crons);`,
        "",
        "export default crons;",
      ),
      snippet: lines(own, "// … and before the export:", `${client}.addCronJobs(crons);`),
    },
  ];
}

/** Convex types `env` by it. A variable that is required would make the first push fail. */
function convexConfig(path: string): Template {
  const env = [
    "  env: {",
    "    STRIPE_SECRET_KEY: v.optional(v.string()),",
    "    STRIPE_WEBHOOK_SECRET: v.optional(v.string()),",
    "    SITE_URL: v.optional(v.string()),",
    "  },",
  ];
  const v = 'import { v } from "convex/values";';
  return {
    path,
    has: /STRIPE_WEBHOOK_SECRET/,
    content: lines(
      'import { defineApp } from "convex/server";',
      v,
      "",
      "export default defineApp({",
      ...env,
      "});",
    ),
    snippet: lines(v, "// … and in defineApp({ … }):", ...env),
  };
}

function node(project: Project, client: Client): Template[] {
  const { source, extension, dependencies, drizzleSchema } = project;
  const [create, exported] = EXPORTS[client];
  const billing = whole(
    `${source}billing.${extension}`,
    /backend-billing\/postgres/,
    lines(
      `import { ${create} } from "backend-billing/postgres";`,
      'import pg from "pg";',
      `import { catalogue } from "${importOf(project, "catalogue")}";`,
      "",
      "const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL });",
      'pool.on("error", (error) => console.error("A database connection was lost:", error.message));',
      "",
      `export const ${exported} = ${create}({`,
      "  secret_key: process.env.STRIPE_SECRET_KEY,",
      "  webhook_secret: process.env.STRIPE_WEBHOOK_SECRET,",
      APP,
      "  catalogue,",
      "  db: pool,",
      '  base_url: process.env.BASE_URL ?? "http://localhost:3000",',
      "});",
    ),
  );
  return [
    catalogue(`${source}catalogue.${extension}`, project),
    billing,
    routes(project, client),
    ...(dependencies.has("pg-boss") ? [jobs(project, client)] : []),
    ...(drizzleSchema === undefined ? [] : [schema(drizzleSchema)]),
    ...(drizzleSchema === undefined || project.drizzleConfig
      ? []
      : [drizzleConfig(`drizzle.config.${extension}`, drizzleSchema)]),
    environment,
  ];
}

const DRIZZLE = 'export * from "backend-billing/drizzle";';

const schema = (path: string): Template => whole(path, /backend-billing\/drizzle/, lines(DRIZZLE));

/** drizzle-kit reads no other schema file than the one that is named here. */
const drizzleConfig = (path: string, schemaFile: string): Template =>
  whole(
    path,
    /defineConfig/,
    lines(
      'import { defineConfig } from "drizzle-kit";',
      "",
      "export default defineConfig({",
      '  dialect: "postgresql",',
      `  schema: "./${schemaFile}",`,
      '  out: "./drizzle",',
      `  schemaFilter: ["public", "${DEFAULT_SCHEMA}"], // what \`drizzle-kit push\` looks at`,
      '  dbCredentials: { url: process.env.DATABASE_URL ?? "" },',
      "});",
    ),
  );

const environment: Template = whole(
  ".env.example",
  /STRIPE_WEBHOOK_SECRET/,
  lines(
    "# https://dashboard.stripe.com/apikeys",
    "STRIPE_SECRET_KEY=sk_test_",
    "# Printed by `npx backend-billing sync --webhook`",
    "STRIPE_WEBHOOK_SECRET=whsec_",
    "DATABASE_URL=postgres://localhost:5432/app",
    "# Where this application is reached",
    "BASE_URL=http://localhost:3000",
  ),
);

function routes(project: Project, client: Client): Template {
  const { server, source, extension, typescript } = project;
  const own = `import { ${client} } from "${importOf(project, "billing")}";`;
  const path = `${source}billing-routes.${extension}`;
  const typed = (annotation: string) => (typescript ? annotation : "");
  switch (server) {
    case "next": {
      const route = `${source}app/stripe/[...path]/route.${extension}`;
      const up = posix.relative(posix.dirname(route), `${source}billing`);
      return whole(
        route,
        /\.fetch\(/,
        lines(
          `import { ${client} } from "${up}${typescript ? "" : `.${extension}`}";`,
          "",
          'export const runtime = "nodejs";',
          "",
          "// POST /stripe/webhook and GET /stripe/return/*",
          `export const POST = (request${typed(": Request")}) => ${client}.fetch(request);`,
          "export const GET = POST;",
        ),
      );
    }
    case "hono":
      return whole(
        path,
        /addHttpRoutes/,
        lines(
          'import { Hono } from "hono";',
          own,
          "",
          '// POST /stripe/webhook and GET /stripe/return/*. In your application: app.route("/", billingRoutes)',
          "export const billingRoutes = new Hono();",
          `${client}.addHttpRoutes(billingRoutes);`,
        ),
      );
    case "express":
      return whole(
        path,
        /nodeHandler/,
        lines(
          'import { Router } from "express";',
          own,
          "",
          "// POST /stripe/webhook and GET /stripe/return/*. In your application, before express.json():",
          "// app.use(billingRoutes)",
          `export const billingRoutes${typed(": Router")} = Router();`,
          `billingRoutes.use("/stripe", ${client}.nodeHandler);`,
        ),
      );
    case "fastify":
      return whole(
        path,
        /nodeHandler/,
        lines(
          ...(typescript ? ['import type { FastifyInstance } from "fastify";'] : []),
          own,
          "",
          "// POST /stripe/webhook and GET /stripe/return/*. In your application: app.register(billingRoutes)",
          `export async function billingRoutes(app${typed(": FastifyInstance")}) {`,
          "  // The library reads the body itself, because its bytes are what was signed.",
          "  app.removeAllContentTypeParsers();",
          '  app.addContentTypeParser("*", (_request, _payload, done) => done(null));',
          '  app.all("/stripe/*", (request, reply) => {',
          "    reply.hijack();",
          `    return ${client}.nodeHandler(request.raw, reply.raw);`,
          "  });",
          "}",
        ),
      );
    case "node":
      return whole(
        `${source}billing-server.${extension}`,
        /nodeHandler/,
        lines(
          'import { createServer } from "node:http";',
          own,
          "",
          "// POST /stripe/webhook and GET /stripe/return/*",
          `createServer((request, response) => void ${client}.nodeHandler(request, response)).listen(3000);`,
        ),
      );
  }
}

function jobs(project: Project, client: Client): Template {
  const { source, extension } = project;
  return whole(
    `${source}billing-jobs.${extension}`,
    /addCronJobs/,
    lines(
      'import { PgBoss } from "pg-boss";',
      `import { ${client} } from "${importOf(project, "billing")}";`,
      "",
      "// Call it where your application starts, in every instance.",
      "export async function startBillingJobs() {",
      '  const boss = new PgBoss(process.env.DATABASE_URL ?? "");',
      '  boss.on("error", (error) => console.error("A scheduled job failed:", error.message));',
      "  await boss.start();",
      `  await ${client}.addCronJobs(boss);`,
      "  return boss;",
      "}",
    ),
  );
}

/** TypeScript takes a module by the name that it will have once compiled; Next.js by none. */
function importOf({ server, extension, importsSource }: Project, name: string): string {
  if (extension !== "ts" || importsSource) return `./${name}.${extension}`;
  return server === "next" ? `./${name}` : `./${name}.js`;
}
