import { sumOf } from '../../domain/cost-sum.ts';
import { countedUsage } from '../../domain/counted-usage.ts';
import { excerptOf } from '../../domain/excerpt.ts';
import { gapOf } from '../../domain/loss.ts';
import type { EvaluatorResult } from '../../domain/outcome.ts';
import type { TrialFindings, TrialRecord } from '../../domain/record.ts';
import type { RunScenario } from '../../domain/run.ts';
import type { Trace } from '../../domain/trace.ts';
import { gapsIn } from '../../domain/trace-coverage/coverage.ts';
import { recordedCoverage } from '../../domain/trace-coverage/recorded-coverage.ts';
import { sumOfUsage } from '../../domain/usage.ts';
import type { Variant } from '../../domain/variant.ts';
import type { FinishedTrial } from '../../keep/store/store.ts';
import { contentKey } from '../../shared/ids.ts';
import { canonicalJson } from '../../shared/json.ts';
import type { FoundImport } from './find-files.ts';
import type { ImportedTrial } from './import-format.ts';
import { lost } from './losses.ts';
import type { RecordedCheck } from './score-verdict.ts';

/** Position of a trial in a run. */
interface TrialPlace extends TrialIdentity {
  readonly runId: string;
  readonly ordinal: number;
  /** Used when the file has no time. */
  readonly usualStart: number;
}

/** An imported trial as a stored one. Its recorded verdict is its outcome. */
export function finishedTrial(trial: ImportedTrial, place: TrialPlace): FinishedTrial {
  // A trial of Assay may have been a call without a model, where its trace is there.
  const isKnown = trial.findings !== undefined && trial.trace.length > 0;
  const trace = isKnown ? trial.trace : withUnknownCost(trial.trace);
  const { runId, ordinal, scenario, file, caseId, variant, repeat } = place;
  const key = contentKey([runId, file, scenario, caseId, canonicalJson(variant), String(repeat)]);
  const results = [importedResult(trial), ...(trial.checks ?? []).map(checkResult)];
  const record: TrialRecord = {
    trialId: `t-${key}`,
    runId,
    ordinal,
    scenario,
    file,
    caseId,
    variant,
    repeat,
    ...outcomeOf(trial),
    startedAt: Math.round(trial.startedAt ?? place.usualStart),
    durationMs: amountOrNull(trial.durationMs),
    ...spent(trial),
    ...nothingFound(),
    metrics: { ...trial.metrics },
    evaluatorResults: results,
    ...(trial.findings ?? { coverage: recordedCoverage(trace) }),
    fault: trial.fault ?? trial.findings?.fault ?? null,
  };
  return { record, trace };
}

/** With the texts that lists show; of a trial that is free of secrets, because half of one would not be recognised. */
export function withExcerpt({ record, trace }: FinishedTrial): FinishedTrial {
  const excerpt = excerptOf({ expected: undefined }, trace, (text) => text);
  return { record: excerpt ? { ...record, excerpt } : record, trace };
}

/** A trial without a model costs nothing; of one whose file shows no request, nothing is known. */
function withUnknownCost(trace: Trace): Trace {
  if (trace.some(({ type }) => type === 'usage' || type === 'turn' || type === 'agent-started')) return trace;
  const loss = gapOf({ channels: lost.cost, reason: 'the file shows no request to a model' });
  return [...trace, { ...loss, at: trace.at(-1)?.at ?? 0, seenBy: 'engine' }];
}

/** A recorded verdict takes precedence over a fault; a trial without either is not judged yet. */
function outcomeOf({ verdict, fault }: ImportedTrial): Pick<TrialRecord, 'outcome' | 'reason'> {
  if (verdict) return { outcome: verdict.state, reason: verdict.reason };
  return fault ? { outcome: 'error', reason: fault.message } : { outcome: 'skipped', reason: noVerdict };
}

const noVerdict = 'no recorded outcome';

function importedResult({ verdict }: ImportedTrial): EvaluatorResult {
  const state = verdict?.state ?? 'skipped';
  const value = verdict?.value;
  return {
    type: 'imported',
    kind: 'assertion',
    state,
    success: state === 'pass',
    ...(value !== undefined && { value }),
    reason: verdict?.reason ?? noVerdict,
  };
}

/** The verdict counts, not the checks of the other program that it consists of. */
function checkResult({ name, state, reason, value }: RecordedCheck): EvaluatorResult {
  return {
    type: 'imported',
    kind: 'assertion',
    state,
    success: state === 'pass',
    ...(value !== undefined && { value }),
    reason: `${name}: ${reason}`,
    metadata: { check: name },
    isPart: true,
  };
}

