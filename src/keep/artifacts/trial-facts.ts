import { countedUsage } from '../../domain/counted-usage.ts';
import type { TrialRecord } from '../../domain/record.ts';
import { eventsOf, type Trace } from '../../domain/trace.ts';
import { channelCoverage } from '../../domain/trace-coverage/coverage.ts';
import type { Trial } from '../../domain/trial.ts';
import { sumOfUsage } from '../../domain/usage.ts';
import { contentKey } from '../../shared/ids.ts';
import { isRecord } from '../../shared/json.ts';

/** Facts of a trial that artifacts need beside its trace and its record. */
interface TrialFacts {
  readonly scenario: string;
  readonly description: string;
  readonly scenarioHash: string;
  readonly prompt: string | null;
  /** The agent; scenario files and artifacts of this format call it the tool. */
  readonly tool: string;
  readonly toolVersion: string | null;
  readonly model: string;
  readonly guidance: string | null;
  readonly isolation: string | null;
  readonly isScripted: boolean;
  /** Of the tool under test. */
  readonly targetVersion: string | null;
  readonly usage: { readonly input: number; readonly output: number } | null;
}

/** Everything a renderer is given; free of secrets when it gets there. */
export interface TrialStory {
  readonly facts: TrialFacts;
  readonly trace: Trace;
  readonly record: TrialRecord;
}

/** Gathers the facts of a trial from its plan and from what was seen. */
export function trialFacts(trial: Trial, trace: Trace, targetVersion: string | null): TrialFacts {
  const [started] = eventsOf(trace, 'agent-started');
  const { scenario, variant } = trial;
  return {
    scenario: scenario.name,
    description: scenario.description,
    scenarioHash: scenario.contentHash,
    prompt: typeof trial.case.input === 'string' ? trial.case.input : promptOf(scenario.target.config),
    tool: variant.agent ?? started?.agent ?? 'direct',
    toolVersion: started?.version ?? null,
    model: variant.model ?? started?.model ?? 'default',
    guidance: variant.guidance ?? null,
    isolation: started?.isolation ?? null,
    isScripted: started?.isScripted ?? false,
    targetVersion,
    usage: usageOf(trace),
  };
}

function promptOf(config: unknown): string | null {
  return isRecord(config) && typeof config.prompt === 'string' ? config.prompt : null;
}

/** Null where not all of it was observed: the sum of a part would be read as that of the whole. */
function usageOf(trace: Trace): TrialFacts['usage'] {
  const { inputTokens: input, outputTokens: output } = sumOfUsage(countedUsage(trace)) ?? {};
  if (input === undefined || output === undefined) return null;
  return channelCoverage(trace, 'usage').state === 'complete' ? { input, output } : null;
}

/** Together with the date they stay below what the narrowest file systems allow for a name. */
const longestTool = 20;
const longestModel = 32;
const longestScenario = 40;
const suffixLength = 10;

/** The trial, as far as its folder is named after it. */
type NamedTrial = Pick<Trial, 'trialId' | 'variant'> & { readonly scenario: Pick<Trial['scenario'], 'name'> };

/** `20261115-093012-codex-openai_gpt-5-create-note-4f7a1c2b9e`: sorts by time, names the trial, and is unique. */
export function trialFolderName(trial: NamedTrial, startedAt: number): string {
  const { agent = 'direct', model = 'default' } = trial.variant;
  return [
    timeStamp(startedAt),
    safePart(agent, longestTool),
    safePart(model, longestModel),
    safePart(trial.scenario.name, longestScenario),
    contentKey([trial.trialId, String(startedAt)]).slice(0, suffixLength),
  ].join('-');
}

/** `20261115-093012`, in UTC. */
export function timeStamp(at: number): string {
  return new Date(at).toISOString().replace(/[-:]/g, '').replace('T', '-').slice(0, 15);
}

/** Nothing but what every file system and every shell takes as it is. */
function safePart(text: string, longest: number): string {
  return (
    text
      .replace(/[^A-Za-z0-9._-]+/g, '_')
      .replace(/^[._-]+/, '')
      .slice(0, longest) || '_'
  );
}
