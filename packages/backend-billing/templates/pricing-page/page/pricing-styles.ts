/** How the pricing page looks. Quotes and angle brackets would be escaped when rendered on a server. */
export const styles = `
.pricing {
  --ink: light-dark(#1c2230, #eef1f6);
  --quiet: light-dark(#5a6374, #a8b1c2);
  --line: light-dark(#dfe3ea, #333c4b);
  --card: light-dark(#ffffff, #1a202b);
  --accent: light-dark(#2b4fd8, #9db4ff);
  --on-accent: light-dark(#ffffff, #0d1634);
  --bad: light-dark(#a3152c, #ffb0b9);
  color-scheme: light dark;
  box-sizing: border-box;
  max-width: 64rem;
  margin: 0 auto;
  padding: 2.5rem 1rem 4rem;
  color: var(--ink);
  font: 1rem/1.5 system-ui, sans-serif;
}
.pricing :is(h1, h2, p, ul, dl, dd, fieldset) { margin: 0; padding: 0; }
.pricing h1 { font-size: 2rem; line-height: 1.2; }
.pricing h2 { font-size: 1.125rem; }
.pricing p { color: var(--quiet); }
.pricing [role=status] { margin-top: 0.25rem; }
.pricing [role=alert] {
  margin-top: 1rem;
  padding: 0.75rem 1rem;
  border: 1px solid currentColor;
  border-radius: 0.5rem;
  color: var(--bad);
}
.pricing button {
  min-height: 2.75rem;
  padding: 0.5rem 1.25rem;
  border: 1px solid var(--accent);
  border-radius: 0.5rem;
  background: none;
  color: var(--accent);
  font: inherit;
  font-weight: 600;
  cursor: pointer;
}
.pricing button:disabled { cursor: default; opacity: 0.6; }
.pricing button:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
.pricing .pricing-switch { display: inline-flex; margin-top: 1.5rem; border: 0; }
.pricing-switch legend { position: absolute; clip-path: inset(50%); }
.pricing .pricing-switch button { min-height: 2.5rem; border-radius: 0; border-color: var(--line); color: var(--quiet); }
.pricing .pricing-switch button:first-of-type { border-radius: 0.5rem 0 0 0.5rem; }
.pricing .pricing-switch button:last-of-type { border-radius: 0 0.5rem 0.5rem 0; }
.pricing .pricing-switch button[aria-pressed=true],
.pricing .pricing-strong,
.pricing .pricing-plan button:is([data-step=start], [data-step=try], [data-step=switch], [data-step=pay]) {
  border-color: var(--accent);
  background: var(--accent);
  color: var(--on-accent);
}
.pricing .pricing-plans {
  display: grid;
  grid-template-columns: repeat(auto-fit, minmax(min(100%, 17rem), 1fr));
  gap: 1rem;
  margin-top: 1.5rem;
  list-style: none;
}
.pricing-plan {
  display: flex;
  flex-direction: column;
  gap: 0.75rem;
  padding: 1.5rem;
  border: 1px solid var(--line);
  border-radius: 0.75rem;
  background: var(--card);
}
.pricing-plan[data-current=true] { border-color: var(--accent); box-shadow: 0 0 0 1px var(--accent); }
.pricing-plan h2 { display: flex; justify-content: space-between; align-items: baseline; }
.pricing-plan small { color: var(--accent); font-size: 0.875rem; }
.pricing-plan strong { color: var(--ink); font-size: 2rem; line-height: 1.2; }
.pricing .pricing-plan ul { flex: 1; padding-left: 1.125rem; color: var(--quiet); list-style: disc; }
.pricing .pricing-actions { display: flex; flex-wrap: wrap; gap: 0.75rem; margin-top: 1.5rem; }
.pricing-confirm {
  width: min(26rem, 100% - 2rem);
  box-sizing: border-box;
  padding: 1.5rem;
  border: 1px solid var(--line);
  border-radius: 0.75rem;
  background: var(--card);
  color: var(--ink);
}
.pricing-confirm::backdrop { background: rgb(0 0 0 / 0.5); }
.pricing .pricing-confirm dl { display: grid; gap: 0.5rem; margin: 1rem 0; }
.pricing-confirm dl div { display: flex; justify-content: space-between; gap: 1rem; color: var(--quiet); }
.pricing-confirm dl .pricing-due { padding-top: 0.5rem; border-top: 1px solid var(--line); color: var(--ink); font-weight: 600; }
`;