function nothingFound(): Omit<TrialFindings, 'evaluatorResults' | 'metrics' | 'fault'> {
  const lists = { gates: [], scripts: [], turns: [], toolHealth: [], workflow: [] };
  const single = { criteria: null, judge: null, interaction: null, workflowScore: null, toolPins: null };
  return { ...lists, ...single, compositeScore: null, artifacts: null, toolError: null, cachedFrom: null };
}

const largestAmount = 2 ** 31 - 1;

/** A figure that cannot be is not known. */
function amountOrNull(amount: number | null | undefined): number | null {
  return amount != null && amount >= 0 && amount <= largestAmount ? amount : null;
}

/** Tokens are integers; a cost in the file takes precedence over the sum of the trace. */
function spent({ trace, costUsd, usage }: ImportedTrial): Pick<TrialRecord, 'costUsd' | 'usage'> {
  const requests = countedUsage(trace);
  const isWhole = (channel: 'usage' | 'cost'): boolean => requests.length > 0 && gapsIn(trace, channel).length === 0;
  const spentUsd = isWhole('cost') ? sumOf(requests.map((request) => request.costUsd ?? null)) : null;
  return {
    costUsd: amountOrNull(costUsd ?? spentUsd),
    usage: usage === undefined ? (isWhole('usage') && sumOfUsage(requests)) || null : usage,
  };
}

/** Which trial of a run an imported one is. */
interface TrialIdentity {
  readonly scenario: string;
  readonly file: string;
  readonly caseId: string;
  readonly variant: Variant;
  readonly repeat: number;
}

/** Assigns identities to trials in the order of reading; the same files give the same identities. */
export class Identities {
  readonly #taken = new Map<string, Set<number>>();

  identify(trial: ImportedTrial, found: FoundImport): TrialIdentity {
    const scenario = trial.scenario ?? found.name;
    const caseId = trial.caseId ?? 'task';
    const { variant } = trial;
    const key = contentKey([scenario, caseId, canonicalJson(variant)]);
    const taken = this.#taken.get(key) ?? new Set();
    this.#taken.set(key, taken);
    let repeat = isUsable(trial.repeat) ? trial.repeat : 1;
    // A repeat number that is in use, as in a second file, cannot be used again.
    while (taken.has(repeat)) repeat++;
    taken.add(repeat);
    return { scenario, file: trial.scenarioFile ?? found.file, caseId, variant, repeat };
  }
}

const mostRepeats = 1_000_000;

function isUsable(repeat: number | undefined): repeat is number {
  return repeat !== undefined && Number.isInteger(repeat) && repeat >= 1 && repeat <= mostRepeats;
}

interface PlannedScenario {
  readonly name: string;
  readonly file: string;
  readonly cases: Set<string>;
  trials: number;
  repeat: number;
}

/** Counts the trials of each scenario, so those of one scenario get adjacent positions in the run. */
export class ImportPlan {
  readonly #scenarios = new Map<string, PlannedScenario>();
  #trials = 0;

  get trialCount(): number {
    return this.#trials;
  }

  add(identity: TrialIdentity): void {
    const { scenario: name, file, caseId, repeat } = identity;
    const key = keyOf(identity);
    const planned = this.#scenarios.get(key) ?? { name, file, cases: new Set(), trials: 0, repeat: 1 };
    planned.cases.add(contentKey([caseId]));
    planned.trials++;
    planned.repeat = Math.max(planned.repeat, repeat);
    this.#scenarios.set(key, planned);
    this.#trials++;
  }

  /** Scenarios for the header of the run. The files do not contain them, so their hashes are empty. */
  scenarios(): RunScenario[] {
    const unknown = { contentHash: '', isAgentDriven: false, isConversation: false, serverPart: null };
    return [...this.#scenarios.values()].map(({ name, file, cases, repeat }) => ({
      name,
      file,
      caseCount: cases.size,
      repeat,
      ...unknown,
    }));
  }

  /** Assigns each trial its position; undefined for one that was not planned, because its file has changed. */
  places(): (identity: TrialIdentity) => number | undefined {
    const next = new Map<string, { at: number; end: number }>();
    let begin = 0;
    for (const [key, { trials }] of this.#scenarios) {
      next.set(key, { at: begin, end: begin + trials });
      begin += trials;
    }
    return (identity) => {
      const place = next.get(keyOf(identity));
      return place && place.at < place.end ? place.at++ : undefined;
    };
  }
}

function keyOf({ file, scenario }: TrialIdentity): string {
  return `${file}\u0000${scenario}`;
}
