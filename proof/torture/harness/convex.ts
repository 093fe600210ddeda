/**
 * What the Convex subjects share: an application under `convex-test`, whose data is in memory. A
 * subject that is started again in the same surroundings is pushed anew, over the same data.
 */

/** The part of `convex-test` that is used; each subject brings its own copy. */
export interface ConvexTest {
  fetch(path: string, init?: RequestInit): Promise<Response>;
  action<Result>(call: (context: object) => Promise<Result>): Promise<Result>;
  action<Result>(reference: unknown, args: object): Promise<Result>;
  mutation<Result>(call: (context: object) => Promise<Result>): Promise<Result>;
  query<Result>(call: (context: object) => Promise<Result>): Promise<Result>;
  run<Result>(read: (context: Reader) => Promise<Result>): Promise<Result>;
  runInComponent<Result>(path: string, read: (context: Reader) => Promise<Result>): Promise<Result>;
  registerComponent(path: string, schema: unknown, modules: Modules): void;
}

interface Reader {
  readonly db: { query(table: string): { collect(): Promise<object[]> } };
}

export type Modules = { readonly [path: string]: () => Promise<unknown> };

/** What the application's files export, by their names. */
export type Files = { readonly [name: string]: object };

const deployments = new Map<string, { files: Files; readonly test: ConvexTest }>();

/** Pushes files to the deployment at this address; makes it if there is none. */
export function push(
  url: string,
  files: Files,
  make: (modules: Modules) => ConvexTest,
): ConvexTest {
  const known = deployments.get(url);
  if (known !== undefined) {
    known.files = files;
    return known.test;
  }
  const modules = Object.keys(files).map((name) => [
    `./${name}.js`,
    async () => deployments.get(url)?.files[name],
  ]);
  const test = make({ "./_generated/api.js": async () => ({}), ...Object.fromEntries(modules) });
  deployments.set(url, { files, test });
  return test;
}

export function forget(url: string): void {
  deployments.delete(url);
}

/** The application's HTTP routes as a function. */
export async function routed(test: Pick<ConvexTest, "fetch">, request: Request): Promise<Response> {
  const { pathname, search } = new URL(request.url);
  return test.fetch(`${pathname}${search}`, {
    method: request.method,
    headers: request.headers,
    body: request.method === "GET" ? null : await request.text(),
  });
}
