// The README, the security policy and the documentation stand at the root of the repository, where
// they are read; the package holds copies, made when it is packed and never checked in. A link of a
// copy that leads out of the package leads to the repository. All links of the README do, for npm's
// site shows it without the other files.
import { cpSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { posix } from "node:path";
import { fileURLToPath } from "node:url";

const at = (path) => fileURLToPath(new URL(path, import.meta.url));
const { files, repository } = JSON.parse(readFileSync(at("package.json"), "utf8"));
const home = repository.url.replace(/^git\+|\.git$/g, "");

for (const name of ["README.md", "SECURITY.md", "docs"]) {
  rmSync(at(name), { recursive: true, force: true });
  cpSync(at(`../../${name}`), at(name), {
    recursive: true,
    filter: (path) => !/[/\\]docs[/\\](reference|\.vitepress)/.test(path),
  });
}

/** The forms that "files" uses: `*` within a name, and `{one,other}`. */
const matches = (path) => (glob) =>
  new RegExp(
    `^${glob
      .replaceAll(".", "\\.")
      .replaceAll("*", "[^/]*")
      .replace(/\{(.*?)\}/g, (_, names) => `(${names.replaceAll(",", "|")})`)}$`,
  ).test(path);

const left = files.filter((glob) => glob.startsWith("!")).map((glob) => glob.slice(1));
const packed = (path) => files.some(matches(path)) && !left.some(matches(path));

function kindOf(target) {
  if (statSync(at(`../../${target}`)).isDirectory()) return "tree";
  return /\.(png|svg)$/.test(target) ? "raw" : "blob";
}

function address(page, link) {
  const [, path, anchor] = /^([^#]*)(.*)$/.exec(link);
  const target = posix.join(posix.dirname(page), path);
  if (path === "" || (page !== "README.md" && packed(target))) return link;
  return `${home}/${kindOf(target)}/main/${target}${anchor}`;
}

const docs = readdirSync(at("docs"), { recursive: true }).map(
  (name) => `docs/${name.replaceAll("\\", "/")}`,
);
for (const page of ["README.md", "SECURITY.md", ...docs.filter(packed)]) {
  const text = readFileSync(at(page), "utf8");
  // Code is left alone: its brackets mean something else.
  const links = /^ *```[\s\S]*?^ *```|`[^`\n]*`|\]\((?![a-z]+:)([^)\s]+)\)/gm;
  const outward = (all, link) => (link === undefined ? all : `](${address(page, link)})`);
  writeFileSync(at(page), text.replace(links, outward));
}
