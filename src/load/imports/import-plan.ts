import type { RunScenario } from '../../domain/run.ts';
import type { Variant } from '../../domain/trial.ts';
import { contentKey } from '../../shared/ids.ts';
import { canonicalJson } from '../../shared/json.ts';
import type { FoundImport } from './find-files.ts';
import type { ImportedTrial } from './import-format.ts';

/** Which trial of a run an imported one is. */
export interface TrialIdentity {
  readonly scenario: string;
  readonly file: string;
  readonly caseId: string;
  readonly variant: Variant;
  readonly repeat: number;
}

/** Says of trials, in the order in which they are read, which ones they are; the same files give the same answers. */
export class Identities {
  readonly #repeats = new Map<string, number>();

  identify(trial: ImportedTrial, found: FoundImport): TrialIdentity {
    const scenario = trial.scenario ?? found.name;
    const caseId = trial.caseId ?? 'task';
    const { variant } = trial;
    const key = contentKey([scenario, caseId, canonicalJson(variant)]);
    const last = this.#repeats.get(key) ?? 0;
    // A number that was given already, as in a second file, cannot be given again.
    const repeat = Math.max(isUsable(trial.repeat) ? trial.repeat : 1, last + 1);
    this.#repeats.set(key, repeat);
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

/** How many trials of which scenarios there are, so that those of one scenario can lie side by side in the run. */
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

  /** As the header of the run has them. What was asked of them is not in the files, so their hashes are empty. */
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

  /** Gives each trial its place; undefined for one that was not planned, because its file has changed. */
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
