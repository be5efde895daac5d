import { isConversation } from '../domain/conversation.ts';
import { AssayError } from '../domain/errors.ts';
import type { Scenario } from '../domain/scenario.ts';
import type { StopRequest, Target, TargetContext, TargetKind } from '../drive/targets/target.ts';
import { untilAborted } from '../shared/async.ts';
import { canonicalJson } from '../shared/json.ts';

/** The context that all targets of a run share. */
type SharedContext = Omit<TargetContext, 'directory' | 'signal'>;

interface Pooled {
  readonly opening: Promise<Target>;
  target: Target | undefined;
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
  readonly #context: SharedContext;
  readonly #open = new Map<string, Pooled>();
  readonly #keys = new WeakMap<Scenario, string>();
  readonly #closing = new AbortController();

  constructor(kinds: ReadonlyMap<string, TargetKind>, context: SharedContext) {
    this.#kinds = kinds;
    this.#context = context;
  }

  /** Begins to open the target of a scenario that will be tried soon; a failure shows when it is leased. */
  warm(scenario: Scenario): void {
    const key = this.#keyOf(scenario);
    if (!this.#open.has(key)) this.#openTarget(key, scenario);
  }

  /** Whether an agent drives the scenario's target. */
  isAgentDriven({ target }: Scenario): boolean {
    return this.#kinds.get(target.type)?.isAgentDriven ?? false;
  }

  /** Whether the scenario's target says itself when it is set up. */
  preparesItself({ target }: Scenario): boolean {
    return this.#kinds.get(target.type)?.preparesItself ?? false;
  }

  /** Whether the scenario's target answers in turns. */
  isConversation({ target }: Scenario): boolean {
    const kind = this.#kinds.get(target.type);
    return kind !== undefined && isConversation(kind);
  }

  /** A lease at once, when the target is open already. */
  leaseOpen(scenario: Scenario): Lease | undefined {
    const pooled = this.#open.get(this.#keyOf(scenario));
    if (!pooled?.target) return undefined;
    pooled.leases++;
    return { target: pooled.target, [Symbol.dispose]: () => this.#release(pooled) };
  }

  /** Waits for the target to be open, unless the attempt should stop before. */
  async lease(scenario: Scenario, stop: Pick<StopRequest, 'signal'>): Promise<Lease> {
    const key = this.#keyOf(scenario);
    const pooled = this.#open.get(key) ?? this.#openTarget(key, scenario);
    pooled.leases++;
    try {
      const target = pooled.target ?? (await untilAborted(pooled.opening, stop.signal));
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
    const context = { ...this.#context, directory: scenario.directory, signal: this.#closing.signal };
    const opening = (async () => kind.open(scenario.target.config, context))();
    const pooled: Pooled = { opening, target: undefined, leases: 0 };
    opening.then(
      (target) => {
        pooled.target = target;
      },
      () => undefined,
    );
    this.#open.set(key, pooled);
    return pooled;
  }

  #release(pooled: Pooled): void {
    pooled.leases--;
    if (this.#open.size <= idleLimit) return;
    const idle = [...this.#open].filter(([, other]) => other.leases === 0);
    for (const [key, other] of idle.slice(0, -idleLimit)) {
      this.#open.delete(key);
      void close(other);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closing.abort();
    await Promise.all([...this.#open.values()].map(close));
    this.#open.clear();
  }
}

/** A target that is not open yet is not waited for: it may never be, and is closed as soon as it is. */
async function close({ target, opening }: Pooled): Promise<void> {
  if (target) return target[Symbol.asyncDispose]();
  opening.then(
    (late) => late[Symbol.asyncDispose](),
    () => undefined,
  );
}
