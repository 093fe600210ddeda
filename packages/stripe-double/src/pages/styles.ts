/** The look of the hosted pages: one narrow style sheet, for small and large screens, light and dark. */
export const STYLES = `
:root {
  --page: #f6f7f9; --card: #ffffff; --ink: #1a1f36; --quiet: #515a72; --line: #d5dae3;
  --field: #ffffff; --edge: #7c8598; --faint: #6a7288; --accent: #4b3fd6; --on-accent: #ffffff;
  --banner: #fff1c9; --on-banner: #4d3800; --error: #a3122a; --error-page: #fdecee;
  --notice: #0b6138; --notice-page: #e5f6ec; --focus: #0a56d6;
}
@media (prefers-color-scheme: dark) {
  :root {
    --page: #10131c; --card: #191e2b; --ink: #eef0f6; --quiet: #b3bacb; --line: #343b4d;
    --field: #10131c; --edge: #8690a6; --faint: #98a1b8; --accent: #aaa3ff; --on-accent: #14102f;
    --banner: #3b2f0c; --on-banner: #ffe7a3; --error: #ffb3bd; --error-page: #3d151c;
    --notice: #9ce7bd; --notice-page: #10321f; --focus: #8db8ff;
  }
}
* { box-sizing: border-box; }
body {
  margin: 0; background: var(--page); color: var(--ink);
  font: 1rem/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif;
  min-height: 100vh; display: flex; flex-direction: column;
}
p, h1, h2, h3, ul, dl, dd, table, fieldset { margin: 0; padding: 0; }
a { color: var(--accent); text-underline-offset: 0.2em; }
:focus-visible { outline: 3px solid var(--focus); outline-offset: 2px; }
.skip { position: absolute; left: -100vw; }
.skip:focus { left: 1rem; top: 0.5rem; background: var(--card); padding: 0.5rem 1rem; z-index: 1; }
.banner { background: var(--banner); color: var(--on-banner); padding: 0.5rem 1rem; text-align: center; font-size: 0.875rem; }
main { width: 100%; max-width: 62rem; margin: 0 auto; padding: 1.5rem 1rem 3rem; flex: 1; display: grid; gap: 1.25rem; align-content: start; }
main.text { max-width: 46rem; }
main.narrow { max-width: 34rem; }
footer { padding: 1rem; text-align: center; color: var(--quiet); font-size: 0.8125rem; }
h1 { font-size: 1.625rem; line-height: 1.25; }
h2 { font-size: 1.125rem; line-height: 1.35; }
h3 { font-size: 1rem; }
.quiet, .hint { color: var(--quiet); }
.hint { font-size: 0.875rem; }
.columns { display: grid; gap: 1.25rem; align-items: start; }
@media (min-width: 52rem) { .columns { grid-template-columns: 1fr 1fr; gap: 2rem; } main { padding-top: 2.5rem; } }
.card { background: var(--card); border: 1px solid var(--line); border-radius: 0.75rem; padding: 1.25rem; display: grid; gap: 1rem; }
.stack { display: grid; gap: 1rem; }
.tight { display: grid; gap: 0.25rem; }
.rows { list-style: none; display: grid; gap: 0.75rem; }
.row { display: flex; justify-content: space-between; align-items: flex-start; gap: 1rem; }
.row > :last-child { text-align: right; white-space: nowrap; font-variant-numeric: tabular-nums; }
.total { border-top: 1px solid var(--line); padding-top: 0.75rem; }
.total > :last-child { font-weight: 600; }
.amount { font-size: 2rem; font-weight: 650; line-height: 1.2; font-variant-numeric: tabular-nums; }
.field { display: grid; gap: 0.25rem; align-content: start; }
label, legend { font-weight: 550; }
label .quiet, legend .quiet { font-weight: 400; }
input:not([type="radio"]), textarea, select {
  font: inherit; width: 100%; min-height: 2.75rem; padding: 0.5rem 0.75rem; color: inherit;
  background: var(--field); border: 1px solid var(--edge); border-radius: 0.5rem;
}
input[readonly] { background: var(--page); border-style: dashed; }
input::placeholder { color: var(--faint); opacity: 1; }
.pair { display: grid; grid-template-columns: 1fr 1fr; gap: 1rem; }
.joined { display: grid; grid-template-columns: 1fr auto; gap: 0.5rem; align-items: end; }
button, .button {
  font: inherit; font-weight: 600; min-height: 2.75rem; padding: 0.5rem 1.25rem; border-radius: 0.5rem;
  border: 1px solid var(--accent); background: var(--accent); color: var(--on-accent); cursor: pointer;
  text-decoration: none; display: inline-flex; align-items: center; justify-content: center;
}
.plain { background: transparent; color: var(--accent); }
.danger { background: transparent; color: var(--error); border-color: var(--error); }
.wide { width: 100%; }
.actions { display: flex; flex-wrap: wrap; gap: 0.75rem; }
.unseen { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; border: 0; padding: 0; min-height: 0; }
.message { border-radius: 0.5rem; border: 1px solid; padding: 0.75rem 1rem; }
.error { color: var(--error); background: var(--error-page); }
.notice { color: var(--notice); background: var(--notice-page); }
.badge { font-size: 0.8125rem; font-weight: 600; border: 1px solid currentColor; border-radius: 1rem; padding: 0.1rem 0.6rem; color: var(--quiet); white-space: nowrap; }
.badge.good { color: var(--notice); }
.badge.bad { color: var(--error); }
fieldset { border: 0; display: grid; gap: 0.75rem; min-width: 0; }
legend { padding: 0; margin-bottom: 0.75rem; }
.choice { display: flex; gap: 0.75rem; align-items: flex-start; border: 1px solid var(--edge); border-radius: 0.5rem; padding: 0.75rem; font-weight: inherit; cursor: pointer; }
.choice input { width: 1.25rem; height: 1.25rem; margin: 0.125rem 0 0; flex: none; accent-color: var(--accent); }
.choice:has(:checked) { border-color: var(--accent); box-shadow: inset 0 0 0 1px var(--accent); }
.entries > li { border-top: 1px solid var(--line); padding-top: 0.75rem; }
.entries > li:first-child { border-top: 0; padding-top: 0; }
code { font-family: ui-monospace, SFMono-Regular, Menlo, monospace; font-size: 0.9em; white-space: nowrap; }
pre { margin: 0; overflow-x: auto; font-size: 0.8125rem; }
summary { cursor: pointer; color: var(--quiet); font-size: 0.875rem; min-height: 1.5rem; }
details > :not(summary) { margin-top: 0.5rem; }
`;
