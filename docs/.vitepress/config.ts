/**
 * The documentation site. Everything is local: fonts, search and pictures, so that it builds and
 * works without a network. A link that leads nowhere fails the build.
 */
import { existsSync, readFileSync } from "node:fs";
import { dirname, relative, resolve } from "node:path";
import { type DefaultTheme, defineConfig, type MarkdownOptions } from "vitepress";
import { writeForModels } from "../../scripts/docs/llms.js";

const docs = resolve(import.meta.dirname, "..");
const root = resolve(docs, "..");
const { repository } = JSON.parse(
  readFileSync(resolve(root, "packages/backend-billing/package.json"), "utf8"),
);
/** Such as https://host/owner/name, once the package names it. */
const home: string | undefined = repository?.url?.replace(/^git\+|\.git$/g, "");

/** VitePress looks at the links of pages, but not at those of the sidebar. */
function present(items: DefaultTheme.SidebarItem[]): DefaultTheme.SidebarItem[] {
  const missing = items.find(({ link }) => !existsSync(`${docs}${link}.md`));
  if (missing) throw new Error(`The sidebar names ${missing.link}, which is not there`);
  return items;
}

export default defineConfig({
  title: "backend-billing",
  description: "Stripe billing inside your TypeScript backend.",
  lang: "en",
  cleanUrls: true,
  lastUpdated: false,
  ignoreDeadLinks: "localhostLinks",
  markdown: { config: linkOutside },
  // The index of the search is one chunk, loaded when somebody searches.
  vite: { build: { chunkSizeWarningLimit: 4000 } },
  buildEnd: (site) => writeForModels(site, site.site.themeConfig.sidebar),
  themeConfig: {
    search: { provider: "local" },
    outline: [2, 3],
    nav: [
      { text: "Start", link: "/start/postgres" },
      { text: "Concepts", link: "/concepts" },
      { text: "Reference", link: "/reference/" },
    ],
    sidebar: [
      {
        text: "Start",
        items: present([
          { text: "Node and PostgreSQL", link: "/start/postgres" },
          { text: "Convex", link: "/start/convex" },
          { text: "Two variants", link: "/variants" },
          { text: "Running subscriptions", link: "/subscriptions" },
          { text: "Concepts", link: "/concepts" },
          { text: "Plans in code", link: "/plans" },
          { text: "Selling", link: "/selling" },
          { text: "One-time purchases", link: "/purchases" },
          { text: "Reading subscriptions", link: "/reading" },
          { text: "Gates", link: "/gates" },
          { text: "Usage and credits", link: "/usage" },
          { text: "A pricing page", link: "/pricing-page" },
          { text: "Reactions", link: "/reactions" },
          { text: "Erasing an entity", link: "/erase" },
          { text: "Resources", link: "/resources" },
        ]),
      },
      {
        text: "Guides",
        items: present([
          { text: "Servers", link: "/recipes/servers" },
          { text: "Serverless", link: "/recipes/serverless" },
          { text: "Sign-in libraries", link: "/recipes/auth" },
          { text: "Reactions at work", link: "/recipes/reactions" },
          { text: "Roles and data APIs", link: "/recipes/roles" },
          { text: "Pools and hosted PostgreSQL", link: "/recipes/pools" },
          { text: "Prisma, Kysely and Drizzle", link: "/recipes/orms" },
          { text: "After a restore", link: "/recipes/restore" },
          { text: "Convex in detail", link: "/platforms/convex" },
          { text: "Sync", link: "/sync" },
          { text: "Testing", link: "/testing" },
          { text: "The double of Stripe", link: "/stripe-double" },
          { text: "Tests with the double", link: "/recipes/double" },
          { text: "Methods of the double", link: "/stripe-double-methods" },
          { text: "The command line", link: "/cli" },
          { text: "Doctor", link: "/doctor" },
          { text: "Observability", link: "/observability" },
          { text: "Errors", link: "/errors" },
          { text: "Upgrading", link: "/upgrading" },
        ]),
      },
      {
        text: "Moving from",
        link: "/moving/",
        collapsed: true,
        items: present([
          { text: "@stripe/sync-engine", link: "/moving/stripe-sync-engine" },
          { text: "better-auth's Stripe plugin", link: "/moving/better-auth" },
          { text: "@convex-dev/stripe", link: "/moving/convex-dev-stripe" },
          { text: "@raideno/convex-stripe", link: "/moving/raideno-convex-stripe" },
        ]),
      },
      {
        text: "How it is shown",
        items: present([
          { text: "Consistency", link: "/consistency" },
          { text: "Security", link: "/security" },
          { text: "Scale", link: "/scale" },
          { text: "Reliability", link: "/reliability" },
          ...(existsSync(`${docs}/benchmarks.md`)
            ? [{ text: "Benchmarks", link: "/benchmarks" }]
            : []),
          { text: "The torture suite", link: "/torture" },
          { text: "The specification", link: "/spec" },
          { text: "Architecture", link: "/architecture" },
          { text: "Decisions", link: "/decisions/README" },
        ]),
      },
      { text: "Reference", link: "/reference/" },
    ],
    docFooter: { prev: false, next: false },
    ...(home === undefined ? {} : { socialLinks: [{ icon: "github", link: home }] }),
  },
});

/**
 * Pages link to files of the repository by relative paths, as they must on its own host. Here such
 * a link leads to that host, or, as long as package.json names none, is shown as plain text.
 */
function linkOutside(md: Parameters<NonNullable<MarkdownOptions["config"]>>[0]): void {
  md.core.ruler.push("link-outside", ({ tokens, env }) => {
    for (const { children } of tokens) {
      const open: boolean[] = [];
      for (const token of children ?? []) {
        if (token.type === "link_close" && open.pop()) token.tag = "span";
        if (token.type !== "link_open") continue;
        const target = outside(env.path, String(token.attrGet("href")));
        open.push(target !== undefined && home === undefined);
        if (target === undefined) continue;
        token.attrs = home ? [["href", `${home}/blob/main/${target}`]] : [["title", target]];
        if (home === undefined) Object.assign(token, { type: "outside_open", tag: "span" });
      }
    }
  });
}

/** The path in the repository that a page links to, if it is not a page itself. */
function outside(page: string, href: string): string | undefined {
  if (!/^\.{0,2}\//.test(href) && !/^[\w-]+\.(ts|md)/.test(href)) return undefined;
  const file = resolve(dirname(page), href.replace(/[#?].*$/, ""));
  if (!relative(docs, file).startsWith("..")) return undefined;
  if (!existsSync(file)) throw new Error(`${relative(root, page)} links to ${href}: no such file`);
  return relative(root, file);
}
