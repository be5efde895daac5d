import { isServedBy, type WorkerFacts } from './distribution.ts';
import type { OpenGroup } from './work-runs.ts';

/** Decides from which group a worker takes next: higher priority first, and runs of equal priority in turn. */
export class TurnTaking {
  readonly #facts: WorkerFacts;
  readonly #servedAt = new Map<string, number>();
  #servings = 0;

  constructor(facts: WorkerFacts) {
    this.#facts = facts;
  }

  /** The groups that this worker can serve, in the order in which it should try them. */
  inTurn(groups: readonly OpenGroup[]): OpenGroup[] {
    const served = (id: string): number => this.#servedAt.get(id) ?? 0;
    return groups
      .filter((group) => isServedBy(group.needs, this.#facts))
      .sort(
        (one, other) =>
          other.priority - one.priority ||
          served(one.runId) - served(other.runId) ||
          served(one.groupId) - served(other.groupId),
      );
  }

  /** Something was taken from a group. */
  served({ runId, groupId }: OpenGroup): void {
    this.#servings++;
    this.#servedAt.set(runId, this.#servings);
    this.#servedAt.set(groupId, this.#servings);
  }

  /** Forgets runs that are over. */
  keepOnly(groups: readonly OpenGroup[]): void {
    const known = new Set(groups.flatMap(({ runId, groupId }) => [runId, groupId]));
    for (const id of this.#servedAt.keys()) if (!known.has(id)) this.#servedAt.delete(id);
  }
}
