// Run by remote.ts in a process of its own: starts a subject, serves its routes on a port, and does
// what it is told.
import { subjects } from "../subjects/index.js";
import { redirectStripe } from "./redirect.js";
import type { Call, Said } from "./remote.js";
import { serve } from "./serve.js";
import type { Installed, Surroundings } from "./subject.js";

const { subject, around, installed } = JSON.parse(process.argv[2] ?? "") as {
  subject: string;
  around: Surroundings;
  installed: Installed;
};
const say = (said: Said) => process.send?.(said);

redirectStripe(around.secretKey, around.stripe.port);
const found = subjects.find(({ name }) => name === subject);
if (found === undefined) throw new Error(`There is no subject ${subject}`);
const instance = await found.start(around, installed);
const { url } = await serve((request) => instance.fetch(request));

process.on("message", async ({ call, method, args }: Call) => {
  try {
    const methods = instance as unknown as { [name: string]: (...args: unknown[]) => unknown };
    say({ call, result: await methods[method]?.(...args) });
  } catch (error) {
    say({ call, error: String(error) });
  }
});
process.on("disconnect", () => process.exit());
say({ listening: url });
