import { commonSubsequence } from './common-subsequence.ts';
import type { Step, StepKind } from './steps.ts';
import type { RowStatus } from './trajectory-diff.ts';

/** How many trials of a side have a step, and in how many of them it failed. */
export interface StepCounts {
  readonly trials: number;
  readonly failed: number;
  /** Of all trials of the side. */
  readonly share: number;
}

/** One step of the repeats of two sides. */
export interface UsualStepRow {
  readonly status: RowStatus;
  readonly kind: StepKind;
  readonly label: string;
  /** From 1: counts the times that a trial does this. */
  readonly time: number;
  readonly a: StepCounts;
  readonly b: StepCounts;
}

/** Of more different steps than this on one side, the rest is only counted. */
const mostSteps = 20_000;

interface Tally {
  readonly kind: StepKind;
  readonly label: string;
  readonly time: number;
  trials: number;
  failed: number;
  /** Sum over the trials: 0 is the beginning of a trial, 1 its end. */
  positions: number;
}

const noTally = { trials: 0, failed: 0, positions: 0 } as const;

/** The usual steps of one side; a trial is added once, and only its counts are kept. */
export class UsualSteps {
  readonly #tallies = new Map<string, Tally>();
  #trials = 0;
  #unlisted = 0;

  get trials(): number {
    return this.#trials;
  }

  /** Steps that had no place in the table. */
  get unlisted(): number {
    return this.#unlisted;
  }

  get tallies(): ReadonlyMap<string, Readonly<Tally>> {
    return this.#tallies;
  }

  add(steps: readonly Step[]): void {
    this.#trials += 1;
    const times = new Map<string, number>();
    for (const [index, step] of steps.entries()) {
      const name = nameOf(step);
      const time = (times.get(name) ?? 0) + 1;
      times.set(name, time);
      this.#count(step, `${time} ${name}`, time, steps.length > 1 ? index / (steps.length - 1) : 0);
    }
  }

  #count(step: Step, id: string, time: number, position: number): void {
    let tally = this.#tallies.get(id);
    if (!tally) {
      if (this.#tallies.size >= mostSteps) {
        this.#unlisted += 1;
        return;
      }
      tally = { kind: step.kind, label: labelOf(step), time, ...noTally };
      this.#tallies.set(id, tally);
    }
    tally.trials += 1;
    tally.failed += step.state === 'failed' ? 1 : 0;
    tally.positions += position;
  }
}

/** The steps of both sides in their usual order. */
export function diffUsualSteps(a: UsualSteps, b: UsualSteps): UsualStepRow[] {
  return inUsualOrder(a, b).flatMap((id): UsualStepRow[] => {
    const [ofA, ofB] = [a.tallies.get(id), b.tallies.get(id)];
    const tally = ofA ?? ofB;
    if (!tally) return [];
    const [countsA, countsB] = [countsOf(ofA, a.trials), countsOf(ofB, b.trials)];
    const { kind, label, time } = tally;
    return [{ status: statusOf(countsA, countsB), kind, label, time, a: countsA, b: countsB }];
  });
}

/** Common steps anchor both orders; between them come the steps of A alone, then those of B alone. */
function inUsualOrder(a: UsualSteps, b: UsualSteps): string[] {
  const [orderA, orderB] = [usualOrder(a), usualOrder(b)];
  const numbers = new Map([...orderA, ...orderB].map((id, index) => [id, index]));
  const numbered = (order: readonly string[]) => order.map((id) => numbers.get(id) ?? -1);
  const { pairs } = commonSubsequence(numbered(orderA), numbered(orderB));
  const order = new Set<string>();
  let [nextA, nextB] = [0, 0];
  for (const [placeA, placeB] of [...pairs, [orderA.length, orderB.length] as const]) {
    for (const id of orderA.slice(nextA, placeA)) order.add(id);
    for (const id of orderB.slice(nextB, placeB)) order.add(id);
    for (const id of orderA.slice(placeA, placeA + 1)) order.add(id);
    [nextA, nextB] = [placeA + 1, placeB + 1];
  }
  return [...order];
}

function usualOrder({ tallies }: UsualSteps): string[] {
  const place = ({ positions, trials }: Readonly<Tally>): number => positions / trials;
  return [...tallies]
    .sort(([, left], [, right]) => place(left) - place(right) || left.time - right.time)
    .map(([id]) => id);
}

/** Wording differs in every trial, so messages are counted by speaker only. */
function nameOf({ kind, subject, key }: Step): string {
  return kind === 'message' ? `${kind} ${subject}` : key;
}

function labelOf({ kind, subject, label }: Step): string {
  return kind === 'message' ? `${subject} message` : label;
}

function countsOf(tally: Readonly<Tally> | undefined, trials: number): StepCounts {
  const { trials: having, failed } = tally ?? noTally;
  return { trials: having, failed, share: trials === 0 ? 0 : having / trials };
}

function statusOf(a: StepCounts, b: StepCounts): RowStatus {
  if (a.trials === 0) return 'added';
  if (b.trials === 0) return 'dropped';
  if (a.failed === 0 && b.failed > 0) return 'failed-now';
  if (a.failed > 0 && b.failed === 0) return 'mended';
  const areAlike = a.share === b.share && a.failed / a.trials === b.failed / b.trials;
  return areAlike ? 'same' : 'changed';
}
