/**
 * Sets aside what cannot be stored. A batch that is refused for its content is
 * halved until the objects that are to blame stand alone; the others are committed as they are, and
 * those are committed as records, together with the batch's own.
 */

import type {
  Batch,
  Committed,
  Outcome,
  RecordRequest,
  Snapshot,
  Store,
  Unit,
  UnitOutcome,
} from "../../mirror/store.js";
import { asideRequest, idProblem, isUnstorable } from "./set-aside.js";

/** What is needed of the store, and a callback for each object that was set aside. */
export interface ApartPort extends Pick<Store, "commit" | "version"> {
  setAside(snapshot: Snapshot, reason: string): void;
}

/** Where so many objects are refused and none is stored, it is not their content. */
const TOO_MANY = 20;

/** What can be refused by itself: an event with all that it does, or one snapshot of a page. */
interface Piece {
  readonly unit: Unit;
  /** Which of the batch's units it is from. */
  readonly from: number;
}

type Tried = { readonly outcome: UnitOutcome } | { readonly refusal: Error };

/**
 * Commits a batch that cannot be stored as it is: the store refused it for its content, or it holds
 * an id that no table takes.
 */
export async function commitApart(
  port: ApartPort,
  batch: Batch,
  refusal: Error | undefined,
): Promise<Committed> {
  const pieces = batch.units.flatMap(piecesOf);
  const tried =
    refusal !== undefined && pieces.length === 1
      ? [{ refusal }]
      : await tryAll(port, batch, pieces);
  const refusals = tried.flatMap((each, index) => ("refusal" in each ? [{ ...each, index }] : []));
  const [first] = refusals;
  if (first !== undefined && refusals.length === pieces.length && pieces.length >= TOO_MANY) {
    throw first.refusal;
  }
  const refused: (Apart & { readonly index: number })[] = [];
  for (const { index, refusal: why } of refusals) {
    refused.push({ ...(await apart(port, pieces[index] as Piece, why, batch.now)), index });
  }
  const units = refused.map(({ unit }) => unit);
  const result = await port.commit({ ...batch, units });
  if (!result.committed) return result;
  for (const { asides } of refused) {
    for (const { snapshot, reason } of asides) port.setAside(snapshot, reason);
  }
  const outcomes: UnitOutcome[] = tried.map((each) =>
    "outcome" in each ? each.outcome : { duplicate: true },
  );
  refused.forEach((each, place) => {
    outcomes[each.index] = withAsides(each, result.units[place] as UnitOutcome);
  });
  return { committed: true, units: gathered(batch.units.length, pieces, outcomes) };
}

/** A unit with a receipt belongs together; the snapshots of a page do not. */
function piecesOf(unit: Unit, from: number): Piece[] {
  const { receipt, snapshots = [], requests = [] } = unit;
  if (receipt !== undefined || snapshots.length <= 1) return [{ unit, from }];
  const rest = requests.length === 0 ? [] : [{ unit: { requests }, from }];
  return [...snapshots.map((snapshot) => ({ unit: { snapshots: [snapshot] }, from })), ...rest];
}

/** Commits as many of the pieces as can be; what became of each, in their order. */
async function tryAll(port: ApartPort, batch: Batch, pieces: readonly Piece[]): Promise<Tried[]> {
  const [only] = pieces;
  if (only === undefined) return [];
  const problem = pieces.length === 1 ? problemOf(only) : undefined;
  if (problem !== undefined) return [{ refusal: new Error(problem) }];
  if (!pieces.some((piece) => problemOf(piece) !== undefined)) {
    try {
      const { records: _, ...alone } = batch;
      const result = await port.commit({ ...alone, units: pieces.map(({ unit }) => unit) });
      if (!result.committed) throw new Error("A commit without records cannot conflict");
      return result.units.map((outcome) => ({ outcome }));
    } catch (error) {
      if (!isUnstorable(error)) throw error;
      if (pieces.length === 1) return [{ refusal: error }];
    }
  }
  const half = Math.ceil(pieces.length / 2);
  return [
    ...(await tryAll(port, batch, pieces.slice(0, half))),
    ...(await tryAll(port, batch, pieces.slice(half))),
  ];
}

const problemOf = ({ unit: { snapshots = [] } }: Piece): string | undefined =>
  snapshots.map(({ id }) => idProblem(id)).find((problem) => problem !== undefined);

interface Apart {
  readonly unit: Unit;
  readonly snapshots: readonly Snapshot[];
  readonly asides: readonly { readonly snapshot: Snapshot; readonly reason: string }[];
}

/** The piece without what cannot be stored, and with the records that say so. */
async function apart(port: ApartPort, { unit }: Piece, refusal: Error, at: number): Promise<Apart> {
  const { snapshots = [], requests = [] } = unit;
  const asides = snapshots.flatMap((snapshot) => {
    const problem = idProblem(snapshot.id);
    const isRefused = problem !== undefined || snapshot.content !== null;
    return isRefused ? [{ snapshot, reason: problem ?? refusal.message }] : [];
  });
  const left = snapshots.filter((each) => !asides.some(({ snapshot }) => snapshot === each));
  const added: RecordRequest[] = [];
  for (const { snapshot, reason } of asides) {
    const { resource, id } = snapshot;
    const isFound = idProblem(id) === undefined ? await port.version(resource, id) : undefined;
    const known = isFound?.state === "live";
    added.push(asideRequest(snapshot, { reason, at, kept: "none", known }));
  }
  return {
    unit: { ...unit, snapshots: left, requests: [...requests, ...added] },
    snapshots,
    asides,
  };
}

/** The outcomes of a piece in the order of its snapshots, those that were set aside among them. */
function withAsides({ snapshots, asides }: Apart, outcome: UnitOutcome): UnitOutcome {
  if (outcome.duplicate) return outcome;
  const left = [...outcome.outcomes];
  const outcomes = snapshots.map((each): Outcome => {
    const isAside = asides.some(({ snapshot }) => snapshot === each);
    return (isAside ? undefined : left.shift()) ?? { act: "aside", revision: 0 };
  });
  return { duplicate: false, outcomes };
}

/** The outcomes by the batch's units again. */
function gathered(
  units: number,
  pieces: readonly Piece[],
  outcomes: readonly UnitOutcome[],
): UnitOutcome[] {
  return Array.from({ length: units }, (_, unit): UnitOutcome => {
    const own = outcomes.filter((_each, index) => pieces[index]?.from === unit);
    const [first] = own;
    if (own.length === 1 && first !== undefined) return first;
    return {
      duplicate: false,
      outcomes: own.flatMap((each) => ("outcomes" in each ? each.outcomes : [])),
    };
  });
}
