/**
 * The documentation for language models, beside the site that is built: every page as Markdown at its
 * own address, `llms.txt`, which lists them in the order of the sidebar, and `llms-full.txt`, which
 * holds them all. The reference is generated, long, and only named.
 */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

export interface SidebarItem {
  readonly text?: string | undefined;
  readonly link?: string | undefined;
  readonly items?: readonly SidebarItem[] | undefined;
}

interface Page {
  /** Below `docs`, such as `start/postgres.md`. */
  readonly path: string;
  readonly title: string;
  readonly text: string;
}

interface Section {
  readonly title: string;
  readonly pages: readonly Page[];
}

/** What the sidebar names, in its order, and at the end every page that it does not name. */
function sectionsOf(docs: string, sidebar: readonly SidebarItem[]): Section[] {
  const all = readdirSync(docs, { recursive: true, encoding: "utf8" })
    .map((path) => path.replaceAll("\\", "/"))
    .filter((path) => /^(?!index\.md|reference\/|\.).*\.md$/.test(path))
    .sort();
  const named = sidebar
    .map(({ text = "", link, items = [] }) => ({
      title: text,
      paths: [{ link }, ...items].flatMap(({ link }) => (link ? pathOf(link) : [])),
    }))
    .map(({ title, paths }) => ({ title, paths: paths.filter((path) => all.includes(path)) }));
  const seen = new Set(named.flatMap(({ paths }) => paths));
  const others = { title: "Optional", paths: all.filter((path) => !seen.has(path)) };
  return [...named, others]
    .filter(({ paths }) => paths.length > 0)
    .map(({ title, paths }) => ({ title, pages: paths.map((path) => read(docs, path)) }));
}

const pathOf = (link: string): string =>
  `${link.replace(/^\//, "").replace(/(^|\/)$/, "$1index")}.md`;

function read(docs: string, path: string): Page {
  const text = readFileSync(join(docs, path), "utf8").replace(/^---\n[\s\S]*?\n---\n/, "");
  return { path, title: /^# (.+)$/m.exec(text)?.[1] ?? path, text: `${text.trim()}\n` };
}

/** The first sentence below the title, without its links. */
function summary({ text }: Page): string {
  const prose = text.replace(/^ *```[\s\S]*?^ *```|^(\*\*Status:|#).*$/gm, "");
  const paragraphs = prose.split(/\n{2,}/).map((each) => each.replaceAll("\n", " ").trim());
  const first = paragraphs.find((each) => /^[\p{L}`[*]/u.test(each)) ?? "";
  const plain = first.replace(/\[([^\]]*)\]\([^)]*\)/g, "$1").replaceAll("**", "");
  return /^.*?[.:](?= |$)/.exec(plain)?.[0].replace(/:$/, ".") ?? plain;
}

function listOf(sections: readonly Section[], head: string): string {
  const line = (page: Page) => `- [${page.title}](/${page.path}): ${summary(page)}`;
  const parts = sections.map(({ title, pages }) => `## ${title}\n\n${pages.map(line).join("\n")}`);
  return `${[head, ...parts].join("\n\n")}\n`;
}

const wholeOf = (sections: readonly Section[], head: string): string =>
  [head, ...sections.flatMap(({ pages }) => pages).map(whole)].join("\n\n");

const whole = ({ path, text }: Page): string => `<!-- /${path} -->\n\n${text}`;

export function writeForModels(
  { srcDir, outDir }: { readonly srcDir: string; readonly outDir: string },
  sidebar: readonly SidebarItem[],
): void {
  const sections = sectionsOf(srcDir, sidebar);
  const put = (path: string, text: string) => {
    mkdirSync(dirname(join(outDir, path)), { recursive: true });
    writeFileSync(join(outDir, path), text);
  };
  put(
    "llms.txt",
    listOf(sections, `${HEAD} Every page in one file: [llms-full.txt](/llms-full.txt).`),
  );
  put("llms-full.txt", wholeOf(sections, HEAD));
  for (const { path, text } of sections.flatMap(({ pages }) => pages)) put(path, text);
}

const HEAD = `# backend-billing

> Stripe billing inside a TypeScript backend, on Node with PostgreSQL or on Convex: a mirror of the
> Stripe data in the application's own database, one customer per entity, plans in code, gates, usage,
> and links to checkout, payments and the portal.

The packages are \`backend-billing\` and, for tests, \`stripe-double\`. The types of all exports are in
the reference of the site, /reference/, and in the packages themselves.`;
