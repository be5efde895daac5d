import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod';
import { trialRecordSchema } from '../../domain/record.ts';
import { traceEventSchema } from '../../domain/trace-schema.ts';
import type { Trial } from '../../domain/trial.ts';
import type { CliToolConfig } from '../../drive/targets/agent-task/task-config.ts';
import type { FinishedTrial } from '../../keep/store/store.ts';
import { writeWhole } from '../../shared/redacted-files.ts';
import { type Redact, redactedJson } from '../../shared/redaction/redaction.ts';
import { messageOf } from './program-inputs.ts';
import type { TrialKeys } from './trial-key.ts';

/** A trial whose result may be taken over from an earlier run, or kept for a later one. */
interface ReusableTrial {
  /** The result of the same trial in an earlier run. */
  readonly kept: FinishedTrial | undefined;
  /** Keeps the result of a trial that was run, unless its inputs changed while it ran. */
  keep(finished: FinishedTrial): Promise<void>;
}

/** Results of trials with agents that need not run again. */
export interface TrialReuse {
  /** To be called before the trial runs; undefined for one that must run and is not kept. */
  open(trial: Trial, warn: (message: string) => void): Promise<ReusableTrial | undefined>;
}

const keptSchema = z.object({ record: trialRecordSchema, trace: z.array(traceEventSchema) });

interface CacheParts {
  readonly folder: string;
  readonly keys: Pick<TrialKeys, 'of'>;
  /** Whether reuse was requested for all scenarios, beside those whose files request it. */
  readonly isRequested: boolean;
  readonly redact: Redact;
}

/** Keeps results of judged trials, one file each, by everything that they depend on. */
export function trialCache({ folder, keys, isRequested, redact }: CacheParts): TrialReuse {
  const warned = new Set<string>();
  const keyOf = async (trial: Trial, warn: (message: string) => void): Promise<string | undefined> => {
    const reason = await keys.of(trial).then((key) => ({ key }), messageOf);
    if (typeof reason !== 'string') return reason.key;
    const message = `Earlier trials of "${trial.scenario.name}" are not reused: ${reason.replace(/\.$/, '')}.`;
    if (!warned.has(message)) warn(message);
    warned.add(message);
    return undefined;
  };
  return {
    async open(trial, warn): Promise<ReusableTrial | undefined> {
      if (!isReusable(trial, isRequested, warn, warned)) return undefined;
      const key = await keyOf(trial, warn);
      if (key === undefined) return undefined;
      const file = join(folder, `${key}.json`);
      return {
        kept: await keptIn(file, trial),
        async keep(finished) {
          // An error, or a trial whose inputs changed while it ran, says nothing about these inputs.
          if (finished.record.outcome !== 'pass' && finished.record.outcome !== 'fail') return;
          if ((await keyOf(trial, warn)) === key) await writeWhole(file, redactedJson(finished, redact));
        },
      };
    },
  };
}

/** Repeats measure how much results vary: none of them may be a copy. */
function isReusable(
  { scenario }: Trial,
  isRequested: boolean,
  warn: (message: string) => void,
  warned: Set<string>,
): boolean {
  if (scenario.target.type !== 'cli-tool') return false;
  const { reuse } = scenario.target.config as CliToolConfig;
  if (!(reuse ?? isRequested)) return false;
  if (scenario.repeat === 1) return true;
  const message = '--reuse does not apply to scenarios with repeats: every repeat runs, and none is cached.';
  if (isRequested && !warned.has(message)) warn(message);
  warned.add(message);
  return false;
}

async function keptIn(file: string, trial: Trial): Promise<FinishedTrial | undefined> {
  const text = await readFile(file, 'utf8').catch(() => undefined);
  const kept = text === undefined ? undefined : keptSchema.safeParse(parseJson(text)).data;
  return kept && takenOver(trial, kept as FinishedTrial);
}

/** The result as that of the new trial: it cost nothing this time, and names the trial it comes from. */
function takenOver({ trialId, runId, ordinal, repeat }: Trial, { record, trace }: FinishedTrial): FinishedTrial {
  const cachedFrom = record.cachedFrom ?? record.trialId;
  const own = { trialId, runId, ordinal, repeat, startedAt: Date.now() };
  return { record: { ...record, ...own, costUsd: 0, usage: null, cachedFrom }, trace };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
