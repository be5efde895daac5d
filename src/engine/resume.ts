import { isConversation } from '../domain/conversation.ts';
import { AssayError } from '../domain/errors.ts';
import type { RunHeader, RunScenario } from '../domain/run.ts';
import type { Scenario } from '../domain/scenario.ts';
import type { Trial } from '../domain/trial.ts';
import type { TargetKind } from '../drive/targets/target.ts';
import type { Store } from '../keep/store/store.ts';

const lookupSize = 200;

/** The trials that a run still has to do. */
interface MissingTrials {
  readonly alreadyStored: number;
  readonly missing: AsyncIterableIterator<Trial>;
}

/** Resuming is the plan minus what the store has; it ends early when the run is interrupted. */
export async function withoutStored(
  trials: AsyncIterable<Trial>,
  run: RunHeader,
  store: Store,
  signal: AbortSignal,
): Promise<MissingTrials> {
  const { pass, fail, error } = await store.countTrials(run.runId);
  const alreadyStored = pass + fail + error;
  const missing = alreadyStored === 0 ? trials : notStored(trials, store);
  return { alreadyStored, missing: until(signal, missing) };
}

async function* notStored(trials: AsyncIterable<Trial>, store: Store): AsyncGenerator<Trial, void> {
  for await (const chunk of chunks(trials)) {
    const stored = await store.storedTrialIds(chunk.map((trial) => trial.trialId));
    for (const trial of chunk) if (!stored.has(trial.trialId)) yield trial;
  }
}

async function* chunks(trials: AsyncIterable<Trial>): AsyncGenerator<Trial[], void> {
  let chunk: Trial[] = [];
  for await (const trial of trials) {
    chunk.push(trial);
    if (chunk.length < lookupSize) continue;
    yield chunk;
    chunk = [];
  }
  yield chunk;
}

/** Ends early when the run is interrupted. A generator around the trials would make several promises more for each. */
export function until<Item>(signal: AbortSignal, trials: AsyncIterable<Item>): AsyncIterableIterator<Item> {
  const all = trials[Symbol.asyncIterator]();
  const end = async (): Promise<IteratorReturnResult<undefined>> => {
    await all.return?.();
    return { done: true, value: undefined };
  };
  return {
    next: async () => {
      const next = await all.next();
      return signal.aborted ? end() : next;
    },
    return: end,
    [Symbol.asyncIterator]() {
      return this;
    },
  };
}

/** The scenarios as the header of their run keeps them. */
export function runScenarios(scenarios: readonly Scenario[], targets: readonly TargetKind[]): RunScenario[] {
  const conversations = new Set(targets.filter(isConversation).map(({ type }) => type));
  return scenarios.map(
    ({ name, file, contentHash, identity, caseCount, repeat, variants, serverPart, target, ci }) => ({
      name,
      file,
      contentHash,
      ...(identity && { identity }),
      caseCount,
      repeat,
      isAgentDriven: variants.some(({ agent }) => agent !== undefined),
      isConversation: conversations.has(target.type),
      serverPart: serverPart ?? null,
      ...(ci && { ci }),
    }),
  );
}

/** Refuses to finish a run with other files than it was begun with: half of it would be another test. */
export function assertUnchanged(
  run: RunHeader,
  scenarios: readonly Scenario[],
  otherChanges: readonly string[] = [],
): void {
  const now = new Map(scenarios.map((scenario) => [keyOf(scenario), scenario]));
  const changes: string[] = [...otherChanges];
  for (const then of run.scenarios) {
    const current = now.get(keyOf(then));
    now.delete(keyOf(then));
    if (!current) changes.push(`${then.file} was removed`);
    else if (current.contentHash !== then.contentHash) changes.push(`${then.file} was changed`);
  }
  for (const { file } of now.values()) changes.push(`${file} was added`);
  if (changes.length > 0) {
    throw new AssayError(
      'RUN_CHANGED',
      `Cannot resume the run ${run.runId}: since it started, ${changes.join(', ')}.`,
      {
        hint: 'Start another run with `assay run`; one run with two versions would not say which of them works.',
      },
    );
  }
}

/** A file may hold several scenarios. */
function keyOf({ file, name }: Pick<RunScenario, 'file' | 'name'>): string {
  return JSON.stringify([file, name]);
}
