import { AssayError } from '../domain/errors.ts';
import type { Scenario } from '../domain/scenario.ts';
import { canonicalJson } from '../shared/json.ts';
import type { Target, TargetKind } from '../targets/target.ts';

interface Pooled {
  readonly opening: Promise<Target>;
  leases: number;
}

/** The right to use a target until it is disposed of. */
interface Lease extends Disposable {
  readonly target: Target;
}

/** Idle targets that stay open; enough for neighbouring scenarios to share a module, too few to fill memory. */
const idleLimit = 4;

/** Opens each target once, shares it between trials and scenarios that mean the same, and closes all of them. */
export class TargetPool implements AsyncDisposable {
  readonly #kinds: ReadonlyMap<string, TargetKind>;
  readonly #env: Readonly<Record<string, string | undefined>>;
  readonly #open = new Map<string, Pooled>();
  readonly #keys = new WeakMap<Scenario, string>();

  constructor(kinds: ReadonlyMap<string, TargetKind>, env: Readonly<Record<string, string | undefined>>) {
    this.#kinds = kinds;
    this.#env = env;
  }

  /** Begins to open the target of a scenario that will be tried soon; a failure shows when it is leased. */
  warm(scenario: Scenario): void {
    const key = this.#keyOf(scenario);
    if (!this.#open.has(key)) this.#openTarget(key, scenario);
  }

  async lease(scenario: Scenario): Promise<Lease> {
    const key = this.#keyOf(scenario);
    const pooled = this.#open.get(key) ?? this.#openTarget(key, scenario);
    pooled.leases++;
    try {
      const target = await pooled.opening;
      return { target, [Symbol.dispose]: () => this.#release(pooled) };
    } catch (error) {
      pooled.leases--;
      throw error;
    }
  }

  #keyOf(scenario: Scenario): string {
    let key = this.#keys.get(scenario);
    if (key === undefined) {
      key = canonicalJson([scenario.directory, scenario.target]);
      this.#keys.set(scenario, key);
    }
    return key;
  }

  #openTarget(key: string, scenario: Scenario): Pooled {
    const kind = this.#kinds.get(scenario.target.type);
    if (!kind) throw new AssayError('INTERNAL', `No target kind "${scenario.target.type}" is registered.`);
    const opening = kind.open(scenario.target.config, { directory: scenario.directory, env: this.#env });
    opening.catch(() => undefined);
    const pooled = { opening, leases: 0 };
    this.#open.set(key, pooled);
    return pooled;
  }

  #release(pooled: Pooled): void {
    pooled.leases--;
    const idle = [...this.#open].filter(([, other]) => other.leases === 0);
    for (const [key, other] of idle.slice(0, -idleLimit)) {
      this.#open.delete(key);
      void close(other);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([...this.#open.values()].map(close));
    this.#open.clear();
  }
}

async function close(pooled: Pooled): Promise<void> {
  const target = await pooled.opening.catch(() => undefined);
  await target?.[Symbol.asyncDispose]();
}
