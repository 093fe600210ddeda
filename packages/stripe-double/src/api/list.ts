/** Stripe's way to list: pages of 1 to 100, newest first, cursors both ways, ranges of `created`. */
import type { Collection, Stored } from "../world/collection.js";
import { ApiError, invalid } from "./errors.js";
import { either, group, integer, listOf, type Parsed, word } from "./params.js";

export const expandShape = { expand: listOf(word) };
export const createdShape = {
  created: either(integer, group({ gt: integer, gte: integer, lt: integer, lte: integer })),
};
export const pageShape = {
  limit: integer,
  starting_after: word,
  ending_before: word,
  ...expandShape,
};

export type PageParams = Parsed<typeof pageShape & Partial<typeof createdShape>>;

export interface ListPage<T> {
  readonly object: "list";
  readonly url: string;
  readonly has_more: boolean;
  readonly data: readonly T[];
}

/** The first and last second that a `created` filter lets through. */
export function createdWindow(created: PageParams["created"]): { from?: number; to?: number } {
  if (created === undefined) return {};
  if (typeof created === "number") return { from: created, to: created };
  const { gt, gte, lt, lte } = created;
  const from = Math.max(gt === undefined ? -Infinity : gt + 1, gte ?? -Infinity);
  const to = Math.min(lt === undefined ? Infinity : lt - 1, lte ?? Infinity);
  return { ...(from === -Infinity ? {} : { from }), ...(to === Infinity ? {} : { to }) };
}

export function pageLimit(limit: number | undefined): number {
  if (limit !== undefined && (limit < 1 || limit > 100)) {
    throw invalid(`This value must be between 1 and 100 (it currently is '${limit}').`, "limit");
  }
  return limit ?? 10;
}

function checkCursors(params: Pick<PageParams, "starting_after" | "ending_before">): void {
  if (params.starting_after === undefined || params.ending_before === undefined) return;
  throw invalid(
    "Received both starting_after and ending_before parameters. Please pass in only one.",
  );
}

export interface ListOptions<T> {
  readonly url: string;
  /** Said in the error when a cursor names nothing: "customer". */
  readonly kind: string;
  readonly matches?: (object: T) => boolean;
  readonly where?: { readonly field: string; readonly value: string } | undefined;
  readonly asOf?: number | undefined;
}

export function listPage<T extends Stored>(
  collection: Collection<T>,
  params: PageParams,
  options: ListOptions<T>,
): ListPage<T> {
  const { starting_after: after, ending_before: before } = params;
  checkCursors(params);
  for (const [param, cursor] of [
    ["starting_after", after],
    ["ending_before", before],
  ] as const) {
    if (cursor !== undefined && collection.get(cursor) === undefined) {
      throw new ApiError(400, {
        type: "invalid_request_error",
        code: "resource_missing",
        message: `No such ${options.kind.replaceAll("_", " ")}: '${cursor}'`,
        param,
      });
    }
  }
  const { from, to } = createdWindow(params.created);
  const { data, more } = collection.list({
    limit: pageLimit(params.limit),
    after,
    before,
    createdFrom: from,
    createdTo: to,
    matches: options.matches,
    where: options.where,
    asOf: options.asOf,
  });
  return { object: "list", url: options.url, has_more: more, data };
}

/** Pages through a list that an object holds, such as a subscription's items. */
export function listArray<T extends { readonly id: string }>(
  items: readonly T[],
  params: Pick<PageParams, "limit" | "starting_after" | "ending_before">,
  url: string,
): ListPage<T> {
  checkCursors(params);
  const limit = pageLimit(params.limit);
  const place = (id: string, param: string) => {
    const index = items.findIndex((item) => item.id === id);
    if (index < 0) throw invalid(`No such object: '${id}'`, param, "resource_missing");
    return index;
  };
  if (params.ending_before !== undefined) {
    const end = place(params.ending_before, "ending_before");
    const start = Math.max(0, end - limit);
    return { object: "list", url, has_more: start > 0, data: items.slice(start, end) };
  }
  const start =
    params.starting_after === undefined ? 0 : place(params.starting_after, "starting_after") + 1;
  const data = items.slice(start, start + limit);
  return { object: "list", url, has_more: start + data.length < items.length, data };
}
