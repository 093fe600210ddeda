/** Bar charts as SVG, which follow the reader's light or dark setting. Pure. */

export interface Bar {
  readonly label: string;
  readonly value: number;
  /** What is printed beside the bar. */
  readonly text: string;
  readonly ours: boolean;
}

const WIDTH = 720;
const LABELS = 220;
const VALUES = 150;
const ROW = 30;
const TOP = 56;

const STYLE = `
  .title { font: 600 15px system-ui, sans-serif; fill: #1f2328; }
  .note { font: 12px system-ui, sans-serif; fill: #59636e; }
  .label, .value { font: 13px system-ui, sans-serif; fill: #1f2328; }
  .bar { fill: #8c959f; }
  .ours { fill: #0969da; }
  @media (prefers-color-scheme: dark) {
    .title, .label, .value { fill: #f0f6fc; }
    .note { fill: #9198a1; }
    .bar { fill: #656c76; }
    .ours { fill: #4493f8; }
  }`;

const escaped = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");

export function barChart(title: string, note: string, bars: readonly Bar[]): string {
  const most = Math.max(...bars.map(({ value }) => value));
  const room = WIDTH - LABELS - VALUES;
  const height = TOP + ROW * bars.length + 8;
  const rows = bars.map(({ label, value, text, ours }, index) => {
    const y = TOP + ROW * index;
    const length = Math.max(2, (room * value) / most);
    return `  <text class="label" x="${LABELS - 10}" y="${y + 15}" text-anchor="end">${escaped(label)}</text>
  <rect class="bar${ours ? " ours" : ""}" x="${LABELS}" y="${y}" width="${length.toFixed(1)}" height="20" rx="3"/>
  <text class="value" x="${(LABELS + length + 8).toFixed(1)}" y="${y + 15}">${escaped(text)}</text>`;
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" width="${WIDTH}" height="${height}" role="img" aria-label="${escaped(title)}">
  <style>${STYLE}
  </style>
  <text class="title" x="16" y="24">${escaped(title)}</text>
  <text class="note" x="16" y="42">${escaped(note)}</text>
${rows.join("\n")}
</svg>
`;
}
