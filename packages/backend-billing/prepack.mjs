// The README, the security policy and the documentation stand at the root of the repository, where
// they are read; the package holds copies, made when it is packed and never checked in.
import { cpSync, rmSync } from "node:fs";
import { fileURLToPath } from "node:url";

const at = (path) => fileURLToPath(new URL(path, import.meta.url));

for (const name of ["README.md", "SECURITY.md", "docs"]) {
  rmSync(at(name), { recursive: true, force: true });
  cpSync(at(`../../${name}`), at(name), {
    recursive: true,
    filter: (path) => !/[/\\]docs[/\\](reference|\.vitepress)/.test(path),
  });
}
