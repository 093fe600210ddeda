/** What the page asks of a person: opens the application, subscribes, and pays with a test card. */
import { until } from "./folder.js";

const CARD = { number: "4242 4242 4242 4242", expiry: "12 / 34", cvc: "123", name: "Ada Lovelace" };

/** Without a browser: the forms are sent over HTTP, with the fields that a browser would send. */
export async function payByForm(home: string): Promise<void> {
  console.log(`  A person opens ${home}, subscribes and pays; here by sending the pages' forms`);
  const shop = await until("the application", () => fetch(home).then(textOf, () => undefined));
  const key = /name="key" value="([\w:]+)"/.exec(shop)?.[1];
  if (key === undefined) throw new Error(`Nothing can be bought:\n${shop}`);
  const checkout = await post(new URL("/buy", home), { key });
  const asked = await (await fetch(checkout)).text();
  const email = /name="email"/.test(asked) ? { email: "ada@example.com" } : {};
  const back = await post(checkout, { ...CARD, ...email });
  const welcome = await (await fetch(back)).text();
  if (!welcome.includes("You are subscribed")) throw new Error(`Not subscribed:\n${welcome}`);
  if (!welcome.includes("100 projects")) throw new Error(`The gate is closed:\n${welcome}`);
  const manage = await fetch(new URL("/manage", home));
  if (!manage.ok) throw new Error(`The portal answers ${manage.status}`);
  console.log("  The page says: You are subscribed. The portal opens.");
}

const textOf = async (response: Response): Promise<string | undefined> =>
  response.ok ? response.text() : undefined;

/** Sends a form, and answers where the browser would go next. */
async function post(url: URL, fields: { readonly [name: string]: string }): Promise<URL> {
  const body = new URLSearchParams(fields);
  const response = await fetch(url, { method: "POST", body, redirect: "manual" });
  const next = response.headers.get("location");
  if (next === null) throw new Error(`${url} answers ${response.status}: ${await response.text()}`);
  return new URL(next, url);
}
